"""Reads a ``.lark`` file as a plain context-free grammar: rules, and productions of signs, slots and rules."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, product
from math import prod
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct

from pytest_autoeval.by_name import shipped_folder
from pytest_autoeval.generation.drawing_errors import GrammarError
from pytest_autoeval.generation.grammar_text import SLOTS, GrammarText, is_sorted_slot, names_for
from pytest_autoeval.generation.lark_problems import grammar_problem
from pytest_autoeval.given_file import read_given
from pytest_autoeval.languages.isolation import GaveUpError, session
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Bytes of a file, alternatives of a grammar, and the time that Lark may take for it.
_MOST_BYTES = 1_000_000
_MOST_PRODUCTIONS = 2000
_SECONDS = 30.0
#: A repetition such as ``~1..100``, after the other texts that may contain it: signs, comments, regular expressions.
_REPEATED = (
    r'"(?:\\.|[^"\\\n])*"|//[^\n]*|#[^\n]*|/(?:\\.|[^/\\\n])+/|~\s*(\d+)(?:\s*\.\.\s*(\d+))?'
)
#: A star or a plus in the same way, and the names that Lark gives to the rules that it makes of them.
_STAR_OR_PLUS = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|#[^\n]*|/(?:\\.|[^/\\\n])+/|([*+])'
_REPETITION = lazy_pattern(r"__\w+_(?:star|plus)_\d+$")
#: The file beside the shipped grammars with what Lark read in them: the rules by the digest of the text.
KEPT = "productions.json"


class GrammarSymbol(NamedTuple):
    """One place of a production: a sign (with its text), a slot or a rule (with its name)."""

    kind: Literal["sign", "slot", "rule"]
    value: str

    @property
    def is_name(self) -> bool:
        """Whether it stands for a name inside a formula, not for a formula."""
        return self.kind == "slot" and names_for(self.value)[0] in {"variables", "constants"}


class Production(Struct, frozen=True):
    """One way to expand a rule."""

    rule: str
    symbols: tuple[GrammarSymbol, ...]

    def __str__(self) -> str:
        return " ".join(
            f'"{symbol.value}"' if symbol.kind == "sign" else symbol.value
            for symbol in self.symbols
        )


class ContextFreeGrammar(Struct, frozen=True, eq=False):
    """The productions of every rule that ``start`` reaches, in the order of the file."""

    source: GrammarText
    productions: dict[str, tuple[Production, ...]]

    def error(self, problem: str, production: Production) -> GrammarError:
        """An error at the definition of a production's rule."""
        alternative = f"`{production}`"
        if production.symbols and alternative not in problem:
            problem += f" (the alternative {alternative})"
        return self.source.error(problem, production.rule)


