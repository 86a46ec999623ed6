"""The known names that a message offers for an unknown one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.errors import did_you_mean, near_folder, near_names
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


def test_a_folder_is_offered_for_a_missing_one_beside_it(tmp_path: Path) -> None:
    for name in ("prompts", "cassettes"):
        (tmp_path / "v2" / name).mkdir(parents=True)
    (tmp_path / "v2" / "prompt.txt").touch()
    near = tmp_path / "v2" / "prompts"
    assert near_folder(tmp_path / "v2" / "prompt") == f". Did you mean {str(near)!r}?"
    # The long beginning that all folders share makes none of them near.
    assert near_folder(tmp_path / "v2" / "unrelated") == ""
    assert near_folder(tmp_path / "v3" / "prompts") == ""
