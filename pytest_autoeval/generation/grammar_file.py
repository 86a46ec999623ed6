"""A ``.lark`` file as a plain context-free grammar: rules, and productions of signs, slots and rules."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pytest_autoeval.generation.errors import GrammarError

#: What a slot is filled with; a terminal of such a name is a slot, whatever its regular expression.
SLOTS = {
    "PROPOSITION": "a proposition of the vocabulary",
    "ATOM": "a predicate of the vocabulary with its arguments",
    "VARIABLE": "the variable that a quantifier binds, or one in scope",
    "CONSTANT": "a constant of the vocabulary",
    "SYMBOL": "a symbol of the vocabulary's alphabet",
}
_MOST_PRODUCTIONS = 10_000
#: Lark's names for what its own syntax could have had, as a reader of the file knows them.
_LARK_TERMS = {
    "_LPAR": "(", "_RPAR": ")", "_LBRA": "[", "_RBRA": "]", "_LBRACE": "{", "_RBRACE": "}", "_COLON": ":",
    "_OR": "|", "_DOT": ".", "_COMMA": ",", "TILDE": "~", "OP": "+ * ?", "_NL": "a new line", "$END": "the end",
    "RULE": "a rule", "TERMINAL": "a terminal", "STRING": "a string", "REGEXP": "a regular expression",
}  # fmt: skip
_TOKEN = re.compile(
    r"""(?P<space>(?://|\#)[^\n]*|\s+)
      | (?P<string>"(?:\\.|[^"\\\n])*"i?)
      | (?P<regexp>/(?!/)(?:\\.|[^/\\\n])+/[imslux]*)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_LANGUAGE = re.compile(r"^\s*(?://|#)\s*language:\s*([\w-]+)", re.MULTILINE)
_DEFINITION = re.compile(r"^[?!]*([A-Za-z_]\w*)(?:\.-?\d+)?\s*:", re.MULTILINE)
_REPETITION = re.compile(r"__(\w+)_(?:star|plus)_\d+$")


Position = tuple[int, int]


@dataclass(frozen=True)
class GrammarText:
    """The text of a grammar file."""

    path: str
    text: str

    @property
    def language(self) -> str | None:
        """The name in the comment ``// language: NAME``, if there is one."""
        found = _LANGUAGE.search(self.text)
        return found.group(1) if found else None

    def definition(self, rule: str, which: int = 0) -> Position:
        """Where a rule or terminal is defined, first by default; the beginning of the file if nowhere."""
        starts = [found.start(1) for found in _DEFINITION.finditer(self.text) if found.group(1) == rule]
        return self._position(starts[which]) if starts else (1, 1)

    def use(self, name: str) -> Position:
        """Where a name first stands outside its own definition; its definition if nowhere else."""
        definitions = {found.start(1) for found in _DEFINITION.finditer(self.text)}
        for token in self._tokens():
            if token.group() == name and token.start() not in definitions:
                return self._position(token.start())
        return self.definition(name)

    def token(self, text: str) -> Position | None:
        """Where a token (string, regexp) first stands."""
        return next((self._position(token.start()) for token in self._tokens() if token.group() == text), None)

    def alternatives(self, rule: str) -> list[Position]:
        """Where each top-level alternative of a rule begins."""
        found = next((match for match in _DEFINITION.finditer(self.text) if match.group(1) == rule), None)
        if found is None:
            return []
        following = (match.start() for match in _DEFINITION.finditer(self.text, found.end()))
        body = self.text[: next(following, len(self.text))]
        starts: list[Position] = []
        depth, wanted = 0, True
        for token in self._tokens(found.end(), body):
            if wanted:
                starts.append(self._position(token.start()))
            wanted = token.group() == "|" and depth == 0
            depth += (token.group() in "([") - (token.group() in ")]")
        return starts

    def _tokens(self, start: int = 0, text: str | None = None) -> Iterator[re.Match[str]]:
        matches = _TOKEN.finditer(self.text if text is None else text, start)
        return (match for match in matches if match.lastgroup != "space")

    def _position(self, offset: int) -> Position:
        before = self.text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


class GrammarSymbol(NamedTuple):
    """One place of a production: a sign (its text), a slot (its name) or a rule (its name)."""

    kind: Literal["sign", "slot", "rule"]
    value: str


@dataclass(frozen=True, slots=True)
class Production:
    """One way to expand a rule."""

    rule: str
    symbols: tuple[GrammarSymbol, ...]
    position: Position

    def __str__(self) -> str:
        return " ".join(f'"{symbol.value}"' if symbol.kind == "sign" else symbol.value for symbol in self.symbols)


@dataclass(frozen=True, slots=True, eq=False)
class ContextFreeGrammar:
    """The productions of every rule that ``start`` reaches, in the order of the file."""

    source: GrammarText
    productions: dict[str, tuple[Production, ...]]

    def error(self, problem: str, production: Production) -> GrammarError:
        """An error at a production."""
        return GrammarError(problem, self.source.path, *production.position)


def read_grammar(path: Path) -> ContextFreeGrammar:
    """The grammar in a file; rules whose names begin with ``_`` are put in place of their uses.

    Raises :class:`GrammarError` with line and column.
    """
    try:
        source = GrammarText(str(path), path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as problem:
        raise GrammarError(f"the grammar cannot be read: {problem}", str(path)) from None
    return _splice(ContextFreeGrammar(source, _productions(source)))


def _productions(source: GrammarText) -> dict[str, tuple[Production, ...]]:
    loaded = _load(source)
    patterns = {terminal.name: terminal.pattern for terminal in loaded.terminals}
    by_rule: dict[str, list[Any]] = {}
    for rule in loaded.rules:
        by_rule.setdefault(str(rule.origin.name), []).append(rule)
    productions: dict[str, tuple[Production, ...]] = {}
    for name, rules in by_rule.items():
        repetition = _REPETITION.match(name)
        written = repetition.group(1) if repetition else name
        positions = source.alternatives(written)
        if len(positions) != len(rules):
            positions = [source.definition(written)] * len(rules)
        productions[name] = tuple(
            Production(name, tuple(_symbol(part, patterns, source, position) for part in rule.expansion), position)
            for rule, position in zip(rules, positions, strict=True)
        )
    return productions


def _load(source: GrammarText) -> Any:
    from lark import Lark
    from lark.exceptions import GrammarError as LarkGrammarError
    from lark.exceptions import LarkError, UnexpectedInput

    try:
        return Lark(source.text, parser="earley", source_path=source.path)
    except UnexpectedInput as problem:
        raise _unexpected(problem, source) from None
    except LarkGrammarError as problem:
        raise _located(str(problem), source) from None
    except (LarkError, OSError) as problem:
        raise GrammarError(str(problem).strip(), source.path) from None


def _unexpected(problem: Any, source: GrammarText) -> GrammarError:
    seen = str(getattr(problem, "token", ""))
    what = repr(seen) if seen.strip() else "the end of the line"
    expected = ", ".join(sorted(_LARK_TERMS.get(name, name) for name in getattr(problem, "expected", ())))
    text = f"not a Lark grammar: {what} cannot stand here" + (f"; expected {expected}" if expected else "")
    return GrammarError(text, source.path, problem.line, problem.column)


def _located(message: str, source: GrammarText) -> GrammarError:
    """Lark's message with the place that it speaks of."""
    located = re.search(r"at line (\d+),? column (\d+)", message)
    if located:
        text = message.partition("\n")[0].replace(located[0], "").partition(" in <")[0].strip(" ,:")
        if text.startswith("Unexpected input"):
            text = "not a Lark grammar: what begins here is neither a name, a string nor a sign"
        return GrammarError(text, source.path, int(located[1]), int(located[2]))
    if "NonTerminal('start')" in message:
        return GrammarError("there is no rule `start`, with which every formula begins", source.path)
    named = re.search(r"(?:Rule|Terminal|terminal|token) '?(\w+)'?", message)
    position = source.use(named[1]) if named else (1, 1)
    if named and "used but not defined" in message:
        defined = _DEFINITION.findall(source.text)
        near = difflib.get_close_matches(named[1], [*SLOTS, *defined], n=1)
        hint = f". Did you mean {near[0]}?" if near else ""
        kind = "terminal" if named[1].isupper() else "rule"
        return GrammarError(f"the {kind} {named[1]} is used but not defined{hint}", source.path, *position)
    if named and "more than once" in message:
        position = source.definition(named[1], -1)
    return GrammarError(message.partition("\n")[0].strip(), source.path, *position)


def _symbol(part: Any, patterns: dict[str, Any], source: GrammarText, position: Position) -> GrammarSymbol:
    name = str(part.name)
    if not part.is_term:
        return GrammarSymbol("rule", name)
    if name in SLOTS:
        return GrammarSymbol("slot", name)
    pattern = patterns.get(name)
    if pattern is not None and type(pattern).__name__ == "PatternStr":
        return GrammarSymbol("sign", str(pattern.value))
    known = ", ".join(SLOTS)
    if name.startswith("__") and pattern is not None:
        place = source.token(f"/{pattern.value}/") or position
        problem = f"/{pattern.value}/ is no fixed sign, and a regular expression in a rule fills no slot"
        raise GrammarError(f"{problem}; the slots are {known}", source.path, *place)
    near = difflib.get_close_matches(name, SLOTS, n=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    problem = f"the terminal {name} is neither a fixed sign nor a slot; the slots are {known}.{hint}"
    raise GrammarError(problem, source.path, *source.use(name))


def _splice(grammar: ContextFreeGrammar) -> ContextFreeGrammar:
    """Rules named ``_…`` put in place of their uses, so that they need not be formulas by themselves.

    A recursive one, such as Lark makes for ``+`` and ``*``, stays a rule.
    """
    rules = grammar.productions
    calls = {
        name: {symbol.value for production in rules[name] for symbol in production.symbols if symbol.kind == "rule"}
        for name in rules
    }
    spliced = {name for name in rules if name.startswith("_") and name not in _reached(name, calls)}

    def expanded(production: Production) -> Iterator[tuple[GrammarSymbol, ...]]:
        ways = [
            [way for inner in rules[symbol.value] for way in expanded(inner)]
            if symbol.kind == "rule" and symbol.value in spliced
            else [(symbol,)]
            for symbol in production.symbols
        ]
        return (tuple(symbol for part in way for symbol in part) for way in product(*ways))

    productions: dict[str, tuple[Production, ...]] = {}
    for name in rules:
        if name in spliced:
            continue
        found: dict[tuple[GrammarSymbol, ...], Production] = {}
        for production in rules[name]:
            for symbols in expanded(production):
                if len(found) == _MOST_PRODUCTIONS:
                    raise grammar.error(f"the rule {name} has more than {_MOST_PRODUCTIONS} alternatives", production)
                found.setdefault(symbols, Production(name, symbols, production.position))
        productions[name] = tuple(found.values())
    return ContextFreeGrammar(grammar.source, productions)


def _reached(start: str, calls: dict[str, set[str]]) -> set[str]:
    """The rules that a rule leads to."""
    seen: set[str] = set()
    pending = [start]
    while pending:
        new = calls[pending.pop()] - seen
        seen |= new
        pending += new
    return seen
