"""Options of `run_suites` may be given as the texts of the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval import Report, pass_rate_test, run_suites
from pytest_autoeval.engine.given_settings import settings_from
from pytest_autoeval.engine.reproducing import options_of
from pytest_autoeval.engine.settings import OPTIONS
from pytest_autoeval.option_names import option_name

#: A text of each option that a command needs to ask again, which is not its default.
TEXTS = {
    "base_url": "http://127.0.0.1:8000/v1",
    "seed": "3",
    "dataset": "pairs.csv",
    "columns": "formula=gold,other=model_output",
    "prompts": "own",
    "api_seeds": "3,12,26",
    "paraphrases": "2",
    "copies": "count",
    "constrained": "vllm",
    "temperature": "0.5",
    "max_tokens": "200",
    "parameters": '{"top_p": 0.9}',
    "timeout": "90",
    "verify_timeout": "5",
    "record_mode": "none",
    "cassettes": "kept",
}


def test_every_option_that_a_command_repeats_has_a_text() -> None:
    assert {name for name, option in OPTIONS.items() if option.reproduces} == TEXTS.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_a_command_to_ask_again_reads_the_value_that_a_text_has(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own" / "informalize").mkdir(parents=True)
    settings = settings_from({name: TEXTS[name]})
    (word,) = options_of(settings)
    option, _, written = word.partition("=")
    assert option == option_name(name.replace("_", "-"))
    again = settings_from({name: written})
    assert getattr(again, name) == getattr(settings, name)
    # The value itself gives the same command; those of paths are absolute.
    if name not in ("dataset", "prompts", "cassettes"):
        assert options_of(settings_from({name: getattr(settings, name)})) == [word]


def test_an_option_that_is_none_is_not_given() -> None:
    assert settings_from({"seed": None, "columns": None, "model": None}).typed == {}


def test_the_columns_of_a_file_may_be_a_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "gold,output,human,language\np1 & p2,p2 & p1,yes,propositional\n"
    Path("their.csv").write_text(rows, encoding="utf-8")
    test = pass_rate_test("judge_propositional", task="judge")
    run = run_suites(
        test,
        "offline/mis-scoped",
        dataset="their.csv",
        columns="formula=gold,other=output,same=human",
    )
    report = Report(run)
    assert [sample.formula for sample in report.samples] == ["p1 ∧ p2"]
