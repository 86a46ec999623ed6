"""Fills the slots of a derivation with names of the vocabulary.

Every quantified variable occurs, by exact weights and without rejection. A formula's atoms are visited backwards once,
to compute the weight of all continuations for each number of variables that have not occurred yet. Then each predicate
and each argument is chosen forwards by these weights. The result is the distribution of independent choices, given that
every variable occurs. Variables of directly nested quantifiers have the same scope and are interchangeable, so such a
group is counted, not listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import chain, islice, product
from math import prod
from typing import Any, Literal, NamedTuple

from pytest_autoeval.generation.counting import Choices, Chooser, Derivation
from pytest_autoeval.generation.errors import DrawingError, VocabularyError
from pytest_autoeval.generation.grammar_file import SLOTS
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.logic.syntax import Atom, Term

#: The number of variables that must still occur, for each group of quantifiers in scope, outermost first.
Missing = tuple[int, ...]
Groups = tuple[int, ...]
_MOST_STATES = 20_000


@dataclass(frozen=True, slots=True)
class Argument:
    """A variable of a group of quantifiers (outermost first) that has or has not occurred yet."""

    group: int
    new: bool


class Event(NamedTuple):
    """A step through a formula: a group of quantifiers opens or closes, or an atom or a single variable occurs."""

    kind: Literal["open", "close", "atom", "variable"]
    quantifiers: int = 0


@dataclass(frozen=True, slots=True)
class ArgumentRules:
    """The arity of each predicate of the vocabulary; its constants; how likely variables in scope are."""

    arities: tuple[int, ...]
    constants: tuple[str, ...]
    variable_probability: Fraction
    vacuous: bool


class Step:
    """An event with everything that follows it, and the weight of the continuations by what must still occur."""

    def __init__(self, rules: ArgumentRules, event: Event, groups: Groups, following: Step | None) -> None:
        self.event = event
        self.following = following
        self._groups = groups
        self._rules = rules
        share, in_scope = rules.variable_probability, sum(groups)
        # Every constant is an argument with weight `_constant`, every variable with `_variable`.
        self._constants = rules.constants if event.kind == "atom" else ()
        self._constant = (share.denominator - share.numerator) * in_scope if in_scope else 1
        self._variable = share.numerator * len(self._constants) if self._constants else 1
        self._whole = self._constant * len(self._constants) + self._variable * in_scope
        self.predicates = cache(self._predicates)
        self.arguments = cache(self._arguments)
        self._after = cache(self._weight_after)
        self.weights = {missing: self._weight(missing) for missing in _all_missing(groups)}

    def _weight(self, missing: Missing) -> int:
        match self.event.kind:
            case "atom":
                return sum(self._atom(missing, arity) for arity in self._rules.arities)
            case "variable":
                return self._after(missing, 1)
            case "open":
                return self._next((*missing, 0 if self._rules.vacuous else self.event.quantifiers))
            case "close":
                return 0 if missing[-1] else self._next(missing[:-1])

    def _next(self, missing: Missing) -> int:
        return 1 if self.following is None else self.following.weights[missing]

    def _atom(self, missing: Missing, arity: int) -> int:
        # Weights of fewer arguments are scaled up, so that predicates of different arities can be compared.
        return int(self._whole ** (max(self._rules.arities) - arity)) * self._after(missing, arity)

    def _weight_after(self, missing: Missing, arguments: int) -> int:
        if arguments == 0:
            return self._next(missing)
        constants = len(self._constants) * self._constant * self._after(missing, arguments - 1)
        return constants + sum(weight for _, weight in self._variables(missing, arguments))

    def _variables(self, missing: Missing, arguments: int) -> Iterator[tuple[Argument, int]]:
        """The variables that the next argument can be, with the weights of all continuations."""
        for group, size in enumerate(self._groups):
            if seen := size - missing[group]:
                yield Argument(group, new=False), self._variable * seen * self._after(missing, arguments - 1)
            if missing[group]:
                fewer = (*missing[:group], missing[group] - 1, *missing[group + 1 :])
                yield Argument(group, new=True), self._variable * missing[group] * self._after(fewer, arguments - 1)

    def _predicates(self, missing: Missing) -> Choices[int]:
        return Choices((place, self._atom(missing, arity)) for place, arity in enumerate(self._rules.arities))

    def _arguments(self, missing: Missing, arguments: int) -> Choices[str | Argument]:
        weight = self._constant * self._after(missing, arguments - 1)
        return Choices(chain(((name, weight) for name in self._constants), self._variables(missing, arguments)))


def _all_missing(groups: Groups) -> Iterator[Missing]:
    if prod(size + 1 for size in groups) > _MOST_STATES:
        raise DrawingError(f"{sum(groups)} quantifiers inside each other are too many to draw; allow fewer")
    return product(*(range(size + 1) for size in groups))


#: Slots whose filling depends on the variables in scope.
_SCOPED = {"ATOM": Event("atom"), "VARIABLE": Event("variable")}


class _ScopedSlots:
    """Fills the slots that depend on the variables in scope, in order."""

    def __init__(self, step: Step | None, vocabulary: Vocabulary, vacuous: bool) -> None:
        self._step = step
        self._predicates = vocabulary.predicates
        self._vacuous = vacuous
        self._unused = iter(vocabulary.variables)
        # For each group in scope, the variables that have not occurred yet, and those that have.
        self._missing: list[list[str]] = []
        self._seen: list[list[str]] = []
        self._lengths: Missing = ()

    def fill(self, choose: Chooser) -> Formula | str:
        while (step := self._step) is not None:
            self._step = step.following
            kind, quantifiers = step.event
            if kind == "atom":
                predicate, arity = self._predicates[choose(step.predicates(self._lengths))]
                return _atom(predicate, *[self._argument(step, left, choose) for left in range(arity, 0, -1)])
            if kind == "variable":
                return self._argument(step, 1, choose)
            if kind == "open":
                names = list(islice(self._unused, quantifiers))
                self._missing.append([] if self._vacuous else names)
                self._seen.append(names if self._vacuous else [])
            else:
                self._missing.pop()
                self._seen.pop()
            self._lengths = tuple(map(len, self._missing))
        raise AssertionError("a derivation has as many scoped slots as its events tell")

    def _argument(self, step: Step, left: int, choose: Chooser) -> str:
        chosen = choose(step.arguments(self._lengths, left))
        if isinstance(chosen, str):
            return chosen
        seen, missing = self._seen[chosen.group], self._missing[chosen.group]
        names = missing if chosen.new else seen
        name = names[0] if len(names) == 1 else choose(Choices.evenly(names))
        if not chosen.new:
            return name
        missing.remove(name)
        seen.append(name)
        self._lengths = tuple(map(len, self._missing))
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
        needed = kinds | {"CONSTANT"} if "ATOM" in kinds else kinds
        for kind in sorted(needed):
            if not getattr(vocabulary, SLOTS[kind][0]):
                raise VocabularyError(f"vocabulary: the grammar needs {SLOTS[kind][0]}; give some names")
        self._language = language
        self._vocabulary = vocabulary
        self._vacuous = vacuous
        self._has_scopes = bool(kinds & _SCOPED.keys())
        if "ATOM" in kinds:
            self._check_atoms()
        self._alone: dict[str, Choices[Any]] = {
            "PROPOSITION": Choices.evenly(map(self._atomic, vocabulary.propositions if "PROPOSITION" in kinds else ())),
            "SYMBOL": Choices.evenly(map(self._atomic, vocabulary.alphabet if "SYMBOL" in kinds else ())),
            "CONSTANT": Choices.evenly(vocabulary.constants),
        }
        arities = tuple(arity for _, arity in vocabulary.predicates)
        rules = ArgumentRules(arities, vocabulary.constants, variable_probability, vacuous)
        # Formulas with the same ending share their steps and weights.
        self._step = lru_cache(maxsize=50_000)(partial(Step, rules))

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
                values.append(scoped.fill(choose) if scoped and kind in _SCOPED else choose(self._alone[kind]))
            if template.binder_count:
                values.extend(islice(names, template.binder_count))
            fillings.append(values)
        built: list[Formula] = []
        for sized, values in zip(reversed(derivation), reversed(fillings), strict=True):
            children = [built.pop() for _ in sized.template.calls]
            built.append(sized.template.build(children + values))
        return built.pop()

    def bounds(self, kind: str) -> tuple[int, ...]:
        """The largest index of each choice that fills a slot of this kind; some fillings use fewer choices."""
        if kind not in _SCOPED:
            return (len(self._alone[kind].options) - 1,)
        # A constant, a new variable or a used one; then which variable.
        argument = (len(self._vocabulary.constants) + 1, len(self._vocabulary.variables) - 1)
        widest = max((arity for _, arity in self._vocabulary.predicates), default=0)
        return argument if kind == "VARIABLE" else (len(self._vocabulary.predicates) - 1, *argument * widest)

    def _scoped(self, derivation: Derivation) -> _ScopedSlots:
        events = _events(derivation)
        groups: list[Groups] = [()]
        for kind, quantifiers in events:
            inner = (*groups[-1], quantifiers) if kind == "open" else groups[-1]
            groups.append(inner[:-1] if kind == "close" else inner)
        step: Step | None = None
        for event, around in zip(reversed(events), reversed(groups[:-1]), strict=True):
            step = self._step(event, around, step)
        return _ScopedSlots(step, self._vocabulary, self._vacuous)

    def _check_atoms(self) -> None:
        """Refuses predicates and arguments that the language cannot parse again."""
        (predicate, _), constant = self._vocabulary.predicates[0], self._vocabulary.constants[0]
        atoms = [_atom(name, *[constant] * arity) for name, arity in self._vocabulary.predicates]
        atoms += [_atom(predicate, name) for name in (*self._vocabulary.constants, *self._vocabulary.variables)]
        for atom in atoms:
            if (parsed := self._parsed(str(atom))) != atom:
                raise self._unread(str(atom), f"it is {parsed}")

    def _atomic(self, name: str) -> Formula:
        formula = self._parsed(name)
        known = self._language.symbols(formula)
        if formula.children() or {name} not in (known.names, {*known.alphabet}):
            raise self._unread(name, f"it is the formula {formula}")
        return formula

    def _parsed(self, text: str) -> Formula:
        try:
            return self._language.parse_part(text)
        except FormulaSyntaxError as problem:
            raise self._unread(text, problem.problem) from None

    def _unread(self, text: str, reason: str) -> VocabularyError:
        problem = f"the language {self._language.name} cannot read {text!r} as a name"
        return VocabularyError(f"vocabulary: {problem}: {reason}")


@lru_cache(maxsize=4096)
def _atom(predicate: str, *arguments: str) -> Atom:
    return Atom(predicate, tuple(map(Term, arguments)))


@dataclass(slots=True)
class _Frame:
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
