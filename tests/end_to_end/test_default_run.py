"""The command of the README's first lines: its answers stand in `cassettes/`, all of them and no others."""

from __future__ import annotations

from pathlib import Path

from small_project import run_in_repository

from pytest_autoeval.reporting.results import read

ROOT = Path(__file__).parents[2]
RENEW = (
    "the recordings of the default run are not those of the suites as they stand; renew them from the repository's "
    "root: rm -r cassettes/*; pytest suites --autoeval-record-mode=all"
)


def test_every_formula_goes_round_and_no_recording_is_missing_or_left_over(tmp_path: Path) -> None:
    results = f"--autoeval-results={tmp_path / 'results.jsonl'}"
    code, text = run_in_repository("suites", "--autoeval-record-mode=none", "-v", results)
    rows = read(tmp_path / "results.jsonl").rows
    assert code == 0, text
    assert {row.outcome for row in rows} == {"equivalent", "correct"}
    assert {row.model for row in rows} == {"offline/faithful"}
    assert {call.replayed for row in rows for call in row.calls} == {True}, RENEW
    assert "did not use" not in text, RENEW


def test_recordings_are_small_and_of_the_default_model_alone() -> None:
    recordings = [path for path in (ROOT / "cassettes").rglob("[!.]*") if path.is_file()]
    assert recordings, RENEW
    assert {path.parent.name for path in recordings} == {"offline--faithful"}, RENEW
    assert max(path.stat().st_size for path in recordings) < 8192
    assert sum(path.stat().st_size for path in recordings) < 8 * 2**20
