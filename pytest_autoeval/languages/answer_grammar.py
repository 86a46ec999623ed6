"""Context-free grammars that constrain an answer to the formulas over a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from pytest_autoeval.languages.vocabulary import Vocabulary

Rule = tuple[str, str]

#: With so many variables, each set of bound variables has rules of its own.
_EXACT = 4
_CONNECTIVES = ("∧", "∨", "⊕", "→", "↔")


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
        return "\n".join(f"{name}{sign} {body}" for name, body in ((start, self.rules[0][0]), *self.rules))


def literal(text: str) -> str:
    """A text as a literal of a right-hand side."""
    return json.dumps(text, ensure_ascii=False)


def choice(alternatives: Iterable[str]) -> str:
    """The right-hand side with these alternatives."""
    return " | ".join(alternatives)


def words(texts: Iterable[str]) -> str:
    """The right-hand side with these texts."""
    return choice(map(literal, texts))


def infix_rules(infixes: Iterable[str], operands: Iterable[str], suffix: str = "") -> Iterator[Rule]:
    """The rules of formulas with infix operators in any order: the parser knows their precedence."""
    yield f"formula{suffix}", f"operand{suffix} (({words(f' {sign} ' for sign in infixes)}) operand{suffix})*"
    yield f"operand{suffix}", choice((*operands, f'"(" formula{suffix} ")"'))


def logic_grammar(language: str, vocabulary: Vocabulary, *, quantifiers: bool) -> AnswerGrammar:
    """The grammar of propositional or first-order logic, in the canonical notation.

    Up to four variables occur only in the scope of their quantifiers, once bound in each. Of more variables, each may
    occur in the scope of any quantifier: there are too many sets of them for rules of their own.
    """
    if not quantifiers:
        vocabulary = vocabulary.only(("propositions",))
    variables = vocabulary.variables
    exact = len(variables) <= _EXACT
    scopes: list[tuple[str, ...]] = [(), *([variables] if variables else [])]
    if exact:
        scopes = [bound for size in range(len(variables) + 1) for bound in combinations(variables, size)]
    rules: list[Rule] = []
    for number, bound in enumerate(scopes):
        operands = [f'"¬" operand{number}', *_atoms(vocabulary, bound, number)]
        for variable in variables:
            if not exact:
                operands.append(f'("∀" | "∃") {literal(variable)} ". " formula1')
            elif variable not in bound:
                inner = scopes.index(tuple(name for name in variables if name in (*bound, variable)))
                operands.append(f'("∀" | "∃") {literal(variable)} ". " formula{inner}')
        rules += infix_rules(_CONNECTIVES, operands, str(number))
        if terms := _terms(vocabulary, bound, number):
            rules.append((f"term{number}", terms))
    return AnswerGrammar(language, tuple(rules))


def _atoms(vocabulary: Vocabulary, bound: Sequence[str], number: int) -> Iterator[str]:
    yield words(("⊤", "⊥", *vocabulary.propositions, *(name for name, arity in vocabulary.predicates if not arity)))
    if _terms(vocabulary, bound, number):
        yield from _applications(vocabulary.predicates, number)
        yield f'term{number} " = " term{number}'


def _terms(vocabulary: Vocabulary, bound: Sequence[str], number: int) -> str:
    """The terms with these bound variables; empty if there is none."""
    names = (*vocabulary.constants, *bound)
    return choice((words(names), *_applications(vocabulary.functions, number))) if names else ""


def _applications(symbols: Sequence[tuple[str, int]], number: int) -> Iterator[str]:
    for arity in sorted({arity for _, arity in symbols} - {0}):
        names = words(name for name, needed in symbols if needed == arity)
        arguments = ' ", " '.join([f"term{number}"] * arity)
        yield f'({names}) "(" {arguments} ")"'
