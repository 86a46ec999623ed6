"""The notation of the model checker NuSMV, a part of the strict syntax: no ``R``, no ``W``, one sign for each operator.

Precedence and associativity are those of :mod:`~pytest_autoeval.languages.ltl.parser`. Grammar and keywords: NuSMV user
manual, "Lexical tokens" and "LTL specifications". Names with ``$``, ``#`` or ``-`` and comparisons are refused.
"""

from __future__ import annotations

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.parser import NAME, QUOTED, parse_tokens, strict_tokens
from pytest_autoeval.languages.ltl.syntax import Temporal

#: Words besides the operators that cannot be names in NuSMV.
KEYWORDS = frozenset(
    """MODULE DEFINE MDEFINE CONSTANTS VAR IVAR FROZENVAR INIT TRANS INVAR SPEC CTLSPEC LTLSPEC PSLSPEC COMPUTE NAME
    INVARSPEC FAIRNESS JUSTICE COMPASSION ISA ASSIGN CONSTRAINT SIMPWFF CTLWFF LTLWFF PSLWFF COMPWFF IN MIN MAX MIRROR
    PRED PREDICATES process array of boolean integer real word word1 bool signed unsigned extend resize sizeof uwconst
    swconst EX AX EF AF EG AG E A BU EBF ABF EBG ABG case esac mod next init union in self count abs max min""".split()  # noqa: SIM905
)
_NUSMV_SIGNS = frozenset("! & | xor xnor -> <-> ( ) X F G U V Y Z O H S T TRUE FALSE".split())  # noqa: SIM905
_REPLACEMENTS = {"R": "V", "W": "(a U b) | G a", "true": "TRUE", "false": "FALSE"}


def parse_nusmv(text: str) -> Temporal:
    """The formula of a text in NuSMV's notation; raises :class:`FormulaSyntaxError`."""
    tokens = strict_tokens(text)
    for token in tokens[:-1]:
        if token.kind == QUOTED:
            raise FormulaSyntaxError("a name in NuSMV has no quotes", text, token.start)
        if token.kind == NAME:
            keywords = KEYWORDS.intersection(token.text.split("."))
            if keywords:
                raise FormulaSyntaxError(
                    f"{min(keywords)!r} is a keyword of NuSMV and not a name", text, token.start
                )
        elif token.text not in _NUSMV_SIGNS:
            instead = _REPLACEMENTS.get(token.kind, token.kind)
            raise FormulaSyntaxError(
                f"NuSMV has no {token.text!r}; write {instead!r}", text, token.start
            )
    return parse_tokens(text, tokens)
