"""Context-free grammars that constrain an answer to the formulas over a vocabulary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from pytest_autoeval.languages.vocabulary import Vocabulary

Rule = tuple[str, str]

#: The number of variables whose scopes the rules of first-order logic distinguish. Each further one would double the
#: number of rules: four variables have 16 sets of bound variables.
_EXACT = 4
_CONNECTIVES = ("∧", "∨", "⊕", "→", "↔")
#: With the space of the canonical text, so that a formula is written in one way.
_COMMA = ' ", " '


class AnswerGrammar(Struct, frozen=True):
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
        # Both notations begin at a rule of a fixed name, which leads to the first rule here.
        first_rule, _ = self.rules[0]
        rules = [(start, first_rule), *self.rules]
        return "\n".join(f"{name}{sign} {body}" for name, body in rules)


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
    formula = f"formula{suffix}"
    operand = f"operand{suffix}"
    infix = words(f" {sign} " for sign in infixes)
    yield formula, f"{operand} (({infix}) {operand})*"
    yield operand, choice((*operands, f'"(" {formula} ")"'))


def logic_grammar(language: str, vocabulary: Vocabulary, *, quantifiers: bool) -> AnswerGrammar:
    """The grammar of propositional or first-order logic, in the canonical notation.

    The first four variables occur only in the scope of their quantifiers: each set of bound variables has rules of its
    own, with a number. In the scope of a quantifier over a further variable, every variable may occur.
    """
    if not quantifiers:
        vocabulary = vocabulary.only(("propositions",))
    exact = vocabulary.variables[:_EXACT]
    further = vocabulary.variables[_EXACT:]
    scopes = [bound for size in range(len(exact) + 1) for bound in combinations(exact, size)]
    if further:
        scopes.append(vocabulary.variables)
    rules: list[Rule] = []
    for number in range(len(scopes)):
        rules += _rules_of_scope(vocabulary, scopes, number)
    return AnswerGrammar(language, (*rules, *_rules_of_names(vocabulary)))


def _rules_of_scope(
    vocabulary: Vocabulary, scopes: Sequence[tuple[str, ...]], number: int
) -> Iterator[Rule]:
    """The rules of the formulas and terms over the bound variables of one of the scopes."""
    bound = scopes[number]
    # The last scope is that of the further variables, if there are any: there, every variable is bound.
    exact = vocabulary.variables[:_EXACT]
    further = vocabulary.variables[_EXACT:]
    term = f"term{number}"
    simple_terms = [literal(variable) for variable in bound]
    if vocabulary.constants:
        simple_terms.insert(0, "constant")
    # Without a constant or a variable there is no term, and so nothing has arguments here.
    arguments = {
        arity: f'"(" {_COMMA.join([term] * arity)} ")"'
        for arity in _arities(vocabulary)
        if simple_terms
    }
    operands = [f'"¬" operand{number}', "proposition"]
    for arity, argument_list in arguments.items():
        if _named(vocabulary.predicates, arity):
            operands.append(f"predicate{arity} {argument_list}")
    if simple_terms:
        operands.append(f'{term} " = " {term}')
    for variable in exact:
        if variable not in bound:
            inner_scope = tuple(name for name in exact if name in (*bound, variable))
            inner = f"formula{scopes.index(inner_scope)}"
            operands.append(f'quantifier {literal(variable)} ". " {inner}')
    if further:
        operands.append(f'quantifier further ". " formula{len(scopes) - 1}')
    yield from infix_rules(_CONNECTIVES, operands, str(number))
    if simple_terms:
        applications = [
            f"function{arity} {argument_list}"
            for arity, argument_list in arguments.items()
            if _named(vocabulary.functions, arity)
        ]
        yield term, choice([*simple_terms, *applications])


def _rules_of_names(vocabulary: Vocabulary) -> Iterator[Rule]:
    """The rules with the names of each kind and arity, without the kinds that have no name."""
    texts: dict[str, Sequence[str]] = {
        "proposition": (
            *("⊤", "⊥"),
            *vocabulary.propositions,
            *_named(vocabulary.predicates, 0),
        ),
        "constant": vocabulary.constants,
        "further": vocabulary.variables[_EXACT:],
    }
    for arity in _arities(vocabulary):
        texts[f"predicate{arity}"] = _named(vocabulary.predicates, arity)
    for arity in _arities(vocabulary):
        texts[f"function{arity}"] = _named(vocabulary.functions, arity)
    if vocabulary.variables:
        texts["quantifier"] = ("∀", "∃")
    for name, alternatives in texts.items():
        if alternatives:
            yield name, words(alternatives)


def _arities(vocabulary: Vocabulary) -> list[int]:
    """The numbers of arguments that symbols have, without 0, in ascending order."""
    arities = {arity for _, arity in (*vocabulary.predicates, *vocabulary.functions)}
    return sorted(arities - {0})


def _named(symbols: Iterable[tuple[str, int]], arity: int) -> tuple[str, ...]:
    """The names of the symbols with this arity."""
    return tuple(name for name, symbol_arity in symbols if symbol_arity == arity)
