"""The outcomes that a user added to a run, as its results declare them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from msgspec import Struct
from msgspec.structs import asdict

from pytest_autoeval.outcomes import OUTCOMES, OutcomeKind, SampleOutcome, UnknownOutcomeError


class OwnOutcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A way in which samples can end that the user added (`registry.add_outcome`).

    Attributes:
        name: its name.
        code: its code.
        kind: how it counts: ``model failure``, ``undecided`` or ``error``.
        title: what it means, in a few words.
        meaning: what it means, in a few sentences.
        causes: the likely causes.
        advice: what to do.
        about: whether it is about the ``meaning`` of an answer or its ``form``.
        answer_read: whether something of the asked form was read in the answer.
    """

    name: str
    code: str
    kind: Literal["model failure", "undecided", "error"]
    title: str
    meaning: str = ""
    causes: tuple[str, ...] = ()
    advice: str = ""
    about: Literal["meaning", "form", ""] = ""
    answer_read: bool = True

    @property
    def outcome(self) -> SampleOutcome:
        """The outcome that is declared."""
        return SampleOutcome(**asdict(self) | {"kind": OutcomeKind(self.kind)})


def outcome_among(name: str, declared: Iterable[OwnOutcome]) -> SampleOutcome:
    """The outcome of a name: a shipped one, or one that is declared; raises :class:`UnknownOutcomeError`."""
    # Shipped outcomes first: nobody can change what they mean.
    if name in OUTCOMES:
        return OUTCOMES[name]
    own = next((outcome for outcome in declared if outcome.name == name), None)
    if own is None:
        raise UnknownOutcomeError(f"there is no outcome {name!r}")
    return own.outcome
