"""Pairs of formulas to judge: round trips of a run, a user's own rows, and drawn pairs.

The decision procedure alone decides whether two formulas mean the same. A drawn formula gets two partners:
a rewriting by laws, and a rewriting with one change. Both have the same size and similar texts, so neither length nor
similarity shows which is which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.columns import (
    Cells,
    Columns,
    DistinctRows,
    RawRow,
    RowError,
    language_called,
    verdict_on,
)
from pytest_autoeval.datasets.data_set import DrawnDataSet, Entry, WrittenDataSet, useful
from pytest_autoeval.datasets.file_language import common_of
from pytest_autoeval.datasets.table_files import FileRows, cached_while_unchanged, read_each_row
from pytest_autoeval.generation.counting import Chance, Choices
from pytest_autoeval.generation.drawing import DrawingOptions, formula_space
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import (
    Formula,
    FormulaSyntaxError,
    Language,
    Vocabulary,
    language,
    language_names,
)
from pytest_autoeval.languages.base import VerdictOutcome, places, replaced_at
from pytest_autoeval.languages.contract import trivial_kind
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.record.witness_words import FIRST_AND_SECOND, with_sides

#: The languages of the grammars whose formulas are judged in pairs; and what precedes a grammar in a data set's name.
_LANGUAGES = {
    "propositional": "propositional",
    "ksat": "propositional",
    "first_order": "first_order",
    "regex": "regex",
    "ltl": "ltl",
    "past_ltl": "ltl",
}
#: The names of these data sets begin so; the rest is the name of the grammar.
_PREFIX = "judge_"
#: Whether the two formulas of a results row are equivalent, by its outcome; other outcomes do not say.
_RECORDED = {VerdictOutcome.EQUIVALENT: True, VerdictOutcome.DIFFERENT: False}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two formulas of a language, their origin, and whether they mean the same.

    ``grammar`` is that of their data set, ``kind`` is ``round trip`` or ``own``; ``origin`` has id, group and source.
    """

    source: str
    language: str
    grammar: str
    first: Formula
    second: Formula
    kind: str
    same: bool
    id: str | None = None
    origin: Mapping[str, str] = field(default_factory=dict, hash=False)


@cached_while_unchanged
def read_pairs(files: Sequence[Path], columns: Columns = ()) -> FileRows[Pair]:
    """The pairs of files, each once; a wrong claim of a row is a problem. Raises :class:`DataSetError`."""
    distinct: DistinctRows[Pair] = DistinctRows()

    def take(file: Path, raw: RawRow) -> None:
        if raw.problem:
            raise RowError(raw.problem)
        source = f"{file.name}:{raw.place}"
        pairs: list[Pair] = []
        problems: list[str] = []
        if raw.kind == "round trip":
            pairs += filter(None, [_round_trip_pair(raw.values, source)])
        elif raw.kind == "pair":
            pairs, problems = _user_pairs(raw, source)
        for pair in pairs:
            question = pair.language, pair.first, pair.second
            earlier = distinct.rows.get(question)
            # A round trip may come again: several models or repeats of a run give one answer.
            if earlier is None or "own" in (pair.kind, earlier.kind):
                distinct.add(pair, question)
        if problems:
            raise RowError(*problems)

    problems = read_each_row(files, take, columns)
    return FileRows(tuple(distinct.rows.values()), problems)


def written_set(name: str, read: FileRows[Pair]) -> WrittenDataSet:
    """The data set of those pairs that are of its grammar."""
    grammar = name.removeprefix(_PREFIX)
    pairs = (pair for pair in read.rows if pair.grammar == grammar)
    return WrittenDataSet(name, _LANGUAGES[grammar], map(_entry, pairs), read.problems)


def _entry(pair: Pair) -> Entry:
    lang = language(pair.language)
    facts = {
        "other": lang.format(pair.second),
        "expected": pair.same,
        "pair": pair.kind,
        **pair.origin,
    }
    return Entry(pair.first, facts, lang.symbols(pair.first).including(lang.symbols(pair.second)))


