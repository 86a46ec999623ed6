"""The part of a prompt that depends on the signs that formulas may have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Self

from msgspec import Struct

#: The keys of the table ``[signs]`` of a template.
KEYS_OF_SIGNS = ("strict", "before", "lines", "after")


class ExplainedSigns(Struct, frozen=True):
    """What a prompt says of signs beyond the strict notation.

    ``strict`` is the text for formulas without such signs. For others, ``by_sign`` has a line for each sign, and
    ``before`` and ``after`` stand around the lines.
    """

    strict: str
    before: str
    by_sign: Mapping[str, str]
    after: str

    @classmethod
    def of(cls, strict: str, before: str, lines: str, after: str) -> Self:
        """From the texts of a template; each of the ``lines`` begins with its sign and a space."""
        by_sign = {}
        for line in lines.splitlines():
            sign, _, explanation = line.strip().partition(" ")
            by_sign[sign] = explanation.strip()
        return cls(strict, before, by_sign, after)

    def text(self, signs: Collection[str]) -> str:
        """The text for formulas that may have these signs. A sign without a line is not explained."""
        lines = [f"  {line}" for sign, line in self.by_sign.items() if sign in signs]
        if not lines:
            return self.strict
        return "\n".join(filter(None, (self.before, *lines, self.after)))
