"""Formulas as people write them: read strictly if possible, else repaired if only one meaning is possible.

Every repair is reported. A text with two possible meanings is an error, with its place in the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.limits import check_length
from pytest_autoeval.languages.logic.parser import LogicToken, Parser, parse, strict_tokens
from pytest_autoeval.languages.logic.reading import parse_leniently
from pytest_autoeval.languages.logic.signature import free_names, symbols, uses
from pytest_autoeval.languages.logic.syntax import Quantified, Sentence

#: Characters of a text in which a place for a parenthesis is looked for; each place takes a parse.
_LONGEST = 1_000
_FULL_STOP = re.compile(r"(?<=[\w)])\s*[.。]\s*$")
_DECIMAL = re.compile(r"(?<!\w)\w++(?<=\d)\.\d\w*+")
#: Parentheses around a literal, which nobody writes: no parenthesis is missing there.
_NEEDLESS = re.compile(r"(?:^|[¬(∧∨→↔⊕.:]|[∀∃]\s*\w+)\s*\([¬\s]*\w+(?:\([^()]*\))?\s*\)")
#: What people call variables where nobody says; ``y1984`` is a year.
_VARIABLE = re.compile(r"[u-z](?:_?\d{1,2}|[₀-₉]+|['’′_]+)?")
#: A predicate with names for arguments, and a name of several words, as people write it there.
_APPLIED = re.compile(r"(?<!\w)(?P<predicate>\w++)\((?P<arguments>[^()]*+)\)")
_SEVERAL_WORDS = re.compile(r"\s*+(?P<name>[^\W\d_]\w++(?:(?:\.\s*+|\s++)\w\w++)++)\s*+")
_WORD = re.compile(r"\w+")
_OF_LOGIC = frozenset(
    ("and", "or", "not", "implies", "if", "then", "iff", "xor", "for", "all", "forall", "exists", "some")
)


@dataclass(frozen=True, slots=True)
class Repaired:
    """A formula, the repairs that it needed, and oddities; one phrase each."""

    formula: Sentence
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def repaired(
    text: str,
    *,
    constants: Collection[str] = (),
    variables: Collection[str] = (),
    beside: Iterable[Sentence] = (),
    sentence: str = "",
) -> Repaired:
    """The formula of a text, repaired if needed.

    ``constants`` and ``variables`` are names that are known to be such. Formulas ``beside`` this one and the
    ``sentence`` show whether several words can be one name. Raises :class:`FormulaSyntaxError`.
    """
    check_length(text)
    repairs: list[str] = []
    for phrase, mended in _MENDED.items():
        if (changed := mended(text)) != text:
            text = changed
            repairs.append(phrase)
    reader = _Reader(frozenset(constants), frozenset(variables))
    try:
        formula, understood = reader.read(text)
    except FormulaSyntaxError as problem:
        joined, names = _joined(text, {*constants, *variables}, beside, sentence)
        try:
            formula, understood = reader.read(joined)
        except FormulaSyntaxError:
            raise problem from None
        repairs += (f"{name!r} read as {whole}" for name, whole in names.items())
    return Repaired(formula, (*repairs, *understood), tuple(_oddities(formula)))


def _joined(text: str, alone: set[str], beside: Iterable[Sentence], sentence: str) -> tuple[str, dict[str, str]]:
    """The text with each argument of several words as one name, and these names.

    They stay apart where a word stands ``alone`` elsewhere, where the predicate takes as many arguments as there are
    words, and where the sentence has the words in different places: a comma may be lacking.
    """
    said = [word.casefold() for word in _WORD.findall(sentence)]
    used = [use for formula in beside for use in uses(formula)]
    arities = {(use.name, use.arity) for use in used if use.kind == "predicate"}
    here = {*_WORD.findall(_APPLIED.sub(_only_single, text))}
    alone = alone.union(here, (use.name for use in used))
    names: dict[str, str] = {}

    def with_names(found: re.Match[str]) -> str:
        arguments = found["arguments"].split(",")
        for at, argument in enumerate(arguments):
            match = _SEVERAL_WORDS.fullmatch(argument)
            words = _WORD.findall(argument) if match else []
            plain = [word.casefold() for word in words]
            is_taken = "_".join(words) in here or not alone.isdisjoint(words)
            takes_more = (found["predicate"], len(arguments) + len(words) - 1) in arities
            are_apart = {*said}.issuperset(plain) and f" {' '.join(plain)} " not in f" {' '.join(said)} "
            logical = not _OF_LOGIC.isdisjoint((*plain, found["predicate"].casefold()))
            is_variable = any(map(_VARIABLE.fullmatch, words))
            if match and not (is_taken or takes_more or are_apart or logical or is_variable):
                names[match["name"]] = arguments[at] = "_".join(words)
        return f"{found['predicate']}({','.join(arguments)})"

    return _APPLIED.sub(with_names, text), names


def _only_single(found: re.Match[str]) -> str:
    arguments = (one for one in found["arguments"].split(",") if not _SEVERAL_WORDS.fullmatch(one))
    return f"{found['predicate']}({','.join(arguments)})"


def _with_plain_numbers(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        name = found[0].replace(".", "_")
        return found[0] if name in text else name  # another name must not become the same

    return _DECIMAL.sub(plain, text)


#: The text with each repair that leaves all places but the end as they are.
_MENDED: dict[str, Callable[[str], str]] = {
    "letters joined with their accents": lambda text: unicodedata.normalize("NFC", text),
    "the final full stop removed": lambda text: _FULL_STOP.sub("", text),
    "the point in a number read as _": _with_plain_numbers,
}


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads formulas, with names that are known to be constants or variables."""

    constants: frozenset[str]
    variables: frozenset[str]

    @lru_cache(maxsize=1 << 16)  # noqa: B019 - a reader is a value; several data sets are made of the same rows
    def read(self, text: str) -> tuple[Sentence, tuple[str, ...]]:
        try:
            narrow, unbound = self._strictly(text)
        except FormulaSyntaxError as problem:
            if (balanced := self._balanced(text)) is not None:
                return balanced
            try:
                formula = self._leniently(text, self.constants)
            except FormulaSyntaxError:
                raise problem from None
            # Of names that are known to be constants no quantifier reaches further than it is written.
            self._check_reach(text, 0, formula, self._leniently(text, self.constants.union(symbols(formula).variables)))
            return formula, (f"another notation, read as {formula}",)
        if unbound is None:
            return narrow, ()
        formula = self._leniently(text, self.constants)
        self._check_reach(text, unbound.start, formula, narrow)
        return formula, (f"a quantifier extended to {unbound.text!r}: {formula}",)

    def _strictly(self, text: str) -> tuple[Sentence, LogicToken | None]:
        """The formula that a text is in our notation, and the first occurrence of a variable that nothing binds."""
        parser = Parser(text, strict_tokens(text))
        formula = parser.formula()
        free = self._free(formula)
        unbound = (parser.tokens[at] for at in parser.free_terms)
        return formula, next((token for token in unbound if token.text in free), None)

    def _leniently(self, text: str, constants: Collection[str]) -> Sentence:
        return parse_leniently(text, Vocabulary(constants=tuple(sorted(constants))))

    def _balanced(self, text: str) -> tuple[Sentence, tuple[str, ...]] | None:
        """The formula with a parenthesis closed, or left out, at the end; None where another place gives another one.

        None, too, where a name would be a proposition (``Tallann)``) or a function (``P(c(1)``), or a quantifier would
        bind nothing.
        """
        surplus = text.count(")") - text.count("(")
        if surplus not in (-1, 1) or len(text) > _LONGEST:
            return None
        if surplus < 0:
            changed, sign, repair = f"{text})", ")", "a closing parenthesis added"
        else:
            changed, sign, repair = text.rstrip().removesuffix(")"), "(", "a closing parenthesis removed"
        try:
            formula, unbound = self._strictly(changed)
            places = [token.start for token in strict_tokens(text)]
        except FormulaSyntaxError:
            return None
        used = symbols(formula)
        if unbound or used.propositions or used.functions or any(_oddities(formula)):
            return None
        others = (text[:at] + sign + text[at:] for at in places)
        return (formula, (repair,)) if not any(self._is_another(other, formula) for other in others) else None

    def _is_another(self, text: str, formula: Sentence) -> bool:
        """Whether a text is another formula, as somebody would write it."""
        if _NEEDLESS.search(text):
            return False
        try:
            other = parse(text)
        except FormulaSyntaxError:
            return False
        return other != formula and not self._free(other)

    def _check_reach(self, text: str, at: int, formula: Sentence, narrow: Sentence) -> None:
        """Refuses a formula with a variable that nothing binds, or that several quantifiers may bind."""
        if free := self._free(formula):
            raise FormulaSyntaxError(f"no quantifier binds {', '.join(map(repr, sorted(free)))} here", text, at)
        quantified = [node.variable for node in narrow.subformulas() if isinstance(node, Quantified)]
        for name in sorted(self._free(narrow)):
            if quantified.count(name) > 1:
                problem = f"several quantifiers could bind {name!r}"
                raise FormulaSyntaxError(problem, text, at)

    def _free(self, formula: Sentence) -> set[str]:
        found = symbols(formula)
        bound = self.variables.union(found.variables)
        unknown = set(found.constants) - self.constants
        return {name for name in unknown if name in bound or _VARIABLE.fullmatch(name)}


def _oddities(formula: Sentence) -> Iterator[str]:
    """What is hardly meant: quantifiers that bind nothing, or a variable that is bound already."""
    pending: list[tuple[Sentence, frozenset[str]]] = [(formula, frozenset())]
    while pending:
        node, bound = pending.pop()
        if isinstance(node, Quantified):
            if node.variable in bound:
                yield f"{node.variable} is bound again within its scope"
            if node.variable not in free_names(node.body):
                yield f"the quantifier over {node.variable} binds nothing"
            bound |= {node.variable}
        pending += [(child, bound) for child in reversed(node.children())]
