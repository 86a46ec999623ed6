"""What helps before more samples do: answers that are missing."""

from __future__ import annotations

import pytest
from support.result_rows import row

from pytest_autoeval.judging.stopped_sentences import (
    NOT_RECORDED,
    missing_answers,
    what_decides,
)
from pytest_autoeval.models import RecordingMissError
from pytest_autoeval.record.figure_sentences import number
from pytest_autoeval.record.lines import Sample


def errors(message: str, times: int) -> list[Sample]:
    return [row("error", index=index, error=message) for index in range(times)]


MISSES = errors(f"{RecordingMissError.__name__}: nothing is recorded", 3)
OTHERS = errors("CallError: no route to the server", 2)


def test_the_error_of_a_missing_recording_begins_with_its_type() -> None:
    assert RecordingMissError.__name__ == NOT_RECORDED


@pytest.mark.parametrize(
    ("samples", "advice"),
    [
        ([row("equivalent")], "None"),
        ([row("equivalent"), *MISSES], "record the 3 missing answers"),
        (OTHERS, "ask the 2 samples again that ended in an error"),
        # Without a recording, a replay ends in an error each time.
        ([*OTHERS, *MISSES], "record the 3 missing answers"),
    ],
    ids=["none", "recordings", "errors", "both"],
)
def test_missing_answers_are_named_by_what_they_lack(samples: list[Sample], advice: str) -> None:
    assert str(missing_answers(samples)) == advice


def test_more_samples_are_advised_behind_missing_answers() -> None:
    needed = number(40, "pair")
    assert str(what_decides(needed, [row()])) == "a decision needs about 40 pairs (more samples)"
    assert str(what_decides(needed, MISSES)) == (
        "a decision needs about 40 pairs: first record the 3 missing answers, then run more samples"
    )
