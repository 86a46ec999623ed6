"""Names other notations of logic in the messages about texts that the strict parser refuses.

Nothing is read here. A pattern is looked for only in a text that is no formula, and adds what to write instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.lazy_pattern import LazyPattern, lazy_pattern

_QUANTIFIER = r"(?:[∀∃]|(?<!\w)(?:forall|exists|all|some)(?!\w))"
_SORT = "sorts are not read: write ∀x. (Person(x) → …) and ∃x. (Person(x) ∧ …)"
# The narrower patterns come first: the ∀(x : T) of Lean is also a ∀ with parentheses around its variable.
#: What shows a notation, and what to say of it.
_NOTATIONS: tuple[tuple[LazyPattern[str], str], ...] = tuple(
    (lazy_pattern(pattern, re.IGNORECASE), advice)
    for pattern, advice in (
        (
            r"[!?]\s?\[\s?\w+",
            "TPTP's quantifiers are not read: write ∀X. (…) for ![X]: (…), and ∃X. (…) for ?[X]: (…)",
        ),
        (r"\$(?:true|false|t|f)\b", "write ⊤ for $true, and ⊥ for $false"),
        (
            r"\(\s*(?:and|or|xor|implies|iff|=>|->|<->|<=>|[∧∨→↔⊕&|])\s+[\w(¬~!-]|\(\s*(?:not|forall|exists)\s+\(",
            "the prefix notation of SMT-LIB and Lisp is not read: write P(a) ∧ Q(b) for (and (P a) (Q b))",
        ),
        (
            r"^\s*(?:[∧∨→↔⊕]|&&?|\|\|?|<?->|<?=>)",
            "prefix notation is not read: write the connective between its two formulas",
        ),
        (r":-", "rules of Prolog are not read: write ∀x. (body → head)"),
        (
            r"[∀∃]\s*!|\bexists!",
            "∃! (exactly one) is not read: write ∃x. (P(x) ∧ ∀y. (P(y) → y = x))",
        ),
        ("∄", "write ¬∃x. …"),
        (rf"{_QUANTIFIER}\s*\(?\s*\w+\s*(?:∈|\\in\b|\bin\b)", _SORT),
        (rf"{_QUANTIFIER}\s*\(\s*\w+(?:\s+\w+)*\s*:", f"as in Lean and Coq; {_SORT}"),
        (
            r"\bfor\s+(?:all|every|each|any|some)\b|\bthere\s+(?:is|exists?)\b",
            "write ∀x. and ∃x. for these words",
        ),
        (
            rf"{_QUANTIFIER}\s*\w+\s*,",
            "as in Lean and Coq; write a dot after the variable, and P(x) for P x",
        ),
        (r"[∀∃]\s*\(", "write ∀x. or ∃x., without parentheses around the variable"),
        (r"λ|\\[a-z]\w*\s?\.", "lambda terms are not read"),
        ("==", "== is no sign: write = between terms, and ↔ between formulas"),
        (r"←|⇐|⟸|<-(?!>)", "write an implication from left to right, with →"),
        (
            r"[≤≥]|(?<![-=<])>|<(?![-=>])|[<>]=(?!>)",
            "comparisons are not read: write a predicate, such as Greater(x, y)",
        ),
        (r"∈|⊆|⊂|∪|∩", "signs of sets are not read: write a predicate, as Member(x, y)"),
    )
)


@contextmanager
def with_notation_named() -> Iterator[None]:
    """Adds the name of another notation to an error about a text in it, and what to write."""
    try:
        yield
    except LimitError:  # it is too large, whatever its notation
        raise
    except FormulaSyntaxError as error:
        # Of several notations that fit, the first of the list counts.
        advice = next((advice for pattern, advice in _NOTATIONS if pattern.search(error.text)), "")
        if not advice:
            raise
        problem = f"{error.problem} ({advice})"
        raise FormulaSyntaxError(problem, error.text, error.offset, error.expected) from None
