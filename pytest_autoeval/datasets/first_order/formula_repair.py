"""Formulas as people wrote them: read strictly where they can be, and else mended where only one meaning is possible.

Every change is reported in words; what could be meant in two ways is an error, with its place in the text as given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.logic.parser import (
    CONNECTIVES,
    NAME,
    QUANTIFIERS,
    LogicToken,
    Parser,
    is_name,
    lenient_tokens,
    parse,
    strict_tokens,
)
from pytest_autoeval.languages.logic.reading import parse_leniently
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import Quantified, Sentence

#: Characters of a text that is mended; longer ones are read as they are, or not at all.
_LONGEST = 4_000
_DECOMPOSED = re.compile(r"\w[\u0300-\u036f]+")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]+")
_FULL_STOP = re.compile(r"(?<=[\w)])\s*[.。](?=\s*$)")
#: A name with signs in it that no name of ours has: abbreviations, numbers, what stands around a name. Letters on both
#: sides of a dot may be two names, with a comma meant between them.
_ODD_NAME = re.compile(
    r"(?<![\w.])(?:(?:[^\W\d_]\.){2,}|[$€£#@]?\w+(?:(?<=\d)[./](?=\d)\w+|['’′`-]\w+)*['’′`%°]*)(?!\w)"
)
_QUANTIFYING = re.compile(r"(?:[∀∃]|\b(?:forall|exists|all|some))\s*$")
#: What people call variables where nobody says; ``y1984`` is a year.
_VARIABLE = re.compile(r"[u-z](?:_?\d{1,2}|[₀-₉]+|['’′_]+)?")


@dataclass(frozen=True, slots=True)
class Repaired:
    """A formula, what had to be mended to read it, and what is odd about it as it stands; a phrase each."""

    formula: Sentence
    repairs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def repaired(text: str, *, constants: Collection[str] = (), variables: Collection[str] = ()) -> Repaired:
    """The formula that a text is, or must be meant to be.

    ``constants`` are known to be such, whatever they look like; ``variables`` too, as formulas beside this one bind
    them. Raises :class:`FormulaSyntaxError` for what cannot be read, or could be meant in several ways, and where
    nothing binds a variable.
    """
    reader = _Reader(frozenset(constants), frozenset(variables))
    draft = _Draft(text, text, tuple(range(len(text) + 1))).substituted(
        _DECOMPOSED, lambda found: unicodedata.normalize("NFC", found[0]), "letters and their accents put together"
    )
    try:
        parse(draft.text)
    except FormulaSyntaxError as problem:
        if len(text) > _LONGEST:
            raise draft.blamed(problem) from None
        plain = _with_our_signs(_with_plain_names(draft))
        changed = _balanced(_with_conjunctions(plain))
        formula, understood = reader.read(changed)
        if changed.text != plain.text and not _is_plausible(formula):
            raise draft.blamed(problem) from None
    else:
        formula, understood = reader.read(draft)
    for signs in _unclear_levels(understood.text):
        understood = understood.with_repair(f"{signs} without parentheses read as {formula}")
    return Repaired(formula, understood.repairs, tuple(_oddities(formula)))


@dataclass(frozen=True, slots=True)
class _Draft:
    """A text, the offset of each of its characters (and of its end) in what was given, and the repairs in words."""

    given: str
    text: str
    origins: tuple[int, ...]
    repairs: tuple[str, ...] = ()

    def replaced(self, start: int, end: int, new: str, repair: str) -> _Draft:
        """The draft with other characters from one offset of its text to before another."""
        origins = (*self.origins[:start], *(self.origins[start] for _ in new), *self.origins[end:])
        repairs = tuple(dict.fromkeys((*self.repairs, repair)))
        return _Draft(self.given, self.text[:start] + new + self.text[end:], origins, repairs)

    def substituted(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str], repair: str) -> _Draft:
        """The draft with all that a pattern finds replaced; ``{0}`` and ``{1}`` in the repair are the old and new."""
        draft = self
        for found in reversed(list(pattern.finditer(self.text))):  # so that earlier offsets stay as they are
            if (put := new(found)) != found[0]:
                draft = draft.replaced(found.start(), found.end(), put, repair.format(found[0], put))
        return draft

    def with_repair(self, repair: str) -> _Draft:
        """The draft with one more repair, its text as it is."""
        return self.replaced(0, 0, "", repair)

    def error(self, problem: str, offset: int, expected: tuple[str, ...] = ()) -> FormulaSyntaxError:
        """What is wrong at an offset of the text, reported for the text that was given."""
        return FormulaSyntaxError(problem, self.given, self.origins[min(offset, len(self.text))], expected)

    def blamed(self, error: FormulaSyntaxError) -> FormulaSyntaxError:
        """An error of reading the text as one of what was given."""
        lines = self.text.split("\n")[: error.line - 1]
        return self.error(error.problem, sum(len(line) + 1 for line in lines) + error.column - 1, error.expected)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads drafts that are formulas by now; knows which free names are constants."""

    constants: frozenset[str]
    variables: frozenset[str]

    def read(self, draft: _Draft) -> tuple[Sentence, _Draft]:
        """The formula of a draft, and the draft with what had to be understood."""
        try:
            parser = Parser(draft.text, strict_tokens(draft.text))
            formula = parser.formula()
        except FormulaSyntaxError as error:
            return self._otherwise(draft, error)
        if (unbound := self._unbound(parser, formula)) is None:
            return formula, draft
        widened = self._leniently(draft)
        if widened is None or self._free(widened):
            written = draft.given[draft.origins[unbound.start] : draft.origins[unbound.end]]
            raise draft.error(f"no quantifier binds {written!r} here", unbound.start)
        self._check_reach(draft, formula, unbound.start)
        return widened, draft.with_repair(f"a quantifier reaches to {unbound.text!r} on its right: {widened}")

    def _otherwise(self, draft: _Draft, error: FormulaSyntaxError) -> tuple[Sentence, _Draft]:
        formula = self._leniently(draft)
        if formula is None:
            raise draft.blamed(error) from None
        if free := self._free(formula):
            raise draft.error(f"no quantifier binds {', '.join(sorted(free))}", 0) from None
        # Of names that are known to be constants no quantifier reaches further than it is written.
        self._check_reach(draft, self._leniently(draft, symbols(formula).variables) or formula, 0)
        return formula, draft.with_repair(f"another notation, read as {formula}")

    def _leniently(self, draft: _Draft, more_constants: Collection[str] = ()) -> Sentence | None:
        constants = tuple(sorted(self.constants.union(more_constants)))
        try:
            return parse_leniently(draft.text, Vocabulary(constants=constants))
        except FormulaSyntaxError:
            return None

    def _check_reach(self, draft: _Draft, narrow: Sentence, at: int) -> None:
        """Refuses a formula with a variable that nothing binds as it is written, and that two quantifiers may bind."""
        quantified = [node.variable for node in narrow.subformulas() if isinstance(node, Quantified)]
        for name in sorted(self._free(narrow)):
            if quantified.count(name) > 1:
                raise draft.error(f"which quantifier binds {name!r} cannot be told: there are several over it", at)

    def _free(self, formula: Sentence) -> set[str]:
        """The free names of a formula that are variables."""
        found = symbols(formula)
        bound = self.variables.union(found.variables)
        unknown = set(found.constants) - self.constants
        return {name for name in unknown if name in bound or _VARIABLE.fullmatch(name)}

    def _unbound(self, parser: Parser, formula: Sentence) -> LogicToken | None:
        """The first occurrence of a variable that nothing binds."""
        free = self._free(formula)
        tokens = ((parser.tokens[at], at) for at in parser.plain_terms)
        return next((token for token, at in tokens if token.text in free and not parser.binds(token.text, at)), None)