def _round_trip_pair(values: Mapping[str, Any], source: str) -> Pair | None:
    claimed = _RECORDED.get(values["outcome"])
    name = values["language"]
    texts = values["formula"], values["translation"]
    if (
        claimed is None
        or name not in language_names()
        or not all(isinstance(text, str) for text in texts)
    ):
        return None
    if values.get("alignment") is not None:
        # The translation has names of its own: the outcome is not about these two texts.
        return None
    formula, translation = (
        _formula(name, values[column], column) for column in ("formula", "translation")
    )
    are_equal = _checked_claim(name, formula, translation, claimed, "outcome")
    grammar = _grammar(name, formula, translation, str(values.get("grammar")))
    return Pair(
        source,
        name,
        grammar,
        formula,
        translation,
        "round trip",
        are_equal,
        origin={"source": source},
    )


def _user_pairs(raw: RawRow, source: str) -> tuple[list[Pair], list[str]]:
    """The pair of a row in each language that it may be of, and why it cannot be read in some of them.

    Raises :class:`RowError` if it can be read in none.
    """
    cells = Cells(raw)
    pairs: list[Pair] = []
    problems: dict[str, str] = {}
    for name in _languages_of(raw, cells):
        try:
            pairs.append(_user_pair(cells, name, source))
        except RowError as problem:
            problems[name] = str(problem)
    if not pairs:
        raise RowError(next(iter(problems.values())))
    return pairs, [f"in {name}: {problem}" for name, problem in problems.items()]


def _languages_of(raw: RawRow, cells: Cells) -> list[str]:
    """The languages that a row may be of: the one that it names or that its file has, else those in doubt."""
    for column in ("formula", "other"):
        cells.needed(column)
    written = cells.name("language")
    if written is not None and language_called(written) not in language_names():
        cells.fail("language", f"there is no language {language_called(written)!r}")
    if raw.language:
        return [raw.language]
    possible = raw.possible & common_of(raw)
    if possible:
        return [name for name in language_names() if name in possible]
    where = f"columns {cells.names['formula']!r}, {cells.names['other']!r}"
    raise RowError(
        f"{where}: no language accepts both; for a precise message, name it in a column 'language'"
    )


def _user_pair(cells: Cells, name: str, source: str) -> Pair:
    texts = cells.needed("formula").strip(), cells.needed("other").strip()
    formula = _formula(name, texts[0], cells.names["formula"])
    partner = _formula(name, texts[1], cells.names["other"])
    are_equal = _checked_claim(
        name, formula, partner, cells.label("same"), cells.names.get("same", "same")
    )
    origin = {"source": source, **cells.origin("id", "group", "cluster")}
    return Pair(
        source,
        name,
        _grammar(name, formula, partner),
        formula,
        partner,
        "own",
        are_equal,
        cells.name("id"),
        origin,
    )


def _formula(name: str, text: str, column: str) -> Formula:
    try:
        return language(name).tree(text)
    except FormulaSyntaxError as problem:
        raise RowError(f"column {column!r}: {problem}") from None


def _grammar(name: str, formula: Formula, partner: Formula, drawn_from: str = "") -> str:
    if name == "propositional" and drawn_from == "ksat":
        return drawn_from
    if name == "ltl" and not all(
        language(name).measure(tree)["future"] for tree in (formula, partner)
    ):
        return "past_ltl"
    return name


def _checked_claim(
    name: str, formula: Formula, partner: Formula, claimed: bool | None, column: str
) -> bool:
    """Whether two formulas mean the same, by the decision procedure; raises :class:`RowError` for a wrong claim."""
    verdict = verdict_on(name, formula, partner)
    if verdict.outcome == VerdictOutcome.UNDECIDED:
        raise RowError(
            f"cannot decide whether {formula} and {partner} mean the same: {verdict.reason}"
        )
    are_equal = verdict.outcome == VerdictOutcome.EQUIVALENT
    # A wrong claim in the data would count right answers as wrong.
    if claimed not in (None, are_equal):
        text = with_sides(str(verdict.witness), FIRST_AND_SECOND)
        witness = " ".join("; ".join(text.splitlines()).split())
        claim, truth = (
            ("differ", "mean the same") if are_equal else ("mean the same", f"differ: {witness}")
        )
        raise RowError(
            f"column {column!r}: says that they {claim}, but {formula} and {partner} {truth}"
        )
    return are_equal


