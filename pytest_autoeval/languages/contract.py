"""The interface of a language, with defaults."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, ClassVar

from pytest_autoeval.errors import ArgumentError, AutoevalError, raises_here
from pytest_autoeval.languages.answer_grammar import AnswerGrammar
from pytest_autoeval.languages.base import (
    EnglishError,
    Formula,
    FormulaSyntaxError,
    Reading,
    Relation,
    Verdict,
    VerdictOutcome,
    Witness,
    of_argument,
    places,
    replaced_at,
)
from pytest_autoeval.languages.differences import Layout, differences
from pytest_autoeval.languages.tree_edits import Span
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The kinds of names in a formula, and the word for one of them.
_KINDS = {"propositions": "proposition", "predicates": "predicate", "functions": "function"}
_KINDS |= {"constants": "constant", "alphabet": "symbol"}
#: A character that plain English does not have.
_SIGN = lazy_pattern(r"[^\w\s.,;:'’\"!?()-]")


class Language(ABC):
    """A formal language: syntax tree, parser, printer, complexity measures, decision procedure.

    A new language needs ``name``, ``nodes``, `parse` and `decide`; ``str`` of a tree is its text. The offline models
    also need `describe` and `read_description`.
    """

    name: ClassVar[str]
    #: The class of the nodes of its trees.
    nodes: ClassVar[type[Formula]]
    #: The key of `measure` that counts as the size of a formula: ``operators`` or ``depth``.
    size_measure: ClassVar[str] = "operators"
    #: The node of a conjunction, if the language has one; `trivial` then has ``tautology`` and ``contradiction``.
    both: ClassVar[type[Any] | None] = None
    #: The time limit of a decision in seconds, if none is given.
    default_timeout: ClassVar[float] = 5.0

    @abstractmethod
    def parse(self, text: str) -> Formula:
        """The formula of a text. Raises `FormulaSyntaxError`."""

    def parse_part(self, text: str) -> Formula:
        """The tree of a part of a formula, such as a term. Rules and names of grammars stand for parts.

        By default each part is a formula. Raises `FormulaSyntaxError`.
        """
        return self.parse(text)

    def is_strict(self, text: str) -> bool:  # noqa: ARG002
        """Whether a text that `parse` accepts is in the strict notation."""
        return True

    def read(self, answer: str, *, vocabulary: Vocabulary | None = None) -> Reading:
        """The formula in a model's answer. Never raises an error.

        By default the notation is that of `parse`. The formula may stand alone, in a code fence, on a line of its own
        or after a label such as ``Answer:``.
        """
        from pytest_autoeval.languages.reading import read_formula

        names = vocabulary.names if vocabulary else frozenset[str]()
        return read_formula(answer, _OneNotation(self), names)

    def over(self, formula: Formula, vocabulary: Vocabulary) -> tuple[Formula, Vocabulary]:
        """A given formula over a vocabulary that has its names, and the vocabulary for answers about it.

        What the formula leaves to the vocabulary is written out, so that it means the same as in an answer. By default
        both stay as they are.
        """
        return formula, vocabulary

    def signs(self, formula: Formula) -> tuple[str, ...]:  # noqa: ARG002
        """The signs of a formula beyond the strict notation. A prompt explains those that its samples may have.

        By default none: the prompts explain every sign.
        """
        return ()

    def answer_grammar(self, vocabulary: Vocabulary) -> AnswerGrammar | None:  # noqa: ARG002
        """A grammar of the formulas over a vocabulary, each a compliant answer; None if the language has none.

        It constrains answers (``--autoeval-constrained``). By default there is none.
        """
        return None

    def format(self, formula: Formula) -> str:
        """The canonical text of a formula: ``parse(format(f)) == f``; by default ``str(f)``."""
        return str(self.tree(formula))

    def operator_sign(self, text: str, formula: Formula) -> str:
        """The first operator sign in a description of a formula, in any notation; empty if there is none.

        A description with such a sign is not English (see `copied`). By default the signs are those of the formula's
        text that English does not have.
        """
        own_signs = set(_SIGN.findall(self.format(formula)))
        signs = [sign for sign in _SIGN.findall(text) if sign in own_signs]
        return signs[0] if signs else ""

    def describe(self, formula: Formula) -> str:
        """The formula in controlled English, without symbols: ``read_description(describe(f)) == f``.

        Raises `EnglishError` for a formula without such a description; by default for every formula.
        """
        raise EnglishError(f"the language {self.name!r} has no English for {formula}")

    def read_description(self, description: str) -> Formula:
        """The formula of a text that `describe` could have written.

        Raises `EnglishError` or `FormulaSyntaxError` for any other text.
        """
        raise EnglishError(
            f"the language {self.name!r} has no English: {description!r} describes no formula"
        )

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        """Complexity measures by name, among them ``operators`` and ``depth``.

        By default an operator is a node with children, and the depth is the height of the tree; a leaf has 1.
        """
        operators = depth = 0
        for path, node in places(self.tree(formula)):
            operators += bool(node.children())
            depth = max(depth, len(path) + 1)
        return {"operators": operators, "depth": depth}

    def owns(self, formula: Formula) -> bool:
        """Whether a tree is one of this language."""
        return isinstance(formula, self.nodes)

    def symbols(self, formula: Formula) -> Vocabulary:
        """The names that a formula uses; free names count as constants.

        By default each leaf that is written as a name is a proposition.
        """
        leaves = (str(node) for node in formula.subformulas() if not node.children())
        return Vocabulary(propositions=tuple(dict.fromkeys(filter(str.isidentifier, leaves))))

    def foreign(self, formula: Formula, vocabulary: Vocabulary) -> tuple[str, ...]:
        """The names of a formula that are not in the vocabulary, each as a phrase."""
        used = self.symbols(formula)
        return tuple(
            f"unknown {word} {name}"
            for kind, word in _KINDS.items()
            for name in getattr(used, kind)
            if name not in getattr(vocabulary, kind)
        )

    def layout(self, node: Formula) -> Layout | None:  # noqa: ARG002
        """How the canonical text of a node is made of the texts of its parts; by default not known (None).

        `differences` needs it.
        """
        return None

    def differences(self, left: Formula, right: Formula) -> tuple[list[Span], list[Span]]:
        """The differing parts of two formulas, as spans in their canonical texts; none without a `layout`."""
        return differences(left, right, self.layout)

    def simpler(self, formula: Formula, vocabulary: Vocabulary | None = None) -> Iterator[Formula]:  # noqa: ARG002
        """The formulas that are one step smaller, the smallest first, for shrinking. Repeated steps must end.

        By default a part replaces the part around it. ``vocabulary`` has the names that may be used.
        """
        for path, node in places(formula):
            for child in node.children():
                smaller = replaced_at(formula, path, child)
                # A part may not fit there, such as a term in the place of a formula. Only the parser knows.
                with suppress(FormulaSyntaxError):
                    if self.parse(self.format(smaller)) == smaller:
                        yield smaller

    def rewritings(self, formula: Formula) -> Iterator[Formula]:  # noqa: ARG002
        """The results of one law at the root of a formula. They are equivalent, also inside another formula."""
        return iter(())

    def edits(self, formula: Formula, names: Vocabulary) -> Iterator[Formula]:  # noqa: ARG002
        """Formulas with one change at the root. They have the same size, and rarely the same meaning.

        ``names`` has the names that may replace others.
        """
        return iter(())

    @abstractmethod
    def decide(self, relation: Relation, left: Formula, right: Formula, timeout: float) -> Verdict:
        """The verdict on equivalence, or on entailment of the right tree by the left one; ``timeout`` is in seconds.

        `decided` makes a verdict of a search for a witness.
        """

    def decide_briefly(self, left: Formula, right: Formula) -> Verdict:
        """The verdict on equivalence with a fixed amount of work, about 50 ms, so that it is the same on every machine.

        By default `decide` with a limit of 50 ms.
        """
        return self.decide("equivalence", left, right, 0.05)

    def situation(self, witness: Witness, glossary: Mapping[str, str]) -> str:  # noqa: ARG002
        """The case that a witness shows in English, in the phrases of a glossary: "Suppose the following. …".

        Raises `EnglishError` if the language has no English for it; by default always.
        """
        raise EnglishError(f"the language {self.name!r} has no English for {witness}")

    def holds_in(  # the arguments are for the languages that know
        self,
        formula: Formula,  # noqa: ARG002
        case: Mapping[str, Any],  # noqa: ARG002
        *,
        closed: bool = False,  # noqa: ARG002
    ) -> bool | None:
        """Whether a formula holds in the case of a witness, given by its JSON, by the evaluator; None if not known.

        It is not known if the case says nothing of a name of the formula; with ``closed`` such a name is false. By
        default it is never known. Raises `AutoevalError` for the JSON of something else.
        """
        return None

    def fingerprint(self, formula: Formula) -> Hashable:
        """A value that is equal for equivalent formulas, and rarely for others; cheap. By default the text."""
        return self.format(formula)

    def is_contingent(self, formula: Formula) -> bool:  # noqa: ARG002
        """Whether a cheap look shows that a formula holds in one case and fails in another: then it is not trivial.

        By default nothing is looked at.
        """
        return False

    def trivial(self, alphabet: Collection[str] = ()) -> Mapping[str, Formula]:  # noqa: ARG002
        """The trivial formulas by name, such as ``tautology``. Strings are over the ``alphabet``."""
        return {}

    def conjunction(self, formulas: Sequence[Formula]) -> Formula:
        """The formula that holds where all of some formulas hold; with no formulas it always holds.

        By default `AutoevalError` is raised: the language has no `both`.
        """
        if self.both is None:
            raise AutoevalError(
                f"the language {self.name!r} has no conjunction, so its formulas are not joined"
            )
        joined = list(formulas) or [self.trivial()["tautology"]]
        while len(joined) > 1:  # in pairs, so that the tree does not become deep
            pairs = zip(joined[::2], joined[1::2], strict=False)
            without_partner = joined[-1:] if len(joined) % 2 else []
            joined = [self.both(*pair) for pair in pairs] + without_partner
        return joined[0]

    def tree(self, formula: Formula | str) -> Formula:
        """The tree of a formula or of its text. Raises `AutoevalError` for the tree of another language."""
        if isinstance(formula, str):
            return self.parse(formula)
        if not isinstance(formula, Formula) or not self.owns(formula):
            raise AutoevalError(f"not a formula of the language {self.name!r}: {formula!r}")
        return formula

    @raises_here
    def equivalent(
        self, left: Formula | str, right: Formula | str, timeout: float | None = None
    ) -> Verdict:
        """Whether two formulas mean the same: ``equivalent``, ``different`` with a witness, or ``undecided``.

        ``timeout`` is in seconds, by default `default_timeout`; after it the verdict is ``undecided``.
        """
        return self._decided("equivalence", left, right, timeout)

    @raises_here
    def entails(
        self, left: Formula | str, right: Formula | str, timeout: float | None = None
    ) -> Verdict:
        """Whether everything that satisfies ``left`` satisfies ``right`` (for regular expressions: inclusion).

        The verdict is ``entails``, ``does not entail`` with a witness, or ``undecided``.
        """
        return self._decided("entailment", left, right, timeout)

    def _decided(
        self, relation: Relation, left: Formula | str, right: Formula | str, timeout: float | None
    ) -> Verdict:
        limit = self.default_timeout if timeout is None else timeout
        left_tree = tree_of_argument(self, "left", left)
        right_tree = tree_of_argument(self, "right", right)
        return self.decide(relation, left_tree, right_tree, limit)


def tree_of_argument(language: Language, name: str, value: Formula | str) -> Formula:
    """The tree of the argument ``name`` of a call. An error names it, and shows a text that was given."""
    try:
        return language.tree(value)
    except FormulaSyntaxError as problem:
        raise of_argument(problem, name, language.name) from None
    except AutoevalError as problem:
        raise ArgumentError(f"{name}: {problem}") from None


def trivial_kind(
    formula: Formula, language: Language, alphabet: tuple[str, ...] = (), *, briefly: bool = False
) -> str | None:
    """The name of the trivial meaning that a formula has, ``undecided``, or None if it is not trivial.

    ``briefly`` limits the work to a fixed amount (:meth:`Language.decide_briefly`) instead of the language's time
    limit.
    """
    # Most drawn formulas are contingent. This look costs less than a decision, and only decisions are kept.
    if language.is_contingent(formula):
        return None
    # The brief attempt comes first. Its answer is kept, also for callers that ask for it alone.
    kind = _decided_kind(formula, language, alphabet, briefly=True)
    if briefly or kind != "undecided":
        return kind
    return _decided_kind(formula, language, alphabet, briefly=False)


@lru_cache(maxsize=32_768)
def _decided_kind(
    formula: Formula, language: Language, alphabet: tuple[str, ...], *, briefly: bool
) -> str | None:
    undecided = False
    decide = language.decide_briefly if briefly else language.equivalent
    for name, reference in language.trivial(alphabet).items():
        outcome = decide(formula, reference).outcome
        if outcome == VerdictOutcome.EQUIVALENT:
            return name
        undecided = undecided or outcome == VerdictOutcome.UNDECIDED
    return "undecided" if undecided else None


class _OneNotation:
    """A language for `read_formula`, with only its own notation."""

    def __init__(self, language: Language) -> None:
        self.strict = self.lenient = language.parse

    def is_meant(self, formula: Formula, text: str, place: str | None) -> bool:  # noqa: ARG002
        """False for words between words."""
        return place not in ("line", "span") or self.is_symbolic(text)

    def is_symbolic(self, text: str) -> bool:
        return _SIGN.search(text) is not None
