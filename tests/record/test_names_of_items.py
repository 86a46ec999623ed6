"""The name of an item on every screen: the id of its author, else its file and line."""

from __future__ import annotations

import pytest

from pytest_autoeval.record.task_parts import Given


@pytest.mark.parametrize(
    ("item", "source", "own_id", "name"),
    [
        ("R-12", "rules.md:7", "R-12", "R-12"),
        ("DOOR:3", "rules.md:7", "DOOR:3", "DOOR:3"),
        ("rules.md:7", "rules.md:7", None, "rules.md:7"),
        ("old/rules.md:7", "rules.md:7", None, "old/rules.md:7"),
        # As earlier releases counted the sentences of a file.
        ("rules:2", "rules.md:7", None, "rules.md:7"),
        ("old/rules:2", "rules.md:7", None, "rules.md:7"),
        ("rules:2", None, "rules:2", "rules:2"),
        (None, "formulas.txt:7", None, "formulas.txt:7"),
        (None, None, None, ""),
    ],
)
def test_an_item_is_named_as_in_its_file(
    item: str | None, source: str | None, own_id: str | None, name: str
) -> None:
    given = Given(item=item, source=source)
    assert (given.own_id, given.name) == (own_id, name)
