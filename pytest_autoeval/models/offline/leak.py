"""A model whose description is no English: it copies the formula's signs, and loses the grouping on the way."""

from __future__ import annotations

from random import Random

from pytest_autoeval.languages import Formula, language_of
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ontology import Ontology
from pytest_autoeval.models.offline.behaviour import Answer, Behaviour

_OPENING = "In signs: "


class Leak(Behaviour):
    """Describes ``¬(p ∧ q)`` as ``In signs: ¬p ∧ q`` and reads back what the signs say."""

    def describe(self, formula: Formula, chance: Random) -> str:  # noqa: ARG002
        language = language_of(formula)
        names_take_arguments = language.name != "regex"
        return _OPENING + _ungrouped(language.format(formula), names_take_arguments=names_take_arguments)

    def read(self, description: str, chance: Random) -> Answer:
        if description.startswith(_OPENING):
            return Answer(description.removeprefix(_OPENING).strip())
        return super().read(description, chance)

    def verbalize(self, formula: Sentence, ontology: Ontology, chance: Random) -> str:  # noqa: ARG002
        return self.describe(formula, chance)

    def read_verbal(self, description: str, ontology: Ontology, chance: Random) -> Answer:
        if description.startswith(_OPENING):
            return self.read(description, chance)
        return super().read_verbal(description, ontology, chance)


def _ungrouped(text: str, *, names_take_arguments: bool) -> str:
    """The text without the parentheses that group; those around arguments stay."""
    kept: list[str] = []
    open_groups: list[bool] = []
    for at, sign in enumerate(text):
        if sign == "(":
            open_groups.append(
                not (names_take_arguments and at > 0 and (text[at - 1].isalnum() or text[at - 1] in "_-"))
            )
        grouping = sign in "()" and bool(open_groups) and open_groups[-1]
        if sign == ")" and open_groups:
            open_groups.pop()
        if not grouping:
            kept.append(sign)
    return "".join(kept)


BEHAVIOURS: tuple[Behaviour, ...] = (
    Leak("leak", "copies the formula into its description, without the parentheses, and reads that back"),
)