#: How many rewritings are made, and how many changes of each.
_REWRITINGS, _EDITS = 10, 4
#: How many pairs of partners are decided, the most similar first.
_MOST_DECIDED = 12
#: A stream ends after so many formulas in a row without partners.
_MOST_MISSES = 300
#: The number of laws that make a rewriting.
_STEPS = Choices.evenly(range(1, 5))
#: How many random places are tried for a law or a change.
_ATTEMPTS = 8
#: A rewriting has at most _GROWTH * n + _MORE nodes, for a formula of n nodes.
_GROWTH, _MORE = 1.5, 5
#: Which of the two pairs of a formula comes first.
_ORDERS: Choices[tuple[int, int]] = Choices.evenly([(0, 1), (1, 0)])
_WORD = lazy_pattern(r"\w\d*|[^\w\s]+")


class PairSet(DrawnDataSet):
    """Drawn formulas, each in two pairs: with one that means the same and with one that does not, in either order."""

    def __init__(self, name: str, vocabulary: Vocabulary | Names | None = None) -> None:
        self.name = name
        self._grammar = name.removeprefix(_PREFIX)
        self.language = _LANGUAGES[self._grammar]
        self._space = formula_space(self._grammar, vocabulary, options=DrawingOptions(exclude=None))

    def over(self, vocabulary: Vocabulary | Names) -> PairSet:
        return PairSet(self.name, vocabulary)

    def drawn(self, size: int, seed: int) -> Iterator[tuple[Formula, Mapping[str, Any]]]:
        chance = Chance(self.name, size, seed)
        formulas = self._space.distinct(size, seed)

        def has_partners(formula: Formula) -> bool:
            return bool(self.about(formula, seed))

        for formula in useful(formulas, has_partners, most_misses=_MOST_MISSES):
            partners = self.about(formula, seed)
            for index in chance(_ORDERS):
                yield formula, partners[index]

    def about(self, formula: Formula, seed: int) -> tuple[Mapping[str, Any], ...]:
        """The facts of an equivalent partner and of another one; empty if a partner is missing."""
        return _partners(self.language, formula, self._space.vocabulary.alphabet, seed)

    def names(self, formula: Formula) -> tuple[Vocabulary, str]:
        space = self._space
        return space.vocabulary.including(space.language.symbols(formula)), space.vocabulary_name


@lru_cache(maxsize=4096)
def _partners(
    name: str, formula: Formula, alphabet: tuple[str, ...], seed: int
) -> tuple[Mapping[str, Any], ...]:
    lang = language(name)
    neighbourhood = _Neighbourhood(formula, lang, Chance("pair", lang.format(formula), seed))
    rewritten = neighbourhood.rewritings(_REWRITINGS)
    edited = [edit for rewriting in rewritten for edit in neighbourhood.edits(rewriting, _EDITS)]
    similar = []
    for rewriting, edit in product(rewritten, edited):
        if rewriting.size == edit.size and rewriting.signs == edit.signs:
            similar.append((rewriting, edit))
    # Partners that differ in length or likeness would show by their texts alone which one was edited.
    similar.sort(key=lambda pair: pair[0].apart(pair[1]))

    @cache
    def outcome(partner: Formula) -> str:
        return lang.equivalent(formula, partner).outcome

    def measured(partner: Formula) -> tuple[float, float]:
        measures = lang.measure(partner)
        return measures["operators"], measures[lang.size_measure]

    # The sizes are compared before the meanings: a verdict may take long.
    for rewriting, edit in similar[:_MOST_DECIDED]:
        if (
            measured(rewriting.formula) == measured(edit.formula)
            and outcome(rewriting.formula) == VerdictOutcome.EQUIVALENT
            and outcome(edit.formula) == VerdictOutcome.DIFFERENT
            and trivial_kind(edit.formula, lang, alphabet) is None
        ):
            return (
                {"other": rewriting.text, "expected": True, "pair": "rewritten"},
                {"other": edit.text, "expected": False, "pair": "edited"},
            )
    return ()


