"""A sample on which a model failed, as a person sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.text import one_line, shorten

_ONE_LINE_TEXT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A failing row, and the smaller one that it was shrunk to.

    ``minimal``: no smaller neighbour fails; ``confirmed``: how often the shrunk formula failed when it was asked again,
    as in ``2 of 2``; ``round_trips_spent``: what shrinking took; ``command`` reproduces exactly the row that is shown.
    """

    row: Row
    command: str
    shrunk_row: Row | None = None
    minimal: bool = False
    confirmed: str = ""
    round_trips_spent: int = 0

    @property
    def shown(self) -> Row:
        """The row that is worth reading: the shrunk one where there is one."""
        return self.shrunk_row if self.shrunk_row is not None else self.row

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is an example of: suite, model and outcome."""
        return self.row.suite, self.row.model, self.row.outcome

    @property
    def one_line(self) -> str:
        """The example in a line: ``different: ¬(p1 ∧ p2) came back as ¬p1 ∧ p2 (witness: p1 = true, p2 = false)``."""
        row = self.shown
        given = [row.formula]
        ending = f": {_brief(row.error or 'no answer')}"
        if row.expected is not None:
            given += filter(None, (row.other, row.trace))
        elif answer := row.translation or row.answer:
            ending = f" came back as {_brief(answer)}"
        witness = f" (witness: {_brief(row.witness_text)})" if row.witness_text else ""
        return f"{one_line(row.outcome)}: {'; '.join(map(_brief, given))}{ending}{witness}"

    def to_json(self) -> dict[str, Any]:
        """Plain basic types."""
        shrunk = self.shrunk_row and self.shrunk_row.to_json()
        others = {one.name: getattr(self, one.name) for one in fields(self)}
        return {**others, "row": self.row.to_json(), "shrunk_row": shrunk}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Counterexample:
        """What :meth:`to_json` wrote."""
        shrunk = data["shrunk_row"]
        return cls(**{**data, "row": Row.from_json(data["row"]), "shrunk_row": shrunk and Row.from_json(shrunk)})


def smallest_first(examples: Iterable[Counterexample]) -> list[Counterexample]:
    """The examples by the size and length of the formula that is shown."""
    return sorted(examples, key=lambda one: (one.shown.operators, len(one.shown.formula)))


def _brief(text: str) -> str:
    return shorten(one_line(text), _ONE_LINE_TEXT)


def smallest_failures(rows: Iterable[Row]) -> dict[str, Row]:
    """For each outcome that is the model's failure, the smallest row with it, in order of the outcomes' codes."""
    failures = [row for row in rows if row.kind == "model failure"]
    failures.sort(key=lambda row: (row.code, row.operators, len(row.formula), row.formula, row.repeat, row.index))
    smallest: dict[str, Row] = {}
    for row in failures:
        smallest.setdefault(row.outcome, row)
    return smallest
