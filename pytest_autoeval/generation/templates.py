"""A production as a piece of syntax tree with holes: parsed once, filled thousands of times.

The text of a production, with a different name for each slot and each rule, must be a formula of the language. Its
tree is stored with these placeholders. Formulas are then built from trees, and no text is parsed again. This module
knows no connective.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass
from itertools import chain
from operator import itemgetter
from typing import Any

from msgspec import Struct

from pytest_autoeval.generation.grammar_file import ContextFreeGrammar, GrammarSymbol, Production
from pytest_autoeval.languages import Formula, FormulaSyntaxError, Language, Vocabulary
from pytest_autoeval.languages.logic.syntax import Quantified, Term

Values = Sequence[Any]
_PART = "; a rule that is not a formula by itself needs a name that begins with _"
#: What a language of the user's has to do: here a rule may also stand for a part of a formula, such as a term.
_PARSE_PART = "define parse_part: it must read a name wherever a rule stands"
#: English for operators, which our notation writes as signs.
_WORDS = {"not", "and", "or", "implies", "iff", "always", "eventually", "next", "until"}


class Template(Struct, frozen=True, eq=False):
    """A tree with holes.

    ``calls`` names the rule of each hole for a subformula, ``slots`` the kind of each hole for a name or an atom.
    ``binder_count`` is the number of variables that are bound at the root, with everything in their scope. ``build``
    takes the subformulas, the fillings of the slots, and the variables' names, in this order. ``tree`` has placeholders
    in its holes. ``holes`` are the placeholders of the calls; ``placeholders`` are the names of all placeholders.
    """

    production: Production
    tree: Formula
    calls: tuple[str, ...]
    holes: tuple[Formula, ...]
    slots: tuple[str, ...]
    binder_count: int
    placeholders: frozenset[str]
    build: Callable[[Values], Formula]


def own_names(template: Template, language: Language) -> Vocabulary:
    """The names in the grammar itself."""

    def is_own(symbol: str | tuple[str, int]) -> bool:
        # Predicates and functions stand with their numbers of arguments.
        name = symbol if isinstance(symbol, str) else symbol[0]
        return name not in template.placeholders

    symbols = asdict(language.symbols(template.tree))
    own = {kind: tuple(filter(is_own, names)) for kind, names in symbols.items()}
    return Vocabulary(**own)


class _Parsed(Struct):
    """A production's tree, and which placeholder stands for which symbol."""

    production: Production
    tree: Formula
    formulas: dict[Formula, GrammarSymbol]
    names: dict[str, GrammarSymbol]

    def binds(self, node: object) -> bool:
        return isinstance(node, Quantified) and node.variable in self.names

    def symbol(self, hole: Formula | str) -> GrammarSymbol:
        return self.names[hole] if isinstance(hole, str) else self.formulas[hole]


def template_of(
    production: Production, grammar: ContextFreeGrammar, language: Language
) -> Template:
    """The template of a production. Raises :class:`GrammarError` if it is not a formula, or binds variables inside."""
    return _template(_parse(production, grammar, language), grammar)


def _parse(production: Production, grammar: ContextFreeGrammar, language: Language) -> _Parsed:
    """The tree of a production. Raises :class:`GrammarError`, at a rule in it that is only a part of a formula."""
    parsed = _tree_or_problem(production, grammar, language)
    if isinstance(parsed, _Parsed):
        return parsed
    # The production itself may be right: a rule in it stands for less than a formula.
    rules = [
        symbol.value
        for symbol in production.symbols
        if symbol.kind == "rule" and symbol.value != "start"
    ]
    for inner in chain.from_iterable(grammar.productions[rule] for rule in rules):
        problem = _tree_or_problem(inner, grammar, language)
        if isinstance(problem, str):
            raise grammar.error(problem, inner)
    raise grammar.error(parsed, production)


def _tree_or_problem(
    production: Production, grammar: ContextFreeGrammar, language: Language
) -> _Parsed | str:
    """The tree of a production, or why it is no formula."""
    open_symbols = [symbol for symbol in production.symbols if symbol.kind != "sign"]
    signs = "".join(symbol.value for symbol in production.symbols if symbol.kind == "sign")
    placeholders = _placeholders(language, signs)
    symbol_of = dict(zip((name for name, _ in placeholders), open_symbols, strict=False))
    if open_symbols and not symbol_of:
        cause = f"the language {language.name} reads no name as a formula"
        raise grammar.error(f"{cause}; {_PARSE_PART}", production)
    if len(symbol_of) < len(open_symbols):
        raise grammar.error(f"too many places in one alternative: {production}", production)
    remaining = iter(symbol_of)
    words = [
        symbol.value if symbol.kind == "sign" else next(remaining) for symbol in production.symbols
    ]
    formulas = {
        language.parse_part(name): symbol
        for name, symbol in symbol_of.items()
        if not symbol.is_name
    }
    names = {name: symbol for name, symbol in symbol_of.items() if symbol.is_name}
    problems: list[str] = []
    # Words need spaces between them; regular expressions have none.
    for text in (" ".join(words), "".join(words)):
        try:
            parsed = _Parsed(production, language.parse_part(text), formulas, names)
        except FormulaSyntaxError as error:
            # What a user reads names the rule or slot, not the placeholder.
            reason = re.sub(r"\bhole\d+\b", lambda match: symbol_of[match[0]].value, error.problem)
            hint = _advice(production, language)
            problems.append(
                f"`{production}` is not a formula of the language {language.name}: {reason}{hint}"
            )
        else:
            problem = _misplaced(parsed, language)
            if problem is None:
                return parsed
            problems.append(problem)
    return problems[0]


