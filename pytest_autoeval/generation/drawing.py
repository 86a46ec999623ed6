"""Draws formulas from a grammar: one formula of a size, or a stream of distinct ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from pytest_autoeval.generation.counting import (
    Chance,
    Choices,
    Chooser,
    DerivationCounts,
    QuantifierRules,
    State,
    outcomes,
)
from pytest_autoeval.generation.drawing_errors import DrawingError, VocabularyError
from pytest_autoeval.generation.grammar_text import names_for
from pytest_autoeval.generation.grammars import find_grammar, load_grammar
from pytest_autoeval.generation.measure_bounds import MeasureBounds, MeasureFilter, bounds_of
from pytest_autoeval.generation.slots import SlotFiller
from pytest_autoeval.generation.template_sizes import SizedGrammar
from pytest_autoeval.generation.templates import own_names
from pytest_autoeval.generation.vocabularies import Names, given_vocabulary
from pytest_autoeval.languages import Formula, Language, Vocabulary
from pytest_autoeval.languages import language as language_named
from pytest_autoeval.languages.contract import trivial_kind

#: A space with at most this number of ways to draw a formula is listed when most of it has been drawn.
_MOST_LISTED = 20_000
#: A space that is too large to be listed ends when so many draws in a row are repeats.
_MOST_REPEATS_IN_A_ROW = 2_000
#: When so many excluded formulas come in a row, the space is listed if it is small.
_MOST_EXCLUDED_IN_A_ROW = 500
#: Formulas within the bounds of measures are too rare to draw if so many others come in a row.
MOST_OUTSIDE_IN_A_ROW = 1_000


class DrawingOptions(Struct, frozen=True):
    """How slots are filled and which formulas are left out; see :func:`pytest_autoeval.autoeval`.

    ``exclude`` names the kinds of trivial formulas to leave out; None means all kinds of the language. ``measures``
    has the bounds of measures by name; afterwards it is a tuple of :class:`MeasureBounds`.
    """

    quantifiers: tuple[int, int] | int = (0, 4)
    variable_probability: float = 0.25
    vacuous_quantifiers: bool = False
    exclude: Collection[str] | None = ()
    measures: Mapping[str, Any] | tuple[MeasureBounds, ...] = ()

    def __post_init__(self) -> None:
        quantifiers = self.quantifiers
        span = (quantifiers, quantifiers) if isinstance(quantifiers, int) else tuple(quantifiers)
        if len(span) != 2 or not 0 <= span[0] <= span[1]:
            raise DrawingError(
                f"quantifiers={quantifiers!r}: give a number, or the smallest and the largest"
            )
        if not 0 <= self.variable_probability <= 1:
            raise DrawingError(
                f"variable_probability={self.variable_probability!r}: give a share from 0 to 1"
            )
        # In one form, and hashable: options are part of the key under which a space is kept.
        if self.exclude is not None:
            kinds = (self.exclude,) if isinstance(self.exclude, str) else self.exclude
            structs.force_setattr(self, "exclude", frozenset(kinds))
        structs.force_setattr(self, "quantifiers", span)
        structs.force_setattr(self, "measures", bounds_of(self.measures))


class FormulaSpace:
    """Everything that can be drawn from a grammar with a vocabulary; thread-safe."""

    def __init__(  # noqa: PLR0913, PLR0917 - each is one thing that decides what can be drawn
        self,
        name: str,
        grammar: SizedGrammar,
        language: Language,
        vocabulary: Vocabulary,
        vocabulary_name: str,
        options: DrawingOptions,
    ) -> None:
        self.name = name
        self.language = language
        self.vocabulary_name = vocabulary_name
        slots = grammar.slots
        self.quantifiers: tuple[int, int] = options.quantifiers if "VARIABLE" in slots else (0, 0)  # type: ignore[assignment]
        # By the text, 0.1 is the fraction 1/10. The float itself has a denominator of 2⁵⁵, and so would all weights.
        probability = Fraction(str(options.variable_probability))
        widest = max((arity for _, arity in vocabulary.predicates), default=0)
        atom_places = widest if probability else 0
        rules = QuantifierRules(self.quantifiers[1], atom_places, options.vacuous_quantifiers)
        self.counts = DerivationCounts(grammar, rules)
        #: The names that an answer may use: of the kinds in the grammar's slots, and those in the grammar itself.
        self.vocabulary = vocabulary.only(_kinds(slots))
        for sized in chain.from_iterable(grammar.rules.values()):
            self.vocabulary = self.vocabulary.including(own_names(sized.template, language))
        self.filler = SlotFiller(
            language, vocabulary, slots, probability, options.vacuous_quantifiers
        )
        needed = self.quantifiers[1]
        available = len(vocabulary.variables)
        if needed > available:
            problem = (
                f"formulas of up to {needed} quantifiers need {needed} variables, not {available}"
            )
            raise VocabularyError(
                f"vocabulary: {problem}; give more or none, or set quantifiers=(0, {available})"
            )
        #: The kinds of trivial formulas that are left out.
        self.excluded = _excluded_kinds(language, options.exclude)
        #: What the measures of a formula must be, besides its size.
        templates = (sized.template.tree for sized in chain.from_iterable(grammar.rules.values()))
        self.measured = MeasureFilter(templates, language, bounds_of(options.measures))
        self._starts = cache(self._start_choices)
        self._grammar = grammar

    def __contains__(self, size: int) -> bool:
        """Whether there are formulas of this size."""
        return size >= 0 and bool(self._starts(size).options)

    def derivations(self, size: int) -> int:
        """The number of derivations of a size, before their slots are filled."""
        return sum(self.states(size).values())

    def draw(self, size: int, choose: Chooser) -> Formula:
        """A formula of exactly this size; uniform over derivations if ``choose`` follows the weights."""
        # Numbers of quantifiers are equally likely, although most derivations have many.
        state = choose(choose(self._starts(size)))
        return self.filler.fill(self.counts.derivation(size, state, choose), repeat(choose))

    def leaves_out(self, formula: Formula) -> bool:
        """Whether the options leave the formula out, because of its measures or of its meaning."""
        return formula not in self.measured or self.is_excluded(formula)

    def is_excluded(self, formula: Formula) -> bool:
        """Whether the options exclude the formula because of its meaning."""
        if not self.excluded:
            return False
        return (
            trivial_kind(formula, self.language, self.vocabulary.alphabet, briefly=True)
            in self.excluded
        )

    def distinct(self, size: int, seed: int) -> DistinctFormulas:
        """The stream of distinct formulas of a size. It depends only on grammar, vocabulary, options, size and seed."""
        return DistinctFormulas(self, size, seed)

    def check(self, formula: Formula, size: int) -> None:
        """Raises an error if the sizes of the productions do not add up to the language's measure."""
        measured = self.language.measure(formula)[self.language.size_measure]
        if measured == size:
            return
        path = self._grammar.grammar.source.path
        text = self.language.format(formula)
        hint = "write each rule as one part of the formula, in parentheses if necessary"
        raise DrawingError(
            f"{path}: {text!r} was drawn with size {size}, but measures {measured}; {hint}"
        )

    def states(self, size: int) -> dict[State, int]:
        """The number of allowed derivations of a size, by state."""
        lowest, highest = self.quantifiers
        counted = self.counts.states(size)
        return {
            state: number
            for state, number in counted.items()
            if lowest <= state.scope.quantifiers <= highest
        }

    def _start_choices(self, size: int) -> Choices[Choices[State]]:
        """The states of formulas of a size, by their number of quantifiers."""
        weighted_states: dict[int, list[tuple[State, int]]] = {}
        for state, number in self.states(size).items():
            weighted_states.setdefault(state.scope.quantifiers, []).append((state, number))
        # Sorted, so that equal seeds draw equal formulas whatever the order of counting.
        ordered = sorted(weighted_states.items())
        return Choices.evenly(Choices(states) for _, states in ordered)


