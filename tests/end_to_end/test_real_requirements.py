"""Two real models on the requirement sets: their recorded answers, replayed, and the figures in the documentation."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from support.program import Program
from support.small_project import run_in_repository

from pytest_autoeval import language
from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Formalized, Given

ROOT = Path(__file__).parents[2]
SETS = ROOT / "examples" / "requirements"
MODELS = ("Qwen2.5-Coder-0.5B-Instruct", "SmolLM2-135M-Instruct")
REPLAY = (
    "examples/requirements",
    *("--autoeval-record-mode=none", "--autoeval-prompting=few-shot", "--autoeval-temperature=0"),
    "--autoeval-max-tokens=200",
)


def replayed(file: Path, *arguments: str) -> list[Sample]:
    """The samples of a run that asks no server."""
    code, text = run_in_repository(*REPLAY, *arguments, f"--autoeval-results={file}")
    assert code == 0, text
    samples = read_file(file).samples
    assert not any(call.asked for sample in samples for call in sample.calls)
    return samples


def is_right(sample: Sample, key: dict[str, Any]) -> bool:
    """Whether the formula of the sentence means the same as that of the key, or as one of its readings."""
    written = sample.part_or_empty(Formalized).formula
    if not written:
        return False
    lang = language(key["language"])
    formula = lang.parse(written)
    sentence = sample.part_or_empty(Given).sentence
    entry = next(entry for entry in key["sentences"] if entry["sentence"] == sentence)
    readings = (lang.parse(text) for text in (entry["formula"], *entry.get("readings", ())))
    return any(lang.equivalent(formula, reading).outcome == "equivalent" for reading in readings)


def test_the_documentation_shows_how_the_sentences_ended_and_which_formulas_are_right(
    tmp_path: Path,
) -> None:
    free = replayed(tmp_path / "free.jsonl", *(f"--autoeval-model={model}" for model in MODELS))
    one_of = ("-k", "lift", "--autoeval-constrained=llama.cpp", f"--autoeval-model={MODELS[0]}")
    constrained = replayed(tmp_path / "constrained.jsonl", *one_of)
    page = ROOT.joinpath("docs/explanation/agreement.md").read_text("utf-8")
    for name, model, answers, samples in (
        *((name, model, name, free) for name in ("lift", "library") for model in MODELS),
        ("lift", MODELS[0], "lift, constrained answers", constrained),
    ):
        key = tomllib.loads(SETS.joinpath(f"{name}.key.toml").read_text("utf-8"))
        own = [one for one in samples if one.model == model and f"test_{name}" in one.suite.name]
        assert len(own) == len(key["sentences"])
        ends = [
            sum(one.outcome == outcome for one in own) for outcome in ("inconsistent", "consistent")
        ]
        right = [one for one in own if is_right(one, key)]
        counts = (len(own) - sum(ends), *ends, len(right))
        assert f"| `{model}` | {answers} | {' | '.join(map(str, counts))} |" in page
        assert not any(one.outcome == "consistent" for one in right)


def test_two_commands_lead_from_the_sentences_to_the_questions(
    tmp_path: Path, program: Program
) -> None:
    file = tmp_path / "results.jsonl"
    samples = replayed(
        file,
        "-k",
        "lift",
        "--autoeval-paraphrases=1",
        *(f"--autoeval-model={model}" for model in MODELS),
    )
    assert len(samples) == 2 * 2 * 40
    text = program("questions", str(file)).text
    assert text.count("can be read in two ways") == 7
    assert "“A moving cabin stops some time later.” can be read in two ways." in text
    assert "yes: G (moving -> at_floor), read by Qwen2.5-Coder-0.5B-Instruct (paraphrase 1)" in text
