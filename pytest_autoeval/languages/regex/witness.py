"""Strings: what two regular expressions differ on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class DistinguishingString:
    """A string that one of two expressions accepts and the other does not."""

    text: str
    accepted_by: Literal["first", "second"]

    def __str__(self) -> str:
        other = "second" if self.accepted_by == "first" else "first"
        return f"{self.text or 'ε'} (accepted by the {self.accepted_by}, not by the {other})"

    def to_json(self) -> dict[str, Any]:
        """``kind``, the string (empty for ε), and which expression accepts it, ``first`` or ``second``."""
        return {"kind": "string", "text": self.text, "accepted_by": self.accepted_by}