def _is_plausible(formula: Sentence) -> bool:
    """Whether no parenthesis of an application seems to be missing, or misplaced.

    ``Tallann)`` or ``P(a), x)`` would leave names as propositions beside predicates, or quantifiers that bind nothing;
    ``P(c(1)`` would make a function of a part of a name.
    """
    used = symbols(formula)
    if used.functions or any(_oddities(formula)):
        return False
    return not (used.propositions and (used.predicates or used.variables))


def _with_plain_names(draft: _Draft) -> _Draft:
    """A formula without what does not belong to it, and names without signs that names cannot have.

    A name stays as it is where another one would become the same.
    """
    draft = draft.substituted(_INVISIBLE, lambda _: "", "invisible characters left out")
    draft = draft.substituted(_FULL_STOP, lambda _: "", "the full stop at the end left out")
    taken = set(re.findall(r"\w+", draft.text))

    def plain(found: re.Match[str]) -> str:
        name = re.sub(r"\W", "_", found[0])
        keeps = is_name(found[0]) or name in taken or _QUANTIFYING.search(found.string[: found.start()])
        return found[0] if keeps else name

    return draft.substituted(_ODD_NAME, plain, "the name {0} read as {1}")


def _with_our_signs(draft: _Draft) -> _Draft:
    """Signs of other notations replaced by ours."""
    for token in reversed(_tokens(draft.text, lenient_tokens)):
        if token.kind != NAME and token.text and not _is_sign(token.text) and _is_sign(token.kind):
            draft = draft.replaced(token.start, token.end, token.kind, f"{token.text} read as {token.kind}")
    return draft


