"""From a derivation to a formula: its slots are filled with names of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import islice
from typing import Any

from pytest_autoeval.generation.choices import Choices, Chooser
from pytest_autoeval.generation.counting import Derivation
from pytest_autoeval.generation.coverage import ArgumentRules, Event, Missing, Step, Steps
from pytest_autoeval.generation.errors import DrawingError, VocabularyError
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.logic.syntax import Atom, Term

#: The slots whose filling depends on the variables in scope.
_SCOPED = {"ATOM": Event("atom"), "VARIABLE": Event("variable")}
#: The kinds of names of a vocabulary that a slot is filled from; of the first it needs some.
KINDS = {
    "PROPOSITION": ("propositions",),
    "ATOM": ("predicates", "constants"),
    "VARIABLE": ("variables",),
    "CONSTANT": ("constants",),
    "SYMBOL": ("alphabet",),
}


@lru_cache(maxsize=1024)
def _evenly(names: tuple[str, ...]) -> Choices[str]:
    return Choices.evenly(names)


class _ScopedSlots:
    """Fills the slots that depend on the variables in scope, one after another."""

    def __init__(self, step: Step | None, vocabulary: Vocabulary, vacuous: bool) -> None:
        self._step = step
        self._predicates = vocabulary.predicates
        self._vacuous = vacuous
        self._unused = iter(vocabulary.variables)
        # The variables of each group in scope that have not occurred yet, and those that have.
        self._missing: list[list[str]] = []
        self._seen: list[list[str]] = []
        self._lengths: Missing = ()

    def fill(self, choose: Chooser) -> Formula | str:
        """What fills the next slot: an atom, or the name of a variable."""
        while (step := self._step) is not None:
            self._step = step.following
            kind, quantifiers = step.event
            if kind == "atom":
                predicate, arity = self._predicates[choose(step.predicates(self._lengths))]
                return _atom(predicate, *[self._argument(step, left, choose) for left in range(arity, 0, -1)])
            if kind == "variable":
                return self._argument(step, 1, choose)
            if kind == "open":
                self._open(quantifiers)
            else:
                self._close()
        raise AssertionError("a derivation has as many scoped slots as its events tell")

    def _open(self, quantifiers: int) -> None:
        names = list(islice(self._unused, quantifiers))
        self._missing.append([] if self._vacuous else names)
        self._seen.append(names if self._vacuous else [])
        self._lengths = tuple(map(len, self._missing))

    def _close(self) -> None:
        self._missing.pop()
        self._seen.pop()
        self._lengths = self._lengths[:-1]

    def _argument(self, step: Step, left: int, choose: Chooser) -> str:
        chosen = choose(step.arguments(self._lengths, left))
        if isinstance(chosen, str):
            return chosen
        seen, missing = self._seen[chosen.group], self._missing[chosen.group]
        if not chosen.new:
            return seen[0] if len(seen) == 1 else choose(_evenly(tuple(seen)))
        name = missing[0] if len(missing) == 1 else choose(_evenly(tuple(missing)))
        missing.remove(name)
        seen.append(name)
        self._lengths = tuple(map(len, self._missing))
        return name


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
            if not getattr(vocabulary, KINDS[kind][0]):
                raise VocabularyError(f"the grammar needs {KINDS[kind][0]}, but the vocabulary has none")
        if "VARIABLE" in kinds and (shared := set(vocabulary.variables) & vocabulary.names):
            raise VocabularyError(f"{min(shared)!r} is a variable and something else in one vocabulary")
        self._language = language
        self._vocabulary = vocabulary
        self._vacuous = vacuous
        self._has_scopes = bool(kinds & _SCOPED.keys())
        self._alone: dict[str, Choices[Any]] = {
            "PROPOSITION": Choices.evenly(map(self._atomic, vocabulary.propositions if "PROPOSITION" in kinds else ())),
            "SYMBOL": Choices.evenly(map(self._atomic, vocabulary.alphabet if "SYMBOL" in kinds else ())),
            "CONSTANT": Choices.evenly(vocabulary.constants),
        }
        arities = tuple(arity for _, arity in vocabulary.predicates)
        self._steps = Steps(ArgumentRules(arities, vocabulary.constants, variable_probability, vacuous))

    def fill(self, derivation: Derivation, choosers: Iterator[Chooser]) -> Formula:
        """The formula of a derivation with its slots filled, each as its chooser says."""
        scoped = self._scoped(derivation) if self._has_scopes else None
        names = iter(self._vocabulary.variables)
        fillings: list[list[Any]] = []
        for sized in derivation:
            template = sized.template
            values: list[Any] = []
            for kind in template.slots:
                choose = next(choosers)
                values.append(scoped.fill(choose) if scoped and kind in _SCOPED else choose(self._alone[kind]))
            if template.binders:
                values.extend(islice(names, template.binders))
            fillings.append(values)
        built: list[Formula] = []
        for sized, values in zip(reversed(derivation), reversed(fillings), strict=True):
            children = [built.pop() for _ in sized.template.calls]
            built.append(sized.template.build(children + values))
        return built.pop()

    def bounds(self, kind: str) -> tuple[int, ...]:
        """The largest place of each option that a slot of this kind is filled by choosing; for some it takes fewer."""
        if kind not in _SCOPED:
            return (len(self._alone[kind].options) - 1,)
        # A constant, or a variable that has or has not occurred; then which variable.
        argument = (len(self._vocabulary.constants) + 1, len(self._vocabulary.variables) - 1)
        widest = max((arity for _, arity in self._vocabulary.predicates), default=0)
        return argument if kind == "VARIABLE" else (len(self._vocabulary.predicates) - 1, *argument * widest)

    def _scoped(self, derivation: Derivation) -> _ScopedSlots:
        events = _events(derivation)
        if sum(event.quantifiers for event in events) > len(self._vocabulary.variables):
            raise DrawingError(f"the vocabulary has only {len(self._vocabulary.variables)} variables to quantify")
        return _ScopedSlots(self._steps.through(events), self._vocabulary, self._vacuous)

    def _atomic(self, name: str) -> Formula:
        try:
            formula = self._language.parse(name)
        except FormulaSyntaxError as problem:
            raise VocabularyError(f"{name!r} is no name of the language {self._language.name}: {problem}") from None
        if formula.children():
            raise VocabularyError(f"{name!r} is no single name of the language {self._language.name}")
        return formula


@lru_cache(maxsize=4096)
def _atom(predicate: str, *arguments: str) -> Atom:
    return Atom(predicate, tuple(map(Term, arguments)))


@dataclass(slots=True)
class _Frame:
    """A template whose subformulas are being gone through.

    ``only``: it is all that stands in the innermost group of quantifiers, so that quantifiers in it join the group.
    """

    calls_left: int
    closes: bool
    only: bool


@lru_cache(maxsize=1024)
def _slot_events(slots: tuple[str, ...]) -> tuple[Event, ...]:
    return tuple(_SCOPED[kind] for kind in slots if kind in _SCOPED)


def _events(derivation: Derivation) -> list[Event]:
    """Quantifiers and scoped slots in their order; quantifiers of the same scope come as one group."""
    events: list[Event] = []
    frames: list[_Frame] = []
    for sized in derivation:
        template = sized.template
        calls = len(template.calls)
        joins = bool(frames) and frames[-1].only and events[-1].kind == "open"
        opens = bool(template.binders) and not joins
        if opens:
            events.append(Event("open", template.binders))
        elif template.binders:
            events[-1] = Event("open", events[-1].quantifiers + template.binders)
        if template.slots:
            events.extend(_slot_events(template.slots))
        if calls or opens:
            frames.append(_Frame(calls, opens, (joins or opens) and calls == 1))
        elif frames:
            frames[-1].calls_left -= 1
        while frames and frames[-1].calls_left == 0:
            if frames.pop().closes:
                events.append(Event("close"))
            if frames:
                frames[-1].calls_left -= 1
    return events