@dataclass(frozen=True, slots=True)
class _Near:
    """A formula near another one, with features that could show how it was made.

    ``size`` is its number of nodes; ``signs`` are the kinds of nodes and the symbols, without bound variables.
    ``likeness``, ``overlap`` and ``shared`` compare its text with the other one's: by letters, as a bag of words and as
    a set of words, from 0 to 1.
    """

    formula: Formula
    text: str
    size: int
    signs: frozenset[str]
    likeness: float
    overlap: float
    shared: float

    def apart(self, partner: _Near) -> float:
        """How easily the two are distinguished by their texts alone, from 0 to 4."""
        shorter, longer = sorted((len(self.text), len(partner.text)))
        differences = (
            abs(self.likeness - partner.likeness),
            abs(self.overlap - partner.overlap),
            abs(self.shared - partner.shared),
        )
        return 1 - shorter / longer + sum(differences)


class _Neighbourhood:
    """Draws formulas near a formula; a pure function of the formula and of the seed of ``chance``."""

    def __init__(self, formula: Formula, lang: Language, chance: Chance) -> None:
        self._formula, self._lang, self._chance = formula, lang, chance
        self._text = lang.format(formula)
        self._words = _words(self._text)
        self._names = lang.symbols(formula)

    def rewritings(self, count: int) -> list[_Near]:
        """Up to ``count`` rewritings of the formula by laws, with other texts."""
        return self._near(self._rewritten() for _ in range(count))

    def edits(self, rewriting: _Near, count: int) -> list[_Near]:
        """Up to ``count`` formulas with one change in a rewriting; some may still be equivalent."""

        def edited(node: Formula) -> Iterator[Formula]:
            return self._lang.edits(node, self._names)

        return self._near(self._stepped(rewriting.formula, edited) for _ in range(count))

    def _rewritten(self) -> Formula:
        formula = self._formula
        # Laws can be applied for ever, and most of them make a formula larger.
        most = _GROWTH * _size(formula) + _MORE
        for _ in range(self._chance(_STEPS)):
            stepped = self._stepped(formula, self._lang.rewritings)
            formula = stepped if _size(stepped) <= most else formula
        return formula

    def _stepped(self, formula: Formula, step: Callable[[Formula], Iterator[Formula]]) -> Formula:
        """The formula after one step at a random place; unchanged if no tried place allows one."""
        everywhere = Choices.evenly(places(formula))
        for _ in range(_ATTEMPTS):
            path, node = self._chance(everywhere)
            options = list(step(node))
            if options:
                return replaced_at(formula, path, self._chance(Choices.evenly(options)))
        return formula

    def _near(self, formulas: Iterable[Formula]) -> list[_Near]:
        from rapidfuzz.fuzz import ratio

        by_text: dict[str, _Near] = {}
        for formula in formulas:
            text = self._lang.format(formula)
            if text == self._text or text in by_text:
                continue
            words = _words(text)
            common = words & self._words
            used = self._lang.symbols(formula)
            kinds = {type(node).__name__ for node in formula.subformulas()}
            by_text[text] = _Near(
                formula,
                text,
                _size(formula),
                used.names | set(used.alphabet) | kinds,
                likeness=ratio(text, self._text) / 100,
                overlap=2 * common.total() / (words.total() + self._words.total()),
                shared=len(common) / len(words | self._words),
            )
        return list(by_text.values())


def _size(formula: Formula) -> int:
    return sum(1 for _ in formula.subformulas())


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text))
