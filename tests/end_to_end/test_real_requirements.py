"""Two real models on the requirement sets: their recorded answers, replayed, and the figures in the documentation."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pytest_autoeval.reporting.row import Row
from support.program import Program
from support.small_project import run_in_repository

from pytest_autoeval import language

ROOT = Path(__file__).parents[2]
SETS = ROOT / "examples" / "requirements"
MODELS = ("Qwen2.5-Coder-0.5B-Instruct", "SmolLM2-135M-Instruct")
REPLAY = (
    "examples/requirements",
    *("--autoeval-record-mode=none", "--autoeval-prompting=few-shot", "--autoeval-temperature=0"),
    "--autoeval-max-tokens=200",
)


def replayed(file: Path, *arguments: str) -> list[Row]:
    """The rows of a run that asks no server."""
    code, text = run_in_repository(*REPLAY, *arguments, f"--autoeval-results={file}")
    assert code == 0, text
    rows = read(file).rows
    assert all(call.replayed or call.repeated for row in rows for call in row.calls)
    return rows


def is_right(row: Row, key: dict[str, Any]) -> bool:
    """Whether the formula of the sentence means the same as that of the key, or as one of its readings."""
    if not row.value("formalization"):
        return False
    lang = language(key["language"])
    formula = lang.parse(row.value("formalization"))
    entry = next(entry for entry in key["sentences"] if entry["sentence"] == row.value("sentence"))
    readings = (lang.parse(text) for text in (entry["formula"], *entry.get("readings", ())))
    return any(lang.equivalent(formula, reading).outcome == "equivalent" for reading in readings)


def test_the_documentation_shows_how_the_sentences_ended_and_which_formulas_are_right(tmp_path: Path) -> None:
    free = replayed(tmp_path / "free.jsonl", *(f"--autoeval-model={model}" for model in MODELS))
    one_of = ("-k", "lift", "--autoeval-constrained=llama.cpp", f"--autoeval-model={MODELS[0]}")
    constrained = replayed(tmp_path / "constrained.jsonl", *one_of)
    page = ROOT.joinpath("docs/explanation/agreement.md").read_text("utf-8")
    for name, model, answers, rows in (
        *((name, model, name, free) for name in ("lift", "library") for model in MODELS),
        ("lift", MODELS[0], "lift, constrained answers", constrained),
    ):
        key = tomllib.loads(SETS.joinpath(f"{name}.key.toml").read_text("utf-8"))
        own = [row for row in rows if row.model == model and f"test_{name}" in row.suite]
        assert len(own) == len(key["sentences"])
        ends = [sum(row.outcome == outcome for row in own) for outcome in ("inconsistent", "consistent")]
        right = [row for row in own if is_right(row, key)]
        counts = (len(own) - sum(ends), *ends, len(right))
        assert f"| `{model}` | {answers} | {' | '.join(map(str, counts))} |" in page
        assert not any(row.outcome == "consistent" for row in right)


def test_two_commands_lead_from_the_sentences_to_the_questions(tmp_path: Path, program: Program) -> None:
    file = tmp_path / "results.jsonl"
    rows = replayed(file, "-k", "lift", "--autoeval-paraphrases=1", *(f"--autoeval-model={model}" for model in MODELS))
    assert len(rows) == 2 * 2 * 40
    text = program("questions", str(file)).text
    assert " 7. lift.md:" in text
    assert " 8. " not in text
    assert "“A moving cabin stops some time later.” can be read in two ways." in text
    assert "yes: G (moving -> at_floor), read by Qwen2.5-Coder-0.5B-Instruct (paraphrase 1)" in text