def _advice(production: Production, language: Language) -> str:
    """What to do about a production that is not a formula; empty if nothing is known."""
    if _is_users(language):
        return _advice_to_author(production)
    for symbol in production.symbols:
        if symbol.kind == "sign" and symbol.value.lower() in _WORDS:
            return f'; "{symbol.value}" is a word: write the sign of the operator'
    if production.rule != "start":
        return _rename(production.rule)
    has_other_rules = any(
        symbol.kind == "rule" and symbol.value != "start" for symbol in production.symbols
    )
    return _PART if has_other_rules else ""


def _is_users(language: Language) -> bool:
    return not type(language).__module__.startswith("pytest_autoeval.")


def _advice_to_author(production: Production) -> str:
    """The advice to the author of a language, whose parser may be what has to change."""
    advice = f"; {_PARSE_PART}, and each part of a formula"
    if production.rule == "start":
        return advice
    rule = production.rule
    return f"{advice}. If {rule} is no part with a tree of its own, write _{rule} for {rule}"


def _rename(rule: str) -> str:
    """The advice about a rule that may be a part of a formula."""
    return f"{_PART}: write _{rule} for {rule}" if rule != "start" else _PART


def _placeholders(language: Language, signs: str) -> Iterator[tuple[str, Formula]]:
    """Names that are atomic formulas and occur in no sign of the production, with their trees."""
    words = (f"hole{number}" for number in range(1, 10_000))
    letters = iter(string.ascii_lowercase + string.ascii_uppercase + string.digits)
    # The atoms of regular expressions are letters: a word is a formula with children there, and ends its list.
    for names in (words, letters):
        for name in names:
            try:
                formula = language.parse_part(name)
            except FormulaSyntaxError:
                break
            if formula.children():
                break
            if name not in signs:
                yield name, formula


def _misplaced(parsed: _Parsed, language: Language) -> str | None:
    """The problem if a placeholder is not in the tree exactly once and in a suitable place."""
    in_tree = Counter(map(parsed.symbol, _holes(parsed.tree, parsed)))
    in_production = Counter([*parsed.formulas.values(), *parsed.names.values()])
    for symbol, number in in_production.items():
        if in_tree[symbol] != number:
            kind = "a name" if symbol.is_name else "a formula"
            problem = f"{symbol.value} stands where {kind} cannot: `{parsed.production}`"
            # A rule may only have an unlucky name. What a slot is called says what fills it.
            if symbol.kind != "rule":
                return problem
            return problem + (f"; {_PARSE_PART}" if _is_users(language) else _rename(symbol.value))
    return None


def _holes(node: object, parsed: _Parsed) -> Iterator[Formula | str]:
    """The placeholders in suitable places, in the order of the tree."""
    if isinstance(node, Formula) and node in parsed.formulas:
        yield node
    elif isinstance(node, tuple):
        for element in node:
            yield from _holes(element, parsed)
    elif is_dataclass(node):
        if isinstance(node, Term) and node.name in parsed.names:
            yield node.name
        # A quantifier needs a new variable, so that a slot for constants cannot stand there.
        if (
            isinstance(node, Quantified)
            and parsed.binds(node)
            and parsed.symbol(node.variable).value == "VARIABLE"
        ):
            yield node.variable
        for attribute in fields(node):
            yield from _holes(getattr(node, attribute.name), parsed)


def _template(parsed: _Parsed, grammar: ContextFreeGrammar) -> Template:
    """The template of a production. Its quantifiers must stand at the root, with everything in their scope."""
    binders: list[str] = []
    node = parsed.tree
    while isinstance(node, Quantified) and parsed.binds(node):
        binders.append(node.variable)
        node = node.body
    if any(map(parsed.binds, node.subformulas())):
        raise grammar.error(
            "a quantifier inside the alternative needs a rule of its own", parsed.production
        )
    inner = list(_holes(node, parsed))
    calls = [
        hole for hole in inner if isinstance(hole, Formula) and parsed.formulas[hole].kind == "rule"
    ]
    slots = [hole for hole in inner if hole not in calls]
    # The index of the value of each hole: `Template.build` says in which order they come.
    indices: dict[Formula | str, int] = {
        hole: index for index, hole in enumerate([*calls, *slots, *binders])
    }
    return Template(
        production=parsed.production,
        tree=parsed.tree,
        calls=tuple(parsed.formulas[hole].value for hole in calls),
        holes=tuple(calls),
        slots=tuple(parsed.symbol(hole).value for hole in slots),
        binder_count=len(binders),
        placeholders=frozenset((*parsed.names, *map(str, parsed.formulas))),
        build=_builder(parsed.tree, indices) or (lambda _values: parsed.tree),
    )


def _index(node: object, indices: dict[Formula | str, int]) -> int | None:
    return indices.get(node) if isinstance(node, (Formula, str)) else None


def _builder(node: Any, indices: dict[Formula | str, int]) -> Callable[[Values], Any] | None:
    """A function that makes the node from the values of its holes; None for a node without holes."""
    index = _index(node, indices)
    if index is not None:
        return itemgetter(index)
    make: Any
    if isinstance(node, tuple):
        make, children = (lambda *elements: elements), list(node)
    elif is_dataclass(node):
        make, children = type(node), [getattr(node, attribute.name) for attribute in fields(node)]
    else:
        return None
    # The most frequent node has nothing but the holes, in order.
    if [_index(child, indices) for child in children] == list(range(len(indices))):
        return lambda values: make(*values)
    builders = [_builder(child, indices) for child in children]
    # A subtree without holes is shared by all formulas.
    if not any(builders):
        return None
    makers = list(zip(children, builders, strict=True))
    return lambda values: make(
        *[builder(values) if builder else child for child, builder in makers]
    )
