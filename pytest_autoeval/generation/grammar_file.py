"""Reads a ``.lark`` file as a plain context-free grammar: rules, and productions of signs, slots and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pytest_autoeval.generation.errors import GrammarError
from pytest_autoeval.given_file import read_given
from pytest_autoeval.languages.isolation import GaveUpError, session

#: The kinds of names that fill a slot; the vocabulary must have some of the first kind. A terminal with such a name is
#: a slot, whatever its regular expression.
SLOTS = {
    "PROPOSITION": ("propositions",),
    "ATOM": ("predicates", "constants"),
    "VARIABLE": ("variables",),
    "CONSTANT": ("constants",),
    "SYMBOL": ("alphabet",),
}
_SORTED_CONSTANT = "CONSTANT_"
_MOST_BYTES = 1_000_000
_MOST_PRODUCTIONS = 2000
_SECONDS = 30.0
#: A repetition such as ``~1..100``, after the other texts that may contain it: signs, comments, regular expressions.
_REPEATED = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|#[^\n]*|/(?:\\.|[^/\\\n])+/|~\s*(\d+)(?:\s*\.\.\s*(\d+))?')
_LANGUAGE = re.compile(r"^[ \t]*(?://|#)[ \t]*language:[ \t]*([\w-]+)", re.MULTILINE)
_DEFINITION = re.compile(r"^[?!]*([A-Za-z_]\w*)(?:\.-?\d+)?\s*:", re.MULTILINE)
_REPETITION = re.compile(r"__(\w+)_(?:star|plus)_\d+$")


@dataclass(frozen=True)
class GrammarText:
    """The text of a grammar file."""

    path: str
    text: str

    @property
    def language(self) -> str | None:
        """The name in the comment ``// language: NAME``, if there is one."""
        match = _LANGUAGE.search(self.text)
        return match.group(1) if match else None

    def error(self, problem: str, name: str, which: int = 0) -> GrammarError:
        """An error at the definition of a rule or terminal, or at the first occurrence of its name."""
        starts = [match.start(1) for match in _DEFINITION.finditer(self.text) if match[1] == name]
        used = re.search(rf"^(?![ \t]*(?://|#)).*?\b({re.escape(name)})\b", self.text, re.MULTILINE)
        return self.error_at(problem, starts[which] if starts else used.start(1) if used else 0)

    def error_at(self, problem: str, offset: int) -> GrammarError:
        """An error at a place of the text."""
        before = self.text[:offset]
        return GrammarError(problem, self.path, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1)


def names_for(slot: str) -> tuple[str, ...]:
    """The kinds of names that fill a slot."""
    return SLOTS["CONSTANT" if slot.startswith(_SORTED_CONSTANT) else slot]


def sort_of(slot: str) -> str:
    """The sort of the constants that fill a slot such as ``CONSTANT_TICKET``."""
    return slot.removeprefix(_SORTED_CONSTANT).lower()


class GrammarSymbol(NamedTuple):
    """One place of a production: a sign (with its text), a slot or a rule (with its name)."""

    kind: Literal["sign", "slot", "rule"]
    value: str

    @property
    def is_name(self) -> bool:
        """Whether it stands for a name inside a formula, not for a formula."""
        return self.kind == "slot" and names_for(self.value)[0] in {"variables", "constants"}


@dataclass(frozen=True, slots=True)
class Production:
    """One way to expand a rule."""

    rule: str
    symbols: tuple[GrammarSymbol, ...]

    def __str__(self) -> str:
        return " ".join(f'"{symbol.value}"' if symbol.kind == "sign" else symbol.value for symbol in self.symbols)


@dataclass(frozen=True, slots=True, eq=False)
class ContextFreeGrammar:
    """The productions of every rule that ``start`` reaches, in the order of the file."""

    source: GrammarText
    productions: dict[str, tuple[Production, ...]]

    def error(self, problem: str, production: Production) -> GrammarError:
        """An error at the definition of a production's rule."""
        return self.source.error(f"{problem} (the alternative `{production}`)", production.rule)


def read_grammar(path: Path, *, shipped: bool) -> ContextFreeGrammar:
    """The grammar in a file; raises :class:`GrammarError` with line and column.

    A grammar that is not ``shipped`` is read in a process that can be killed, since Lark takes exponential time for
    some.
    """
    try:
        source = GrammarText(str(path), read_given(path, _MOST_BYTES).decode())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise GrammarError(f"the grammar cannot be read: {reason}", str(path)) from None
    _check_repetitions(source)
    if shipped:
        return grammar_in(source)
    try:
        with session(__name__, _SECONDS) as worker:
            result = worker.call("grammar_or_problem", source)
    except GaveUpError:
        reason = f"it takes more than {_SECONDS:g} seconds or too much memory to read; write fewer and shorter rules"
        raise GrammarError(f"the grammar cannot be read: {reason}", str(path)) from None
    if isinstance(result, ContextFreeGrammar):
        return result
    raise GrammarError(*result)


