"""The names of suites, and the ids that they have together with a model. Nothing is imported for them."""

from __future__ import annotations

import re

#: What has no place in an id.
_UNTYPEABLE = re.compile(r"[^A-Za-z0-9._/:@+-]+")


def reader_label(reader: str) -> str:
    """How the name of a suite names another model that reads; empty for none."""
    return f"read-by-{in_id(reader)}" if reader else ""


def in_id(model: str) -> str:
    """A model's name as an id has it, which can be typed: every other character is a hyphen."""
    return _UNTYPEABLE.sub("-", model).strip("-") or "model"


def named(suite: str, model: str) -> str:
    """A suite with its model as headings show it: the id of its item."""
    function, inside = function_and_parameters(suite)
    return suite_name(function, in_id(model), inside)


def plain_suite(suite: str, interface: str, prompting: str, variant: str | None = None) -> str:
    """The suite's name without its ``variant``, which comes first in its brackets.

    Rows of older files do not have the variant; it is found by the names of interface and prompting.
    """
    base, inside = function_and_parameters(suite)
    for label in (f"{interface}-{prompting}", interface, prompting) if variant is None else (variant,):
        if label and (inside == label or inside.startswith(f"{label}-")):
            inside = inside.removeprefix(label).removeprefix("-")
            break
    return suite_name(base, inside)


def suite_name(function: str, *parts: str) -> str:
    """The name of a suite: its test function and, in brackets, the parts that are not empty."""
    inside = "-".join(filter(None, parts))
    return f"{function}[{inside}]" if inside else function


def function_and_parameters(suite: str) -> tuple[str, str]:
    """The test function of a suite, and what its name has in brackets; the file may have brackets of its own."""
    file, colons, test = suite.partition("::")
    function, _, inside = test.partition("[")
    return f"{file}{colons}{function}", inside.removesuffix("]")
