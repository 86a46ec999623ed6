"""From a derivation to a formula: its slots are filled with names of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pytest_autoeval.generation.choices import Choices, Chooser
from pytest_autoeval.generation.counting import Derivation
from pytest_autoeval.generation.coverage import ArgumentRules, Event, Step, Steps
from pytest_autoeval.generation.errors import DrawingError, VocabularyError
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.logic.syntax import Atom, Term

#: The slots whose filling depends on the variables in scope.
_SCOPED = {"ATOM": Event("atom"), "VARIABLE": Event("variable")}
_FIELDS = {
    "PROPOSITION": "propositions",
    "ATOM": "predicates",
    "VARIABLE": "variables",
    "CONSTANT": "constants",
    "SYMBOL": "alphabet",
}


@dataclass(slots=True)
class _Group:
    """Variables in scope that are interchangeable, by whether they have occurred yet."""

    missing: list[str]
    seen: list[str]


class SlotFiller:
    """Fills the slots of derivations from a vocabulary. Raises :class:`VocabularyError` if it lacks what they need."""

    def __init__(
        self,
        language: Language,
        vocabulary: Vocabulary,
        kinds: frozenset[str],
        variable_probability: Fraction,
        vacuous: bool,
    ) -> None:
        needed = kinds | {"CONSTANT"} if "ATOM" in kinds else kinds
        for kind in sorted(needed):
            if not getattr(vocabulary, _FIELDS[kind]):
                raise VocabularyError(f"the grammar needs {_FIELDS[kind]}, but the vocabulary has none")
        if "VARIABLE" in kinds and (shared := set(vocabulary.variables) & vocabulary.names):
            raise VocabularyError(f"{min(shared)!r} is a variable and something else in one vocabulary")
        self._language = language
        self._vocabulary = vocabulary
        self._vacuous = vacuous
        self._constants = Choices.evenly(vocabulary.constants)
        self._alone: dict[str, Choices[Any]] = {
            "PROPOSITION": Choices.evenly(map(self._atomic, vocabulary.propositions if "PROPOSITION" in kinds else ())),
            "SYMBOL": Choices.evenly(map(self._atomic, vocabulary.alphabet if "SYMBOL" in kinds else ())),
            "CONSTANT": self._constants,
        }
        arities = tuple(arity for _, arity in vocabulary.predicates)
        self._steps = Steps(ArgumentRules(arities, variable_probability, vacuous))

    def fill(self, derivation: Derivation, choose: Chooser) -> Formula:
        """The formula of a derivation with its slots filled as ``choose`` says."""
        events = _events(derivation)
        quantifiers = sum(event.quantifiers for event in events if event.kind == "open")
        if quantifiers > len(self._vocabulary.variables):
            raise DrawingError(f"{quantifiers} quantifiers need as many variables; the vocabulary has fewer")
        scoped = self._scoped(self._steps.through(events), choose)
        names = iter(self._vocabulary.variables)
        fillings = []
        for sized in derivation:
            template = sized.template
            values = [next(scoped) if kind in _SCOPED else choose(self._alone[kind]) for kind in template.slots]
            fillings.append([*values, *(next(names) for _ in range(template.binders))])
        built: list[Formula] = []
        for sized, filling in zip(reversed(derivation), reversed(fillings), strict=True):
            children = [built.pop() for _ in sized.template.calls]
            built.append(sized.template.build(children + filling))
        return built.pop()

    def _scoped(self, step: Step | None, choose: Chooser) -> Iterator[Formula | str]:
        """What fills the slots that depend on the variables in scope, in their order."""
        groups: list[_Group] = []
        unused = iter(self._vocabulary.variables)
        while step is not None:
            match step.event.kind:
                case "open":
                    names = [next(unused) for _ in range(step.event.quantifiers)]
                    groups.append(_Group([], names) if self._vacuous else _Group(names, []))
                case "close":
                    groups.pop()
                case "variable":
                    yield self._argument(step, 1, groups, choose)
                case "atom":
                    place = choose(step.predicates(_missing(groups)))
                    predicate, arity = self._vocabulary.predicates[place]
                    arguments = (self._argument(step, left, groups, choose) for left in range(arity, 0, -1))
                    yield Atom(predicate, tuple(map(Term, arguments)))
            step = step.following

    def _argument(self, step: Step, left: int, groups: list[_Group], choose: Chooser) -> str:
        chosen = choose(step.arguments(_missing(groups), left))
        if chosen.group is None:
            return choose(self._constants)
        group = groups[chosen.group]
        if not chosen.new:
            return choose(Choices.evenly(group.seen))
        name = choose(Choices.evenly(group.missing))
        group.missing.remove(name)
        group.seen.append(name)
        return name

    def _atomic(self, name: str) -> Formula:
        try:
            formula = self._language.parse(name)
        except FormulaSyntaxError as problem:
            raise VocabularyError(f"{name!r} is no name of the language {self._language.name}: {problem}") from None
        if formula.children():
            raise VocabularyError(f"{name!r} is no single name of the language {self._language.name}")
        return formula


def _missing(groups: list[_Group]) -> tuple[int, ...]:
    return tuple(len(group.missing) for group in groups)


@dataclass(slots=True)
class _Frame:
    """A template whose subformulas are being gone through.

    ``only``: it is all that stands in the innermost group of quantifiers, so that quantifiers in it join the group.
    """

    calls_left: int
    closes: bool
    only: bool


def _events(derivation: Derivation) -> list[Event]:
    """Quantifiers and scoped slots in their order; quantifiers of the same scope come as one group."""
    events: list[Event] = []
    frames: list[_Frame] = []
    for sized in derivation:
        template = sized.template
        joins = bool(frames) and frames[-1].only and events[-1].kind == "open"
        opens = bool(template.binders) and not joins
        if opens:
            events.append(Event("open", template.binders))
        elif template.binders:
            events[-1] = Event("open", events[-1].quantifiers + template.binders)
        events.extend(_SCOPED[kind] for kind in template.slots if kind in _SCOPED)
        frames.append(_Frame(len(template.calls), opens, (joins or opens) and len(template.calls) == 1))
        while frames and frames[-1].calls_left == 0:
            if frames.pop().closes:
                events.append(Event("close"))
            if frames:
                frames[-1].calls_left -= 1
    return events