def _check_repetitions(source: GrammarText) -> None:
    """Limits repetitions: Lark expands each of them before alternatives can be counted."""
    total = 0.0
    for match in _REPEATED.finditer(source.text):
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
    grammar = _splice(ContextFreeGrammar(source, _productions(source)))
    if sum(map(len, grammar.productions.values())) > _MOST_PRODUCTIONS:
        raise source.error(f"the rules have more than {_MOST_PRODUCTIONS:,} alternatives", "start")
    return grammar


def _productions(source: GrammarText) -> dict[str, tuple[Production, ...]]:
    loaded = _load(source)
    patterns = {terminal.name: terminal.pattern for terminal in loaded.terminals}
    productions: dict[str, tuple[Production, ...]] = {}
    for rule in loaded.rules:
        name = str(rule.origin.name)
        if repetition := _REPETITION.match(name):
            raise source.error("+ and * cannot repeat a part of a formula; write a recursive rule", repetition[1])
        production = Production(name, tuple(_symbol(part, patterns, source, name) for part in rule.expansion))
        productions[name] = (*productions.get(name, ()), production)
    return productions


def _load(source: GrammarText) -> Any:
    from lark import Lark
    from lark.exceptions import LarkError

    try:
        return Lark(source.text, parser="earley", source_path=source.path)
    except (LarkError, OSError) as problem:
        raise _located(str(problem), source) from None


def _located(message: str, source: GrammarText) -> GrammarError:
    text = message.strip().partition("\n")[0]
    if located := re.search(r",? at line (\d+),? col(?:umn)? (\d+)", text):
        told = f"not a Lark grammar: {text.replace(located[0], '').strip(' .')}"
        return GrammarError(told, source.path, int(located[1]), int(located[2]))
    if "NonTerminal('start')" in message:
        return GrammarError("there is no rule `start`, from which every formula is derived", source.path)
    named = re.search(r"(?:Rule|Terminal|terminal|token) '?(\w+)'?", text)
    if named and "used but not defined" in text:
        kind = "terminal" if named[1].isupper() else "rule"
        defined = _DEFINITION.findall(source.text)
        mend = f"known are: {', '.join([*SLOTS, *defined])}"
        if close := get_close_matches(named[1], defined, 1):
            mend = f"is {close[0]} a misspelling of it?"
        if named[1] in SLOTS:
            mend = rf"add a line such as {named[1]}: /\w+/"
        return source.error(f"the {kind} {named[1]} is used but not defined; {mend}", named[1])
    return source.error(text, named[1] if named else "start", -1 if "more than once" in text else 0)


def _symbol(part: Any, patterns: dict[str, Any], source: GrammarText, rule: str) -> GrammarSymbol:
    name = str(part.name)
    if not part.is_term:
        return GrammarSymbol("rule", name)
    if name in SLOTS:
        return GrammarSymbol("slot", name)
    pattern = patterns[name]
    if type(pattern).__name__ == "PatternStr":
        return GrammarSymbol("sign", str(pattern.value))
    if name.startswith(_SORTED_CONSTANT):
        return GrammarSymbol("slot", name)
    shown, place = (f"/{pattern.value}/", rule) if name.startswith("__") else (f"the terminal {name}", name)
    raise source.error(f"{shown} is neither a fixed symbol nor a slot; the slots are {', '.join(SLOTS)}", place)


def _splice(grammar: ContextFreeGrammar) -> ContextFreeGrammar:
    """Replaces rules named ``_…`` by their alternatives. They need not be formulas by themselves."""
    rules = grammar.productions

    def expanded(production: Production, above: tuple[str, ...]) -> Iterator[tuple[GrammarSymbol, ...]]:
        ways: list[list[tuple[GrammarSymbol, ...]]] = []
        for kind, name in production.symbols:
            if name in above:
                raise grammar.error(f"the rule {name} contains itself, so its name must not begin with _", production)
            inner = rules[name] if kind == "rule" and name.startswith("_") else ()
            expansions = [way for part in inner for way in expanded(part, (*above, name))]
            ways.append(expansions or [(GrammarSymbol(kind, name),)])
        return (tuple(symbol for part in way for symbol in part) for way in product(*ways))

    productions: dict[str, tuple[Production, ...]] = {}
    for rule in rules:
        if not rule.startswith("_"):
            spliced = [Production(rule, symbols) for production in rules[rule] for symbols in expanded(production, ())]
            productions[rule] = tuple(dict.fromkeys(spliced))
    return ContextFreeGrammar(grammar.source, productions)
