"""The names of suites, and their ids with a model. This module imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from pytest_autoeval.lazy_pattern import lazy_pattern

#: The interfaces of a round trip, the default first. A results file names the default only if the run asked for it.
ROUND_TRIP_INTERFACES = ("plain", "paper")
#: Characters that an id cannot have.
_NOT_IN_IDS = lazy_pattern(r"[^A-Za-z0-9._/:@+-]+")


def reader_label(reader: str) -> str:
    """How the name of a suite shows a reader; empty without one."""
    return f"read-by-{in_id(reader)}" if reader else ""


def in_id(model: str) -> str:
    """A model's name as part of an id that can be typed: every other character becomes a hyphen."""
    return _NOT_IN_IDS.sub("-", model).strip("-") or "model"


def folder_labels(folders: Iterable[str]) -> dict[str, str]:
    """How names of suites show folders of prompts: by their last names, with so many folders above that they differ."""
    parts = {folder: PurePosixPath(folder).parts for folder in folders}
    longest = max(map(len, parts.values()), default=0)
    labels: dict[str, str] = {}
    for length in range(1, longest + 1):
        labels = {folder: in_id("/".join(names[-length:])) for folder, names in parts.items()}
        if len(set(labels.values())) == len(labels):
            return labels
    # Names that differ only in characters that an id cannot have.
    return {folder: f"{label}-{number}" for number, (folder, label) in enumerate(labels.items(), 1)}


def shown_prompts(folders: Sequence[str]) -> str:
    """The folders of prompts of a suite, the first one searched first."""
    return ", ".join(folders) or "default"


def named_by(name: str, folders: Sequence[str]) -> bool:
    """Whether a user's name is that of a suite's folders of prompts: all of them, or the first one or its end."""
    wanted = name.rstrip("/")
    first = next(iter(folders), "")
    return wanted in (shown_prompts(folders), first) or first.endswith(f"/{wanted}")


def named(suite: str, model: str) -> str:
    """The id of the pytest item of a suite and model, as headings show it."""
    function, inside = function_and_parameters(suite)
    return suite_name(function, in_id(model), inside)


def without_model(name: str, model: str) -> str:
    """The id of a pytest item without its model: what the suites of several models have in common."""
    function, inside = function_and_parameters(name)
    label = in_id(model)
    # The model's name and a hyphen: one name may begin another, such as gpt-4 and gpt-4o.
    if inside != label and not inside.startswith(f"{label}-"):
        return name
    return suite_name(function, inside[len(label) + 1 :])


def suite_name(function: str, *labels: str) -> str:
    """The name of a suite: its test function and, in brackets, the parts that are not empty."""
    inside = "-".join(filter(None, labels))
    return f"{function}[{inside}]" if inside else function


def function_and_parameters(suite: str) -> tuple[str, str]:
    """The test function of a suite, and the text in its brackets. The file, if there is one, may have brackets too."""
    file, colons, test = suite.partition("::")
    if not colons and suite.endswith("]"):  # a test function alone
        file, test = "", suite
    function, _, inside = test.partition("[")
    return f"{file}{colons}{function}", inside.removesuffix("]")
