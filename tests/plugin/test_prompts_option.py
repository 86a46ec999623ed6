"""`--autoeval-prompting` and `--autoeval-prompts`: other prompts, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .conftest import Rows, Run, Suite, said


def write(folder: Path, task: str, text: str) -> None:
    path = folder / task / "propositional.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def digests(rows: list[dict[str, Any]], stage: str) -> set[str]:
    return {
        call["prompt_digest"] for row in rows for call in row["calls"] if call["stage"] == stage
    }


def test_few_shot_sends_other_prompts(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    run("--autoeval-results=zero.jsonl").assert_outcomes(passed=1)
    run("--autoeval-results=few.jsonl", "--autoeval-prompting=few-shot").assert_outcomes(passed=1)
    zero, few = rows("zero.jsonl"), rows("few.jsonl")
    assert [row["formula"] for row in zero] == [row["formula"] for row in few]
    for stage in ("informalize", "autoformalize"):
        assert not digests(zero, stage) & digests(few, stage)


def test_a_folder_replaces_the_templates_that_it_has(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    write(pytester.path / "own", "informalize", 'user = "Put ${formula} into words."')
    run("--autoeval-results=shipped.jsonl", "--autoeval-operators=2")
    run("--autoeval-results=own.jsonl", "--autoeval-operators=2", "--autoeval-prompts=own")
    shipped, own = rows("shipped.jsonl"), rows("own.jsonl")
    assert not digests(shipped, "informalize") & digests(own, "informalize")


@pytest.mark.parametrize("option", ["--collect-only", "--autoeval-plan", "--autoeval-samples=1"])
def test_a_wrong_slot_is_refused_before_anything_is_asked(
    pytester: pytest.Pytester, suite: Suite, run: Run, option: str
) -> None:
    suite()
    write(pytester.path / "right", "informalize", 'user = "Put ${formula} into words."')
    write(pytester.path / "wrong", "autoformalize", 'system = "x"\nuser = "Read ${descripton}"')
    result = run("--autoeval-prompts=right", "--autoeval-prompts=wrong", option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    file = Path("wrong", "autoformalize", "propositional.toml")
    assert f"{file}:2: unknown slot ${{descripton}}; known are: ${{description}}, " in said(result)
    assert "Did you mean '${description}'?" in said(result)


@pytest.mark.parametrize(
    ("template", "workers", "complaint"),
    [
        ('user = "${vocabulary}"', 0, "the user turn lacks the slot ${formula}"),
        ('user = "${vocabulary}"', 2, "the user turn lacks the slot ${formula}"),
    ],
)
def test_a_template_that_cannot_be_used_is_told_once_and_stops_the_run(
    pytester: pytest.Pytester, suite: Suite, run: Run, template: str, workers: int, complaint: str
) -> None:
    suite()
    write(pytester.path / "own", "informalize", template)
    result = run("--autoeval-prompts=own", "-n", str(workers))
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert complaint in said(result)
    assert "Traceback" not in said(result)
    assert result.parseoutcomes()["failed"] <= max(1, workers)
