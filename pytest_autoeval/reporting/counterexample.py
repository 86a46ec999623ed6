"""A sample on which a model failed, as a person is shown it."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.reporting.results import Row
from pytest_autoeval.reporting.text import one_line, shorten

_ONE_LINE_TEXT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A failing row, and the smaller one that it was shrunk to.

    ``minimal`` tells that no smaller neighbour fails; ``confirmed`` how often the shrunk formula failed when it was
    asked again, as in ``2 of 2``; ``round_trips_spent`` what shrinking took; ``command`` reproduces exactly the row
    that is shown.
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
        return self.row["suite"], self.row["model"], self.row["outcome"]

    @property
    def one_line(self) -> str:
        """The example in a line: ``different: ¬(p1 ∧ p2) came back as ¬p1 ∧ p2 (witness: p1 = true, p2 = false)``."""
        row = self.shown
        if row.get("expected") is not None:
            asked = "; ".join(_brief(str(row[key])) for key in ("formula", "other", "trace") if row.get(key))
            told = f"{one_line(row['outcome'])}: {asked}: {_brief(row.get('error') or 'no answer')}"
            return told + _witness(row)
        answer = row.get("translation") or row.get("answer")
        ending = f" came back as {_brief(answer)}" if answer else f": {_brief(row.get('error') or 'no answer')}"
        return f"{one_line(row['outcome'])}: {_brief(row['formula'])}{ending}{_witness(row)}"


def _witness(row: Row) -> str:
    return f" (witness: {_brief(row['witness_text'])})" if row.get("witness_text") else ""


def _brief(text: str) -> str:
    return shorten(one_line(text), _ONE_LINE_TEXT)