class DistinctFormulas(Iterator[Formula]):
    """Distinct formulas in the order of drawing. Asking for more never changes the earlier ones.

    When two of three draws are repeats and the space is small, its rest is listed and drawn without replacement, which
    gives the same distribution. ``complete`` says at the end whether these are all formulas, and ``too_rare`` whether
    formulas within the bounds of measures are too rare to draw more of them.
    """

    def __init__(self, space: FormulaSpace, size: int, seed: int) -> None:
        self.complete = self.too_rare = False
        self._space = space
        self._size = size
        self._chance = Chance("formulas", space.name, size, seed)
        self._seen: set[Formula] = set()
        self._stream = self._all()

    def __next__(self) -> Formula:
        return next(self._stream)

    def _all(self) -> Iterator[Formula]:
        if self._size not in self._space:
            self.complete = True
            return
        yield from self._drawn()
        if self.too_rare:
            return
        # Drawing on would find the few that are missing only after many repeats.
        listed = self._listed()
        if listed is None:
            yield from self._drawn(patient=True)
            return
        for formula in self._chance.without_replacement(listed):
            if not self._space.leaves_out(formula):
                yield formula
        self.complete = True

    def _drawn(self, *, patient: bool = False) -> Iterator[Formula]:
        """The formulas that are drawn, until most draws are repeats; if ``patient``, until many in a row are."""
        repeats = repeats_in_a_row = excluded = outside = 0
        while (
            repeats_in_a_row < _MOST_REPEATS_IN_A_ROW
            if patient
            else repeats <= 2 * len(self._seen) + 100
        ):
            formula = self._space.draw(self._size, self._chance)
            if formula in self._seen:
                repeats += 1
                repeats_in_a_row += 1
                continue
            # The first formula shows a grammar whose sizes do not add up.
            if not self._seen:
                self._space.check(formula, self._size)
            self._seen.add(formula)
            repeats_in_a_row = 0
            if formula not in self._space.measured:
                outside += 1
                if outside == MOST_OUTSIDE_IN_A_ROW:
                    self.too_rare = True
                    return
                continue
            outside = 0
            if self._space.is_excluded(formula):
                excluded += 1
                if excluded == _MOST_EXCLUDED_IN_A_ROW:
                    return
            else:
                excluded = 0
                yield formula

    def _listed(self) -> list[tuple[Formula, int]] | None:
        """What has not been drawn yet, with weights; None if it is too much."""
        if self._space.derivations(self._size) > _MOST_LISTED:
            return None
        ways = outcomes(lambda choose: self._space.draw(self._size, choose))
        weights: dict[Formula, Fraction] = {}
        for formula, probability in islice(ways, _MOST_LISTED):
            # Several derivations may give one formula, whose probabilities then add up.
            if formula not in self._seen:
                weights[formula] = weights.get(formula, Fraction(0)) + probability
        if next(ways, None) is not None:
            return None
        # As integers, which choices need. A formula that is almost never drawn must not get weight 0.
        return [(formula, max(int(weight * 2**128), 1)) for formula, weight in weights.items()]