def read_grammar(path: Path, *, shipped: bool) -> ContextFreeGrammar:
    """The grammar in a file; raises :class:`GrammarError` with line and column.

    A grammar that is not ``shipped`` is read in a process that can be killed, since Lark takes exponential time for
    some.
    """
    try:
        # Editors on Windows write a byte order mark and other line ends.
        text = read_given(path, _MOST_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "save the file as UTF-8"
        raise GrammarError(f"the grammar cannot be read: {reason}", str(path)) from None
    source = GrammarText(str(path), text.replace("\r\n", "\n").replace("\r", "\n"))
    if shipped:
        return _kept_grammar(source) or grammar_in(source)
    _check_repetitions(source)
    try:
        with session(__name__, _SECONDS) as worker:
            result = worker.call("grammar_or_problem", source)
    except GaveUpError:
        reason = f"it takes more than {_SECONDS:g} seconds or too much memory to read; write fewer and shorter rules"
        raise GrammarError(f"the grammar cannot be read: {reason}", str(path)) from None
    if isinstance(result, ContextFreeGrammar):
        return result
    raise GrammarError(*result)


def _kept_grammar(source: GrammarText) -> ContextFreeGrammar | None:
    """The grammar of a shipped text without Lark, which takes 35 ms; None for a text that was changed."""
    content = (shipped_folder("grammars") / KEPT).read_bytes()
    kept = msgspec.json.decode(content, type=dict[str, dict[str, list[tuple[GrammarSymbol, ...]]]])
    rules = kept.get(source.digest)
    if rules is None:
        return None
    productions = {
        rule: tuple(Production(rule, symbols) for symbols in alternatives)
        for rule, alternatives in rules.items()
    }
    return ContextFreeGrammar(source, productions)


def _check_repetitions(source: GrammarText) -> None:
    """Limits repetitions: Lark expands each of them before alternatives can be counted."""
    total = 0.0
    for match in re.finditer(_REPEATED, source.text):
        total += float(match[2] or match[1] or 0)
        if total > _MOST_PRODUCTIONS:
            problem = f"repetitions of more than {_MOST_PRODUCTIONS:,} parts in all; write a recursive rule"
            raise source.error_at(problem, match.start())


def grammar_or_problem(source: GrammarText) -> ContextFreeGrammar | tuple[str, str, int, int]:
    """The grammar of a text, or the arguments of its :class:`GrammarError`."""
    try:
        return grammar_in(source)
    except GrammarError as error:
        return error.problem, error.path, error.line, error.column


def grammar_in(source: GrammarText) -> ContextFreeGrammar:
    """The grammar of a text; raises :class:`GrammarError`."""
    grammar = _without_empty(_splice(ContextFreeGrammar(source, _productions(source))))
    if sum(map(len, grammar.productions.values())) > _MOST_PRODUCTIONS:
        raise source.error(f"the rules have more than {_MOST_PRODUCTIONS:,} alternatives", "start")
    _check_ends(grammar)
    return grammar


def _check_ends(grammar: ContextFreeGrammar) -> None:
    """Refuses a rule from which no formula can be derived."""
    endless = _endless(grammar.productions)
    if endless:
        reachable = {rule: _reachable(rule, endless) for rule in endless}
        # A rule that every endless rule behind it leads back to: one without an end may only lead to such a rule.
        rule = next(rule for rule in endless if _leads_back(rule, reachable))
        productions = endless[rule]
        again = next(symbol.value for symbol in productions[0].symbols if symbol.value in endless)
        problem = f"the rule {rule} never ends: each alternative leads to {again} again; add an alternative without it"
        raise grammar.error(problem, productions[0])


def _endless(productions: dict[str, tuple[Production, ...]]) -> dict[str, tuple[Production, ...]]:
    """The rules of which each alternative has a rule without an end; the largest set for which this holds."""
    while True:
        smaller = {
            rule: alternatives
            for rule, alternatives in productions.items()
            if all(_has_rule_of(alternative, productions) for alternative in alternatives)
        }
        if len(smaller) == len(productions):
            return productions
        productions = smaller


def _has_rule_of(production: Production, rules: Collection[str]) -> bool:
    return any(symbol.kind == "rule" and symbol.value in rules for symbol in production.symbols)


def _reachable(rule: str, endless: dict[str, tuple[Production, ...]]) -> set[str]:
    """The endless rules that a rule leads to."""
    reached: set[str] = set()
    remaining = [rule]
    while remaining:
        named = {
            symbol.value for production in endless[remaining.pop()] for symbol in production.symbols
        }
        new = (named & endless.keys()) - reached
        remaining.extend(new)
        reached |= new
    return reached


def _leads_back(rule: str, reachable: Mapping[str, Collection[str]]) -> bool:
    """Whether each rule that a rule leads to leads back to it."""
    return all(rule in reachable[later_rule] for later_rule in reachable[rule])


def _productions(source: GrammarText) -> dict[str, tuple[Production, ...]]:
    """The productions of each rule as Lark reads them, with optional parts and repetitions expanded."""
    loaded = _load(source)
    patterns = {terminal.name: terminal.pattern for terminal in loaded.terminals}
    productions: dict[str, tuple[Production, ...]] = {}
    for rule in loaded.rules:
        name = str(rule.origin.name)
        # Such a rule is Lark's own, and no formula: its size could not be measured.
        if _REPETITION.match(name):
            problem = "+ and * cannot repeat a part of a formula; write a recursive rule"
            signs = (
                match.start(1) for match in re.finditer(_STAR_OR_PLUS, source.text) if match[1]
            )
            raise source.error_at(problem, next(signs, 0))
        symbols = tuple(
            _symbol(lark_symbol, patterns, source, name) for lark_symbol in rule.expansion
        )
        productions[name] = (*productions.get(name, ()), Production(name, symbols))
    return productions


def _load(source: GrammarText) -> Any:
    from lark import Lark
    from lark.exceptions import LarkError

    try:
        # Nothing is parsed. Earley is named because Lark's other parser refuses ambiguous grammars when it reads them.
        return Lark(source.text, parser="earley", source_path=source.path)
    except Exception as problem:
        # What Lark raises for a broken regular expression depends on the libraries that are installed.
        if isinstance(problem, LarkError | OSError) or isinstance(problem.__context__, re.error):
            raise grammar_problem(problem, source) from None
        raise


def _symbol(
    lark_symbol: Any, patterns: dict[str, Any], source: GrammarText, rule: str
) -> GrammarSymbol:
    """What one of Lark's symbols is here. Raises :class:`GrammarError` for a terminal that is no fixed text."""
    name = str(lark_symbol.name)
    if not lark_symbol.is_term:
        return GrammarSymbol("rule", name)
    if name in SLOTS:
        return GrammarSymbol("slot", name)
    pattern = patterns[name]
    if type(pattern).__name__ == "PatternStr":
        return GrammarSymbol("sign", str(pattern.value))
    if is_sorted_slot(name):
        return GrammarSymbol("slot", name)
    # Lark names the regular expressions that stand in a rule itself.
    if name.startswith("__"):
        terminal = f"/{pattern.value}/"
        defined_in = rule
    else:
        terminal = f"the terminal {name}"
        defined_in = name
    slots = f"{', '.join(SLOTS)}, and for constants of a sort such as ticket CONSTANT_TICKET"
    problem = f"{terminal} is neither a fixed symbol nor a slot; the slots are {slots}"
    if rule.upper() in SLOTS:
        problem += f". Write {rule.upper()} in capitals"
    raise source.error(problem, defined_in)


def _splice(grammar: ContextFreeGrammar) -> ContextFreeGrammar:
    """Replaces rules named ``_…`` by their alternatives. They need not be formulas by themselves."""
    rules = grammar.productions

    def expanded(
        production: Production, above: tuple[str, ...]
    ) -> Iterator[tuple[GrammarSymbol, ...]]:
        """All lists of symbols that a production stands for; it is part of the rules ``above``."""
        expansions: list[list[tuple[GrammarSymbol, ...]]] = []
        for kind, name in production.symbols:
            if name in above:
                hint = "make each of its alternatives a whole formula, and write its name without _"
                raise grammar.error(f"the rule {name} contains itself; {hint}", production)
            of_symbol: list[tuple[GrammarSymbol, ...]] = []
            if kind == "rule" and name.startswith("_"):
                for inner in rules[name]:
                    of_symbol += expanded(inner, (*above, name))
            expansions.append(of_symbol or [(GrammarSymbol(kind, name),)])
        return (tuple(chain.from_iterable(choice)) for choice in product(*expansions))

    productions: dict[str, tuple[Production, ...]] = {}
    for rule in rules:
        if not rule.startswith("_"):
            spliced = [
                Production(rule, symbols)
                for production in rules[rule]
                for symbols in expanded(production, ())
            ]
            # Two alternatives may become equal. Counted twice, their formulas would be drawn twice as often.
            productions[rule] = tuple(dict.fromkeys(spliced))
    return ContextFreeGrammar(grammar.source, productions)


def _without_empty(grammar: ContextFreeGrammar) -> ContextFreeGrammar:
    """The same formulas without empty alternatives: what may be empty is also left out where it is used.

    A production with two places for it becomes one with both, two with one, and one with none. So each formula keeps
    its derivations, but for those that differ only in how a part comes to be empty.
    """
    empty = _rules_that_may_be_empty(grammar)
    if not empty:
        return grammar
    _check_start(grammar, empty)
    always = _rules_that_are_always_empty(grammar, empty)

    def fillings(symbol: GrammarSymbol) -> tuple[tuple[GrammarSymbol, ...], ...]:
        if symbol.kind != "rule" or symbol.value not in empty:
            return ((symbol,),)
        return ((),) if symbol.value in always else ((symbol,), ())

    productions: dict[str, tuple[Production, ...]] = {}
    for rule in grammar.productions:
        if rule in always:
            continue
        # A dict without values is a set in the order of the file.
        distinct: dict[Production, None] = {}
        for production in grammar.productions[rule]:
            choices = [fillings(symbol) for symbol in production.symbols]
            if prod(map(len, choices)) > _MOST_PRODUCTIONS:
                raise grammar.error(
                    "too many parts of one alternative may be empty; write fewer", production
                )
            for choice in product(*choices):
                symbols = tuple(chain.from_iterable(choice))
                if symbols:
                    distinct[Production(rule, symbols)] = None
        productions[rule] = tuple(distinct)
    return ContextFreeGrammar(grammar.source, productions)


def _check_start(grammar: ContextFreeGrammar, empty: set[str]) -> None:
    """Refuses a grammar whose ``start`` is among the rules that may be empty."""
    if "start" not in empty:
        return
    guilty = next(
        production for production in grammar.productions["start"] if _consists_of(production, empty)
    )
    if guilty.symbols:
        raise grammar.error(
            "start may be empty, and no formula is; make one of its parts not empty", guilty
        )
    raise grammar.error(
        "an alternative of start is empty; write a formula there, or remove its |", guilty
    )


def _consists_of(production: Production, rules: Collection[str]) -> bool:
    return all(symbol.kind == "rule" and symbol.value in rules for symbol in production.symbols)


def _rules_that_may_be_empty(grammar: ContextFreeGrammar) -> set[str]:
    """The smallest set of rules that has each rule with an alternative of rules of the set alone."""
    empty: set[str] = set()
    while True:
        larger = {
            rule
            for rule, productions in grammar.productions.items()
            if any(_consists_of(production, empty) for production in productions)
        }
        if len(larger) == len(empty):
            return empty
        empty = larger


def _rules_that_are_always_empty(grammar: ContextFreeGrammar, empty: set[str]) -> set[str]:
    """The largest set of these rules whose alternatives consist of rules of the set alone."""
    always = empty
    while True:
        smaller = {
            rule
            for rule in always
            if all(_consists_of(production, always) for production in grammar.productions[rule])
        }
        if len(smaller) == len(always):
            return always
        always = smaller
