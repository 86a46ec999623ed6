"""The record of a trial, and which trial a thread works on."""

from __future__ import annotations

import threading

import pytest
from scripted import Scripted

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks.trial import Trial, current_trial, under_trial


def test_trials_nest_and_end() -> None:
    outer, inner = Trial(Scripted()), Trial(Scripted())
    with under_trial(outer):
        with under_trial(inner):
            assert current_trial() is inner
        assert current_trial() is outer
    with pytest.raises(AutoevalError, match="no trial is under way"):
        current_trial()


def test_a_thread_has_its_own_trial() -> None:
    errors: list[str] = []

    def ask() -> None:
        try:
            current_trial()
        except AutoevalError as error:
            errors.append(str(error))

    with under_trial(Trial(Scripted())):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_findings_are_plain_and_complete_from_the_start() -> None:
    trial = Trial(Scripted())
    empty = trial.findings()
    assert empty.pop("calls") == []
    assert set(empty.values()) == {None}
    trial.add_call("informalize", Reply("text", prompt_tokens=3, prompt_digest="ab"))
    (call,) = trial.findings()["calls"]
    assert (call["stage"], call["prompt_tokens"], call["prompt_digest"]) == ("informalize", 3, "ab")
