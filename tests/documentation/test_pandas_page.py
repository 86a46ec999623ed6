"""The page about pandas: its programs run on two results files, where pandas and matplotlib are installed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import Report, run_suites

PAGE = Path(__file__).parents[2] / "docs/how-to/use-pandas.md"


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the page."""
    monkeypatch.chdir(tmp_path)
    for file, model in (("monday", "offline/student"), ("tuesday", "offline/or-for-and")):
        events = run_suites(["propositional"], [model], samples=4, operators=range(4), blame=True)
        Report(events).write_results(f"{file}.jsonl")
    return tmp_path


def test_the_programs_of_the_page_run(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    programs = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(programs) == 5
    names: dict[str, Any] = {}
    for program in programs:
        exec(program, names)
    assert (results / "by_size.png").stat().st_size > 10_000
    rates = names["rates"]
    assert list(rates["size"]) == [0, 1, 2, 3] * 2
    assert (rates["low"] <= rates["value"]).all()
    assert (rates["value"] <= rates["high"]).all()
    # The same rates as those of the rows.
    from_rows = names["counted"].groupby(["model", "size"])["passed"].mean()
    for _, row in rates.iterrows():
        assert row["value"] == pytest.approx(from_rows[row["model"], row["size"]])
    assert isinstance(names["figures"], pandas.DataFrame)
    # Both models got the same four formulas of each of the four sizes.
    assert names["differences"]["n"].tolist() == [len(names["counted"]) // 2]
    assert "prompt_tokens" in capsys.readouterr().out
