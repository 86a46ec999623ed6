"""Context-free grammars that constrain an answer to the formulas over a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from pytest_autoeval.languages.vocabulary import Vocabulary

Rule = tuple[str, str]

#: The number of variables whose scopes the rules of first-order logic distinguish.
_EXACT = 4
_CONNECTIVES = ("∧", "∨", "⊕", "→", "↔")
_COMMA = ' ", " '


@dataclass(frozen=True, slots=True)
class AnswerGrammar:
    """The grammar of all answers that a model may give; the first rule is the start.

    A rule is a name (letters and digits) and a right-hand side of literals, names, ``|``, ``*``, ``+``, ``?`` and
    parentheses, which GBNF (llama.cpp, xgrammar) and Lark (OpenAI, llguidance) write in the same way.
    """

    name: str
    rules: tuple[Rule, ...]

    @property
    def gbnf(self) -> str:
        """The grammar in the notation of llama.cpp, which is also the EBNF of xgrammar."""
        return self._text("root", " ::=")

    @property
    def lark(self) -> str:
        """The grammar in the notation of Lark."""
        return self._text("start", ":")

    def _text(self, start: str, sign: str) -> str:
        return "\n".join(
            f"{name}{sign} {body}" for name, body in ((start, self.rules[0][0]), *self.rules)
        )


def literal(text: str) -> str:
    """A text as a literal of a right-hand side."""
    return json.dumps(text, ensure_ascii=False)


def choice(alternatives: Iterable[str]) -> str:
    """The right-hand side with these alternatives."""
    return " | ".join(alternatives)


def words(texts: Iterable[str]) -> str:
    """The right-hand side with these texts."""
    return choice(map(literal, texts))


def infix_rules(
    infixes: Iterable[str], operands: Iterable[str], suffix: str = ""
) -> Iterator[Rule]:
    """The rules of formulas with infix operators in any order: the parser knows their precedence."""
    infix = words(f" {sign} " for sign in infixes)
    yield f"formula{suffix}", f"operand{suffix} (({infix}) operand{suffix})*"
    yield f"operand{suffix}", choice((*operands, f'"(" formula{suffix} ")"'))


def logic_grammar(language: str, vocabulary: Vocabulary, *, quantifiers: bool) -> AnswerGrammar:
    """The grammar of propositional or first-order logic, in the canonical notation.

    The first four variables occur only in the scope of their quantifiers: each set of bound variables has rules of its
    own, with a number. In the scope of a quantifier over a further variable, every variable may occur.
    """
    if not quantifiers:
        vocabulary = vocabulary.only(("propositions",))
    exact, further = vocabulary.variables[:_EXACT], vocabulary.variables[_EXACT:]
    scopes = [bound for size in range(len(exact) + 1) for bound in combinations(exact, size)]
    scopes += [vocabulary.variables] if further else []
    arities = sorted({arity for _, arity in (*vocabulary.predicates, *vocabulary.functions)} - {0})
    rules: list[Rule] = []
    for number, bound in enumerate(scopes):
        names = (*(["constant"] if vocabulary.constants else []), *map(literal, bound))
        term = f"term{number}"
        applied = {arity: f'"(" {_COMMA.join([term] * arity)} ")"' for arity in arities if names}
        operands = [f'"¬" operand{number}', "proposition"]
        operands += [
            f"predicate{arity} {rest}"
            for arity, rest in applied.items()
            if _named(vocabulary.predicates, arity)
        ]
        operands += [f'{term} " = " {term}'] if names else []
        for variable in exact:
            if variable not in bound:
                inner = scopes.index(tuple(name for name in exact if name in (*bound, variable)))
                operands.append(f'quantifier {literal(variable)} ". " formula{inner}')
        operands += [f'quantifier further ". " formula{len(scopes) - 1}'] if further else []
        rules += infix_rules(_CONNECTIVES, operands, str(number))
        if names:
            functions = (
                f"function{arity} {rest}"
                for arity, rest in applied.items()
                if _named(vocabulary.functions, arity)
            )
            rules.append((term, choice((*names, *functions))))
    propositions = ("⊤", "⊥", *vocabulary.propositions, *_named(vocabulary.predicates, 0))
    texts = {"proposition": propositions, "constant": vocabulary.constants, "further": further}
    texts |= {f"predicate{arity}": _named(vocabulary.predicates, arity) for arity in arities}
    texts |= {f"function{arity}": _named(vocabulary.functions, arity) for arity in arities}
    texts |= {"quantifier": ("∀", "∃")} if vocabulary.variables else {}
    return AnswerGrammar(
        language, (*rules, *((name, words(some)) for name, some in texts.items() if some))
    )


def _named(symbols: Iterable[tuple[str, int]], arity: int) -> tuple[str, ...]:
    return tuple(name for name, places in symbols if places == arity)
