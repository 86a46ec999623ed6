"""Fills the slots of a derivation with names of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice
from typing import Any

from msgspec import Struct

from pytest_autoeval.generation.atom_arguments import (
    FIRST_SORT,
    UNSORTED,
    ArgumentRules,
    Event,
    Groups,
    Scope,
    Sorts,
    Step,
    constants_of,
    used,
)
from pytest_autoeval.generation.counting import Choices, Chooser, Derivation
from pytest_autoeval.generation.drawing_errors import VocabularyError
from pytest_autoeval.generation.grammar_text import SLOTS, names_for, sort_of
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.logic.syntax import Atom, Term

#: Slots whose filling depends on the variables in scope.
_SCOPED = {"ATOM": Event("atom"), "VARIABLE": Event("variable")}


class _ScopedSlots:
    """Fills the slots that depend on the variables in scope, in order."""

    def __init__(self, step: Step | None, vocabulary: Vocabulary, rules: ArgumentRules) -> None:
        self._step = step
        self._predicates = vocabulary.predicates
        self._rules = rules
        self._unopened = iter(vocabulary.variables)
        # For each group in scope, the variables by their use.
        self._names: list[tuple[list[str], ...]] = []
        self._scope: Scope = ()

    def fill(self, choose: Chooser) -> Formula | str:
        while (step := self._step) is not None:
            self._step = step.following
            kind, quantifiers = step.event
            if kind == "atom":
                index = choose(step.predicates(self._scope))
                sorts = self._rules.predicates[index]
                # Each argument is chosen by the weight of the later ones.
                arguments = [
                    self._argument(step, sorts[position:], choose) for position in range(len(sorts))
                ]
                return _atom(self._predicates[index][0], *arguments)
            if kind == "variable":
                return self._argument(step, (UNSORTED,), choose)
            if kind == "open":
                opened = self._rules.open_group(quantifiers)
                self._scope = (*self._scope, opened)
                self._names.append(tuple(list(islice(self._unopened, number)) for number in opened))
            else:
                self._scope = self._scope[:-1]
                self._names.pop()
        raise AssertionError("a derivation has as many scoped slots as its events tell")

    def _argument(self, step: Step, sorts: Sorts, choose: Chooser) -> str:
        """The first of the arguments with these sorts."""
        chosen = choose(step.arguments(self._scope, sorts))
        if isinstance(chosen, str):
            return chosen
        names = self._names[chosen.group]
        possible = names[chosen.before]
        # Variables of one group and one use are interchangeable.
        name = possible[0] if len(possible) == 1 else choose(Choices.evenly(possible))
        if chosen.before != chosen.after:
            possible.remove(name)
            names[chosen.after].append(name)
            self._scope = used(self._scope, chosen)
        return name


class SlotFiller:
    """Fills the slots of derivations from a vocabulary. Raises :class:`VocabularyError` if it lacks names."""

    def __init__(
        self,
        language: Language,
        vocabulary: Vocabulary,
        kinds: frozenset[str],
        variable_probability: Fraction,
        vacuous: bool,
    ) -> None:
        # Atoms need constants where no variable is in scope.
        needed = kinds | {"CONSTANT"} if "ATOM" in kinds else kinds
        for kind in sorted(needed):
            required, *_ = names_for(kind)
            if not getattr(vocabulary, required):
                raise VocabularyError(f"vocabulary: the grammar needs {required}; give some names")
        self._language = language
        self._vocabulary = vocabulary
        self._has_scopes = bool(kinds & _SCOPED.keys())
        if "ATOM" in kinds:
            self._check_atoms()
        # Only what the grammar needs is parsed: other names need not be formulas of its language.
        propositions = vocabulary.propositions if "PROPOSITION" in kinds else ()
        symbols = vocabulary.alphabet if "SYMBOL" in kinds else ()
        self._alone: dict[str, Choices[Any]] = {
            "PROPOSITION": Choices.evenly(map(self._atomic, propositions)),
            "SYMBOL": Choices.evenly(map(self._atomic, symbols)),
            "CONSTANT": Choices.evenly(vocabulary.constants),
        }
        for kind in kinds - SLOTS.keys():
            self._alone[kind] = Choices.evenly(constants_of(vocabulary, sort_of(kind)))
        names = vocabulary if "ATOM" in kinds else replace(vocabulary, predicates=())
        self._rules = ArgumentRules.of(names, variable_probability, vacuous=vacuous)
        # Many formulas have the same leaves, and the same operators over leaves: these are one object.
        self._small = lru_cache(maxsize=4096)(lambda template, *values: template.build(values))
        # Formulas with the same ending share their steps and weights.
        self._step = lru_cache(maxsize=50_000)(partial(Step, self._rules))

    def fill(self, derivation: Derivation, choosers: Iterator[Chooser]) -> Formula:
        """The formula of a derivation with each slot filled by its chooser."""
        scoped = self._scoped(derivation) if self._has_scopes else None
        names = iter(self._vocabulary.variables)
        fillings: list[list[Any]] = []
        for sized in derivation:
            template = sized.template
            values: list[Any] = []
            for kind in template.slots:
                choose = next(choosers)
                values.append(
                    scoped.fill(choose) if scoped and kind in _SCOPED else choose(self._alone[kind])
                )
            if template.binder_count:
                values.extend(islice(names, template.binder_count))
            fillings.append(values)
        # Backwards, so that the children of each template are built before it.
        built: list[Formula] = []
        leaves_in_a_row = 0
        for sized, values in zip(reversed(derivation), reversed(fillings), strict=True):
            template = sized.template
            number = len(template.calls)
            children = [built.pop() for _ in template.calls]
            # What follows a template are its children, if all of that are leaves.
            is_small = number <= leaves_in_a_row
            leaves_in_a_row = 0 if number else leaves_in_a_row + 1
            if is_small:
                built.append(self._small(template, *children, *values))
            else:
                built.append(template.build(children + values))
        return built.pop()

    def bounds(self, kind: str) -> tuple[int, ...]:
        """The largest index of each choice that fills a slot of this kind; some fillings use fewer choices."""
        if kind not in _SCOPED:
            return (len(self._alone[kind].options) - 1,)
        vocabulary = self._vocabulary
        # A constant, a new variable or a used one (of the sort, or of none yet); then which variable.
        uses = min(len(self._rules.constants), FIRST_SORT + 1)
        last_argument = len(vocabulary.constants) + uses - 1
        argument = (last_argument, len(vocabulary.variables) - 1)
        if kind == "VARIABLE":
            return argument
        widest = max((arity for _, arity in vocabulary.predicates), default=0)
        return (len(vocabulary.predicates) - 1, *argument * widest)

    def _scoped(self, derivation: Derivation) -> _ScopedSlots:
        events = _events(derivation)
        # The sizes of the groups of quantifiers around each event.
        groups_around: list[Groups] = []
        groups: Groups = ()
        for kind, quantifiers in events:
            groups_around.append(groups)
            if kind == "open":
                groups = (*groups, quantifiers)
            elif kind == "close":
                groups = groups[:-1]
        # Backwards: the weights of a step need those of the step that follows.
        step: Step | None = None
        for event, around in zip(reversed(events), reversed(groups_around), strict=True):
            step = self._step(event, around, step)
        return _ScopedSlots(step, self._vocabulary, self._rules)

    def _check_atoms(self) -> None:
        """Refuses predicates and arguments that the language cannot parse again."""
        predicate, _ = self._vocabulary.predicates[0]
        constant = self._vocabulary.constants[0]
        atoms = [_atom(name, *[constant] * arity) for name, arity in self._vocabulary.predicates]
        arguments = (*self._vocabulary.constants, *self._vocabulary.variables)
        atoms += [_atom(predicate, name) for name in arguments]
        for atom in atoms:
            parsed = self._parsed(str(atom))
            if parsed != atom:
                raise self._unread(str(atom), f"it is {parsed}")

    def _atomic(self, name: str) -> Formula:
        """The formula that consists of a name."""
        formula = self._parsed(name)
        symbols = self._language.symbols(formula)
        is_the_name = {name} in (symbols.names, {*symbols.alphabet})
        if formula.children() or not is_the_name:
            raise self._unread(name, f"it is the formula {formula}")
        return formula

    def _parsed(self, text: str) -> Formula:
        try:
            return self._language.parse_part(text)
        except FormulaSyntaxError as problem:
            # A name that was read to its end, without an end of the formula, is an operator.
            is_operator = problem.problem == "the text ends too early"
            raise self._unread(
                text, "it is an operator" if is_operator else problem.problem
            ) from None

    def _unread(self, text: str, reason: str) -> VocabularyError:
        problem = f"the language {self._language.name} cannot read {text!r} as a name"
        return VocabularyError(f"vocabulary: {problem}: {reason}")


# Equal atoms of many formulas are one object.
@lru_cache(maxsize=4096)
def _atom(predicate: str, *arguments: str) -> Atom:
    return Atom(predicate, tuple(map(Term, arguments)))


class _Frame(Struct):
    """A template whose subformulas are being visited.

    ``only``: nothing else stands in the innermost group of quantifiers, so that quantifiers in it join the group.
    """

    calls_left: int
    closes: bool
    only: bool


def _events(derivation: Derivation) -> list[Event]:
    """Quantifiers and scoped slots in order; quantifiers of the same scope are one group."""
    events: list[Event] = []
    frames: list[_Frame] = []
    for sized in derivation:
        template = sized.template
        calls = len(template.calls)
        joins = bool(frames) and frames[-1].only and events[-1].kind == "open"
        opens = bool(template.binder_count) and not joins
        if opens:
            events.append(Event("open", template.binder_count))
        elif template.binder_count:
            events[-1] = Event("open", events[-1].quantifiers + template.binder_count)
        events += (_SCOPED[kind] for kind in template.slots if kind in _SCOPED)
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
