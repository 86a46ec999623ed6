"""Formulas as people wrote them: read strictly where they can be, and else mended where only one meaning is possible.

Every change is reported in words; what could be meant in two ways is an error, with its place in the text as given.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import reduce

from pytest_autoeval.datasets.first_order.drafts import Draft
from pytest_autoeval.datasets.first_order.parentheses import balanced, levels
from pytest_autoeval.languages import FormulaSyntaxError, Vocabulary
from pytest_autoeval.languages.logic.lenient import parse_leniently
from pytest_autoeval.languages.logic.parser import Parser, parse
from pytest_autoeval.languages.logic.signature import symbols
from pytest_autoeval.languages.logic.syntax import Quantified, Sentence
from pytest_autoeval.languages.logic.tokens import NAME, LogicToken, is_name, lenient_tokens, strict_tokens

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

    Args:
        text: the formula as it was written.
        constants: names that are known to be constants, whatever they look like.
        variables: names that are known to be variables, because formulas beside this one bind them.

    Raises:
        FormulaSyntaxError: it cannot be read, it could be meant in several ways, or a variable is bound by nothing.
    """
    reader = _Reader(frozenset(constants), frozenset(variables))
    draft = reduce(_composed, _matches(_DECOMPOSED, text), Draft.of(text))
    try:
        parse(draft.text)
    except FormulaSyntaxError as problem:
        if len(text) > _LONGEST:
            raise draft.blamed(problem) from None
        formula, draft = _mended(draft, reader, problem)
    else:
        formula, draft = reader.read(draft)
    for level in _unclear_levels(draft.text):
        draft = draft.with_repair(f"{level} without parentheses read as {formula}")
    return Repaired(formula, draft.repairs, tuple(_oddities(formula)))


def _mended(draft: Draft, reader: _Reader, problem: FormulaSyntaxError) -> tuple[Sentence, Draft]:
    """The formula of a draft that is none as it stands, and what was mended; ``problem`` says why it is none."""
    plain = draft
    for mend in (_without_invisible, _without_full_stop, _with_plain_names, _with_our_signs):
        plain = mend(plain)

    def read(changed: Draft) -> tuple[Sentence, Draft]:
        formula, understood = reader.read(changed)
        if changed.text != plain.text and not _is_plausible(formula):
            raise draft.blamed(problem)
        return formula, understood

    return read(balanced(_with_conjunctions(plain), read))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads drafts that are formulas by now; knows which free names are constants."""

    constants: frozenset[str]
    variables: frozenset[str]

    def read(self, draft: Draft) -> tuple[Sentence, Draft]:
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
            problem = f"no quantifier binds {draft.written(unbound.start, unbound.end)!r} here"
            raise draft.error(problem, unbound.start)
        self._check_reach(draft, formula, unbound.start)
        return widened, draft.with_repair(f"a quantifier reaches to {unbound.text!r} on its right: {widened}")

    def _otherwise(self, draft: Draft, error: FormulaSyntaxError) -> tuple[Sentence, Draft]:
        formula = self._leniently(draft)
        if formula is None:
            raise draft.blamed(error) from None
        if free := self._free(formula):
            raise draft.error(f"no quantifier binds {', '.join(sorted(free))}", 0) from None
        # Of names that are known to be constants no quantifier reaches further than it is written.
        narrow = self._leniently(draft, symbols(formula).variables)
        self._check_reach(draft, formula if narrow is None else narrow, 0)
        return formula, draft.with_repair(f"another notation, read as {formula}")

    def _leniently(self, draft: Draft, more_constants: Collection[str] = ()) -> Sentence | None:
        constants = tuple(sorted(self.constants.union(more_constants)))
        try:
            return parse_leniently(draft.text, Vocabulary(constants=constants))
        except FormulaSyntaxError:
            return None

    def _check_reach(self, draft: Draft, narrow: Sentence, at: int) -> None:
        """Refuses a formula with a variable that nothing binds as it is written, and that two quantifiers may bind."""
        quantified = [node.variable for node in narrow.subformulas() if isinstance(node, Quantified)]
        for name in sorted(self._free(narrow)):
            if quantified.count(name) > 1:
                raise draft.error(f"which quantifier binds {name!r} cannot be told: there are several over it", at)

    def _free(self, formula: Sentence) -> set[str]:
        """The free names of a formula that are variables."""
        found = symbols(formula)
        bound = self.variables.union(found.variables)
        return {
            name
            for name in found.constants
            if name not in self.constants and (name in bound or _VARIABLE.fullmatch(name))
        }

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


def _matches(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """What a pattern finds, the last first, so that earlier offsets stay as they are while later ones change."""
    return list(pattern.finditer(text))[::-1]


def _composed(draft: Draft, match: re.Match[str]) -> Draft:
    new = unicodedata.normalize("NFC", match[0])
    if new == match[0]:
        return draft
    return draft.replaced(match.start(), match.end(), new, "letters and their accents put together")


def _without_invisible(draft: Draft) -> Draft:
    for match in _matches(_INVISIBLE, draft.text):
        draft = draft.replaced(match.start(), match.end(), "", "invisible characters left out")
    return draft


def _without_full_stop(draft: Draft) -> Draft:
    for match in _matches(_FULL_STOP, draft.text):
        draft = draft.replaced(match.start(), match.end(), "", "the full stop at the end left out")
    return draft


def _with_plain_names(draft: Draft) -> Draft:
    """Names without signs that names cannot have, where no other name becomes the same by that."""
    taken = set(re.findall(r"\w+", draft.text))
    for match in _matches(_ODD_NAME, draft.text):
        if is_name(match[0]) or _QUANTIFYING.search(draft.text[: match.start()]):
            continue
        plain = re.sub(r"\W", "_", match[0])
        if plain not in taken:
            draft = draft.replaced(match.start(), match.end(), plain, f"the name {match[0]} read as {plain}")
    return draft


def _with_our_signs(draft: Draft) -> Draft:
    """Signs of other notations replaced by ours."""
    try:
        tokens = lenient_tokens(draft.text)
    except FormulaSyntaxError:
        return draft
    for token in reversed(tokens):
        if token.kind != NAME and token.text and not _is_sign(token.text) and _is_sign(token.kind):
            draft = draft.replaced(token.start, token.end, token.kind, f"{token.text} read as {token.kind}")
    return draft


def _is_sign(text: str) -> bool:
    try:
        first, *rest = strict_tokens(text)
    except FormulaSyntaxError:
        return False
    return len(rest) == 1 and first.kind != NAME


def _with_conjunctions(draft: Draft) -> Draft:
    """Commas between formulas read as ∧ where they stand beside nothing but ∧, or all before one → or ↔."""
    try:
        tokens = strict_tokens(draft.text)
    except FormulaSyntaxError:
        return draft
    commas: list[LogicToken] = []
    for level in levels(tokens):
        joined = "".join(token.kind for token in level.signs)
        if re.fullmatch(r"[,∧]*,[,∧]*([→↔][^,]*)?", joined):
            commas += [token for token in level.signs if token.kind == ","]
    for comma in sorted(commas, key=lambda token: token.start, reverse=True):
        draft = draft.replaced(comma.start, comma.end, " ∧", "a comma between formulas read as ∧")
    return draft


def _unclear_levels(text: str) -> Iterator[str]:
    """What stands side by side with no convention for which of them binds more tightly: ⊕ and ∧, ∨ or ↔."""
    try:
        tokens = strict_tokens(text)
    except FormulaSyntaxError:
        return
    for level in levels(tokens):
        for side in "".join(token.kind for token in level.signs).split("→"):
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
