"""English around formulas, whatever the language: what its words do to a formula that stands among them."""

from __future__ import annotations

import re

from pytest_autoeval.languages.answers import clause, sentence

_CONDITIONAL = frozenset({"if", "unless", "whether", "either", "when", "whenever"})
_DENYING = frozenset({"not", "neither", "nor", "without", "false", "untrue", "negation", "opposite", "isn't", "isn’t"})
_QUANTIFYING = frozenset({"all", "every", "each", "any", "some", "no", "none", "exists", "forall", "exist", "there"})
#: Words right before a formula that make it a part of an English sentence.
_LEADING = frozenset({"then", "implies", "iff", "only", "xor"})
#: Words right behind a formula that do.
_TRAILING = frozenset({"implies", "iff", "if", "unless", "then", "only", "xor", "when", "whenever"})
_JUNCTIONS = frozenset({"and", "or", "nor", "both", "but"})
_DEFINING = re.compile(r"\b(?:let(?!\s+(?:me|us)\b|['’])|where|define|suppose|assume|abbreviate)\b", re.IGNORECASE)
#: Words by which a sentence explains a symbol.
_EXPLAINING = frozenset(
    {"denote", "denotes", "here", "mean", "meaning", "means", "represents", "say", "says", "stands", "where", "with"}
)

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_CONJOINED = re.compile(r"[`$*)]\s*,?\s*and\s*$")
#: Characters around a formula that can say something about it.
_NEARBY = 300


def is_conditional(before: str) -> bool:
    """Whether words of a sentence put what follows under a condition, or words of its clause deny it."""
    return not (_CONDITIONAL.isdisjoint(_words(sentence(before))) and _DENYING.isdisjoint(_words(clause(before))))


def is_defined(before: str) -> bool:
    """Whether a sentence gives a name to the formula that follows, for use in another one."""
    return _DEFINING.search(sentence(before)) is not None and not before.rstrip().endswith(":")


def is_fragment(before: str, after: str, free: tuple[str, ...], *, is_basic: bool) -> bool:
    """Whether the words around a formula make it a part of an English sentence that means more than the formula.

    ``free`` are the free names of the formula: "for every x" in front binds one of them. ``is_basic``: an atom, or one
    negated, which an "and" or "or" beside it may connect with another.
    """
    context = sentence(before)
    words = _words(context)
    is_announced = context.rstrip().endswith(":")
    if not _QUANTIFYING.isdisjoint(words) and not set(free).isdisjoint(re.findall(r"\w+", context)):
        return True
    if not is_announced and (is_conditional(before) or not _LEADING.isdisjoint(words[-1:])):
        return True
    if _CONJOINED.search(before[-_NEARBY:]) or is_followed_up(after):
        return True
    return is_basic and not _JUNCTIONS.isdisjoint(words[-1:] + _following(after))


def is_followed_up(after: str) -> bool:
    """Whether the words behind a formula, up to a stop, put it under a condition or connect it."""
    return not _TRAILING.isdisjoint(_following(after))


def is_explained(before: str, after: str) -> bool:
    """Whether a formula stands in a sentence that explains symbols."""
    words = _words(sentence(before)) + _words(after[:_NEARBY])[:2]
    return not _EXPLAINING.isdisjoint(words)


def is_alternatives(text: str) -> bool:
    """Whether a text of several lines has one that is a connecting word alone: two formulas, and not one."""
    return any(line.strip(" \t:,.*_").lower() in ("and", "or") for line in text.splitlines())


def _following(after: str) -> list[str]:
    """The first word behind a formula, if no stop comes before it."""
    return [] if re.match(r"\s*[.!?;:]", after) else _words(after[:_NEARBY])[:1]


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
