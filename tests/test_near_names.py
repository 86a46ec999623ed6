"""The known names that a message offers for an unknown one."""

from __future__ import annotations

import pytest

from pytest_autoeval.errors import did_you_mean, near_names
from pytest_autoeval.models.offline.offline_models import offline_models

OFFLINE = [name for name, _ in offline_models()]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("offline/fatihful", ["offline/faithful"]),
        ("Offline/Prose", ["offline/prose"]),
        # The prefix that all names have makes none of them near.
        ("offline/perfect", []),
        ("offline/", []),
    ],
)
def test_only_near_names_are_offered(name: str, near: list[str]) -> None:
    assert near_names(name, OFFLINE, 3) == near


def test_names_are_compared_in_one_case_and_offered_in_theirs() -> None:
    assert near_names("MODEL", ["Model", "x"]) == ["Model"]
    assert near_names("anything", []) == []


def test_a_known_name_is_not_offered_to_who_typed_it() -> None:
    recorded = ["SmolLM2-135M-Instruct", "SmolLM2-360M-Instruct"]
    assert did_you_mean("SmolLM2-135M-Instruct", recorded) == ""
    assert (
        did_you_mean("SmolLM2-135M-Instuct", recorded) == " Did you mean 'SmolLM2-135M-Instruct'?"
    )
