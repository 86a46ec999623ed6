"""`--autoeval-prompting=same-story` in a run: what takes part, and what is left out with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import Rows, Run, marked, said

STORY: dict[str, Any] = {
    "story_id": 7,
    "premises": ["Everyone who is tall is kind.", "Ann is tall."],
    "premises-FOL": ["∀x. (Tall(x) → Kind(x))", "Tall(ann)"],
}
ALONE = {"premises": ["Rex barks."], "premises-FOL": ["Barks(rex)"]}
TRANSLATION = marked('"fol_translation", task="logical_translation"', "perform()", takes="perform")
SAME_STORY = "--autoeval-prompting=same-story"


def written(pytester: pytest.Pytester, *rows: object) -> str:
    (pytester.path / "folio.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "--autoeval-dataset=folio.jsonl"


def test_sentences_of_stories_are_asked_and_others_are_counted(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    pytester.makepyfile(test_suite=TRANSLATION)
    options = (SAME_STORY, "--autoeval-prompting=zero-shot", "--autoeval-results=out.jsonl")
    result = run(written(pytester, STORY, ALONE), *options)
    assert result.ret == pytest.ExitCode.OK
    sentences = sorted((row["way"], row["sentence"]) for row in rows("out.jsonl"))
    assert [sentence for prompting, sentence in sentences if prompting == "same-story"] == STORY[
        "premises"
    ][::-1]
    assert len([sentence for prompting, sentence in sentences if prompting == "zero-shot"]) == 3
    assert {row["story_id"] for row in rows("out.jsonl") if row["sentence"] != "Rex barks."} == {
        "7"
    }
    assert "1 sentence left out" in said(result)


def test_without_stories_nothing_is_asked_and_the_run_says_what_it_needs(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(test_suite=TRANSLATION)
    assert "the column story_id" in said(run(written(pytester, ALONE), SAME_STORY))


def test_a_round_trip_takes_no_such_examples(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_suite=marked('"propositional", operators=[1], samples=1', "TRIP"))
    assert "a round trip takes no examples from stories" in said(run(SAME_STORY))