def formula_space(
    grammar: str | Path,
    vocabulary: Vocabulary | Names | None = None,
    language: str | None = None,
    options: DrawingOptions | None = None,
) -> FormulaSpace:
    """What can be drawn from a grammar (a name or path) with a vocabulary, by default that of the grammar.

    Raises :class:`UnknownGrammarError`, :class:`GrammarError`, :class:`VocabularyError`.
    """
    source = find_grammar(grammar)
    sized, grammar_language = load_grammar(source, language)
    if vocabulary is None:
        vocabulary = source.vocabulary
    if vocabulary is None:
        vocabulary = "default"
    names, vocabulary_name = given_vocabulary(vocabulary, _kinds(sized.slots))
    return _space(
        source.name, sized, grammar_language, names, vocabulary_name, options or DrawingOptions()
    )


_space = lru_cache(maxsize=64)(FormulaSpace)


def _kinds(slots: Collection[str]) -> frozenset[str]:
    return frozenset(kind for slot in slots for kind in names_for(slot))


def _excluded_kinds(language: Language, kinds: Collection[str] | None) -> frozenset[str]:
    """The kinds of trivial formulas with these names. Raises :class:`DrawingError` for an unknown name."""
    trivial = language.trivial()
    if kinds is None:
        return frozenset(trivial)
    unknown = sorted(set(kinds) - trivial.keys())
    if unknown:
        names = ", ".join(trivial) or "none"
        raise DrawingError(
            f"{unknown[0]!r} cannot be excluded from the language {language.name}; known are: {names}"
        )
    return frozenset(kinds)


def prevalence(formulas: Iterable[Formula], language: Language | str) -> dict[str, float]:
    """The share of each trivial meaning among formulas, from 0 to 1, by the language's decision procedure.

    ``undecided`` is the share of formulas on which it gave up. A regular expression is universal if it matches
    everything over all symbols of the formulas.
    """
    if isinstance(language, str):
        language = language_named(language)
    formulas = list(formulas)
    symbols: set[str] = set()
    for formula in formulas:
        symbols.update(language.symbols(formula).alphabet)
    alphabet = tuple(sorted(symbols))
    numbers = dict.fromkeys([*language.trivial(alphabet), "undecided"], 0)
    for formula in formulas:
        kind = trivial_kind(formula, language, alphabet)
        if kind:
            numbers[kind] += 1
    return {kind: number / max(len(formulas), 1) for kind, number in numbers.items()}
