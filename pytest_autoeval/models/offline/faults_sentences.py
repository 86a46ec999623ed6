"""A fault in the reading of sentences: all or a listed set of them are formalized wrongly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from pytest_autoeval.given_file import read_given
from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.models.names import PREFIX, ModelOptionError
from pytest_autoeval.models.offline.answer_key import spaced
from pytest_autoeval.models.offline.behaviour import Behaviour, at_first, taken_for

#: Operators that are taken for another, the first of them in a formula.
_SLIP = at_first(
    taken_for(
        {
            ltl.Always: ltl.Eventually,
            ltl.Eventually: ltl.Always,
            ltl.Next: ltl.Eventually,
            ltl.Until: ltl.WeakUntil,
            ltl.WeakUntil: ltl.Until,
            ltl.Once: ltl.Historically,
            ltl.Historically: ltl.Once,
            ltl.Since: ltl.Triggered,
            ltl.And: ltl.Or,
            ltl.Or: ltl.And,
            ltl.Implies: ltl.Iff,
            fol.Forall: fol.Exists,
            fol.Exists: fol.Forall,
            fol.And: fol.Or,
            fol.Or: fol.And,
            fol.Implies: fol.Iff,
            fol.Iff: fol.Implies,
        }
    )
)


@dataclass(frozen=True, kw_only=True)
class MisreadSentences(Behaviour):
    """Formalizes sentences wrongly: all of them, or those that a file lists, one on a line."""

    listed: frozenset[str] | None = None

    def configured(self, options: Mapping[str, str]) -> MisreadSentences:
        if unknown := [option for option in options if option != "sentences"]:
            raise ModelOptionError(f"{PREFIX}{self.name} has no option {unknown[0]!r}; it has sentences=FILE")
        if not options:
            return self
        try:
            text = read_given(Path(options["sentences"])).decode()
        except (OSError, ValueError) as problem:
            raise ModelOptionError(f"{PREFIX}{self.name}: {options['sentences']} cannot be read: {problem}") from None
        return replace(self, listed=frozenset(filter(None, map(spaced, text.splitlines()))))

    def translate(self, sentence: str, formula: Formula, chance: Random) -> Formula:  # noqa: ARG002
        is_listed = self.listed is None or spaced(sentence) in self.listed
        return misread(formula) if is_listed else formula


def misread(formula: Formula) -> Formula:
    """The formula with its first operator taken for another; denied if it has none that is."""
    read = _SLIP(formula)
    if read != formula:
        return read
    denied = fol.Not(formula) if isinstance(formula, fol.Sentence) else formula
    return ltl.Not(formula) if isinstance(formula, ltl.Temporal) else denied


BEHAVIOURS: tuple[Behaviour, ...] = (
    MisreadSentences("misread-sentences", "formalizes sentences wrongly: all, or those of a file (sentences=FILE)"),
)