def _is_sign(text: str) -> bool:
    tokens = _tokens(text)
    return len(tokens) == 2 and tokens[0].kind != NAME


def _tokens(text: str, read: Callable[[str], list[LogicToken]] = strict_tokens) -> list[LogicToken]:
    """The tokens of a text; none where a character is of no token."""
    try:
        return read(text)
    except FormulaSyntaxError:
        return []


class _Level(NamedTuple):
    """The prefixes, connectives and commas directly inside a pair of parentheses that groups, or outside of all.

    ``kinds`` has a character for each; ``end`` is the offset of the closing parenthesis, None where there is none.
    """

    signs: list[LogicToken]
    end: int | None
    kinds: str


def _levels(tokens: Sequence[LogicToken]) -> Iterator[_Level]:
    """Each pair of parentheses that groups, and the whole; the comma behind a quantifier's variable is none of them."""
    opened: list[tuple[bool, list[LogicToken]]] = [(True, [])]
    before = LogicToken("", "", 0, 0), LogicToken("", "", 0, 0)
    for token in tokens:
        quantified = before[0].text in QUANTIFIERS and before[1].kind == NAME
        if token.kind == "(":
            opened.append((before[1].kind != NAME or quantified, []))
        elif token.kind == ")" and len(opened) > 1:
            groups, signs = opened.pop()
            if groups:
                yield _Level(signs, token.start, "".join(sign.kind for sign in signs))
        elif token.kind in CONNECTIVES or token.kind in ("¬", "∀", "∃") or (token.kind == "," and not quantified):
            opened[-1][1].append(token)
        before = before[1], token
    yield from (_Level(signs, None, "".join(sign.kind for sign in signs)) for groups, signs in opened if groups)


def _with_conjunctions(draft: _Draft) -> _Draft:
    """Commas between formulas read as ∧ where they stand beside nothing but ∧, or all before one → or ↔."""
    commas = [
        sign
        for level in _levels(_tokens(draft.text))
        if re.fullmatch(r"[,∧]*,[,∧]*([→↔][^,]*)?", re.sub("[¬∀∃]", "", level.kinds))
        for sign in level.signs
        if sign.kind == ","
    ]
    for comma in sorted(commas, key=lambda sign: sign.start, reverse=True):
        draft = draft.replaced(comma.start, comma.end, " ∧", "a comma between formulas read as ∧")
    return draft


def _balanced(draft: _Draft) -> _Draft:
    """The draft with parentheses closed, or left out, at its end, where the fault can have been nowhere else.

    A parenthesis may be missing at the end if every pair holds at most one connective: closed earlier, a pair would
    hold none. One too many at the end is more doubtful: the opening one may be missing behind a prefix (``¬A ∧ B)``),
    or another closing one be the one too many (``(A ∨ B) ∧ C)``). Any other draft stays as it is.
    """
    text = draft.text.rstrip()
    surplus = text.count(")") - text.count("(")
    if not surplus or "(" not in text:
        return draft
    count, end = abs(surplus), len(text)
    which = "a closing parenthesis" if count == 1 else f"{count} closing parentheses"
    if surplus < 0:
        changed = draft.replaced(end, end, ")" * count, f"{which} added")
        levels = list(_levels(_tokens(changed.text)))
        return changed if all(re.fullmatch("[¬∀∃]*[∧∨→↔⊕]?[¬∀∃]*", level.kinds) for level in levels) else draft
    last = len(text.rstrip(")"))
    changed = draft.replaced(end - count, end, "", f"{which} left out")
    levels = list(_levels(_tokens(changed.text)))
    certain = all(re.fullmatch("[∧∨→↔⊕]?[¬∀∃]*", level.kinds) and (level.end or end) >= last for level in levels)
    return changed if certain and end - last >= count else draft


def _unclear_levels(text: str) -> Iterator[str]:
    """What stands side by side with no convention for which of them binds more tightly: ⊕ and ∧, ∨ or ↔."""
    for level in _levels(_tokens(text)):
        for side in level.kinds.split("→"):
            if "⊕" in side and (beside := [sign for sign in "∧∨↔" if sign in side]):
                yield f"⊕ beside {' and '.join(beside)}"


def _oddities(formula: Sentence) -> Iterator[str]:
    """What is hardly meant: quantifiers that bind nothing, or a variable that is bound already."""
    pending: list[tuple[Sentence, frozenset[str]]] = [(formula, frozenset())]
    while pending:
        node, bound = pending.pop()
        if isinstance(node, Quantified):
            if node.variable in bound:
                yield f"{node.variable} is bound again inside its own scope"
            if node.variable not in symbols(node.body).constants:
                yield f"the quantifier over {node.variable} binds nothing"
            bound |= {node.variable}
        pending += [(child, bound) for child in reversed(node.children())]
