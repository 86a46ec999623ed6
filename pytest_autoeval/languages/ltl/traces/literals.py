"""Traces as Python or JSON: ``traceToFind = Trace(prefix=[{"x1": True}], loop=[{"x1": False}])``.

The code is parsed, never run. It may assign plain values and use them by name; imports, classes and functions that a
model repeats from its prompt are passed over, and anything else in the code is refused, as it may change a value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_autoeval.languages.ltl.traces.lasso import State
from pytest_autoeval.languages.ltl.traces.policies import Outline, UnreadableTraceError
from pytest_autoeval.languages.ltl.traces.spellings import outline
from pytest_autoeval.languages.ltl.traces.text import MAX_LENGTH, MAX_STATES
from pytest_autoeval.languages.ltl.traces.tokens import TRUE_WORDS

#: The variable that prompts ask for.
TARGET = "traceToFind"
_CONSTRUCTOR = "Trace"
_CODE = re.compile(
    rf"\b{TARGET}\b|\b{_CONSTRUCTOR}\s*\(|[\"'](?:prefix|stem|loop|cycle|trace)[\"']\s*:|\b\w+\s*=\s*\[\s*\[?[{{(]"
)
_PREFIXES = ("prefix", "stem")
_LOOPS = ("loop", "cycle")
_WORDS = {"true": True, "false": False}
_COLLECTIONS = frozenset({"set", "frozenset", "list", "tuple", "dict"})


@dataclass(frozen=True, slots=True)
class _Trace:
    prefix: object
    loop: object


def is_code(text: str) -> bool:
    """Whether a text speaks of a trace as code does."""
    return _CODE.search(text) is not None


def is_program(text: str) -> bool:
    """Whether a text that speaks of a trace as code does is Python as a whole."""
    try:
        return is_code(text) and bool(_parsed(text).body)
    except UnreadableTraceError:
        return False


def literal_outline(code: str, atoms: Sequence[str]) -> tuple[Outline, bool]:
    """The trace that code assigns to ``traceToFind``, or else the last one that it writes.

    And whether the code is nothing but that assignment, or the bare ``Trace(…)``, in the form that prompts show.
    Raises :class:`UnreadableTraceError`.
    """
    tree = _parsed(code)
    values = _Values(atoms)
    shown: dict[str, object] = {}
    for statement in tree.body:
        for name, value in values.taken(statement):
            shown.pop(name, None)
            shown[name] = value
    if not shown:
        raise UnreadableTraceError("the code has no trace")
    found = _outline(shown.get(TARGET, [*shown.values()][-1]), atoms)
    return found, len(tree.body) == 1 and _is_shown_form(tree.body[0])


def _parsed(code: str) -> ast.Module:
    if len(code) > MAX_LENGTH:
        raise UnreadableTraceError(f"the code has {len(code):,} characters; at most {MAX_LENGTH:,} are taken")
    try:
        return ast.parse(code.replace("…", "..."))
    except SyntaxError as error:
        raise UnreadableTraceError(f"line {error.lineno or 1} is no Python: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError):
        raise UnreadableTraceError("the code is nested too deeply") from None


def _is_shown_form(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assign([ast.Name(name)], value) if name == TARGET:
            pass
        case ast.Expr(value):
            pass
        case _:
            return False
    match value:
        case ast.Call(
            ast.Name(name), [], [ast.keyword("prefix", ast.List(prefix)), ast.keyword("loop", ast.List(loop))]
        ):
            return name == _CONSTRUCTOR and all(isinstance(state, ast.Dict) for state in (*prefix, *loop))
    return False


class _Values:
    """The plain values of the code, statement by statement."""

    def __init__(self, atoms: Sequence[str]) -> None:
        self._names: dict[str, object] = {**{atom: atom for atom in atoms}, **_WORDS}

    def taken(self, statement: ast.stmt) -> list[tuple[str, object]]:
        """What a statement assigns, or shows without a name."""
        match statement:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, ast.expr() as value):
                self._names[name] = self._value(value)
                return [(name, self._names[name])]
            case ast.Expr(ast.Constant(str())) | ast.Expr(ast.Call(ast.Name("print"))):
                return []
            case ast.Expr(value):
                return [("", self._value(value))]
            case ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.FunctionDef() | ast.Pass() | ast.Assert():
                return []
        raise UnreadableTraceError(f"line {statement.lineno} of the code does more than to assign a value")

    def _value(self, node: ast.expr) -> object:  # noqa: PLR0911 (a return for each sort of value)
        match node:
            case ast.Constant(bool() | int() | str() | None as value):
                return value
            case ast.Constant() if node.value is ...:
                return ...
            case ast.Name(name) if name in self._names:
                return self._names[name]
            case ast.Dict(keys, values):
                return self._mapping(
                    [(self._key(key), self._value(value)) for key, value in zip(keys, values, strict=True)]
                )
            case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
                return [self._value(part) for part in parts]
            case ast.Call(ast.Name(name), arguments, keywords) if name == _CONSTRUCTOR:
                return self._trace(arguments, keywords)
            case ast.Call(ast.Name("dict"), [], keywords):
                return self._mapping([(keyword.arg, self._value(keyword.value)) for keyword in keywords])
            case ast.Call(ast.Name(name), arguments, []) if name in _COLLECTIONS and len(arguments) < 2:
                return self._value(arguments[0]) if arguments else []
        raise UnreadableTraceError(f"line {node.lineno} of the code has more than plain values")

    def _key(self, key: ast.expr | None) -> object:
        if key is None:
            raise UnreadableTraceError("a state is written in terms of another one")
        return self._value(key)

    def _mapping(self, items: list[tuple[object, object]]) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in items:
            if not isinstance(key, str):
                raise UnreadableTraceError("a key of a state is no name of an atom")
            if found.setdefault(key, value) is not value:
                raise UnreadableTraceError(f"a state gives {key} two values")
        return found

    def _trace(self, arguments: list[ast.expr], keywords: list[ast.keyword]) -> _Trace:
        parts = dict(zip(("prefix", "loop"), map(self._value, arguments), strict=False))
        for keyword in keywords:
            name = "prefix" if keyword.arg in _PREFIXES else "loop" if keyword.arg in _LOOPS else ""
            if not name or name in parts:
                raise UnreadableTraceError(f"a trace has a prefix and a loop, not {keyword.arg}")
            parts[name] = self._value(keyword.value)
        if len(arguments) > 2 or "loop" not in parts:
            raise UnreadableTraceError("a trace is written Trace(prefix=[…], loop=[…])")
        return _Trace(parts.get("prefix", []), parts["loop"])


def _outline(value: object, atoms: Sequence[str]) -> Outline:
    match value:
        case _Trace(prefix, loop):
            before, repeated = _states(prefix, atoms), _states(loop, atoms)
            return Outline((*before, *repeated), len(before))
        case {"trace": inner, **others} if not others:
            return _outline(inner, atoms)
        case dict():
            loops = [key for key in value if key in _LOOPS]
            prefixes = [key for key in value if key in _PREFIXES]
            if len(loops) == 1 and len(prefixes) < 2 and len(value) == len(loops) + len(prefixes):
                prefix = value[prefixes[0]] if prefixes else []
                return _outline(_Trace(prefix, value[loops[0]]), atoms)
        case str():
            return outline(value, atoms)
        case [*states]:
            goes_on = bool(states) and states[-1] in (..., "...")
            return Outline(_states(states[:-1] if goes_on else states, atoms), goes_on=goes_on)
    raise UnreadableTraceError("the code has no trace: write Trace(prefix=[…], loop=[…])")


def _states(value: object, atoms: Sequence[str]) -> tuple[State, ...]:
    if not isinstance(value, list):
        raise UnreadableTraceError("prefix and loop are lists of states")
    if len(value) > MAX_STATES:
        raise UnreadableTraceError(f"the trace has more than {MAX_STATES:,} states")
    return tuple([_state(state, atoms) for state in value])


def _state(value: object, atoms: Sequence[str]) -> State:
    """A state given as a mapping, as pairs of name and value, or as the names of what is true."""
    values: dict[str, bool] = {}
    if isinstance(value, dict):
        literals: list[object] = [[name, truth] for name, truth in value.items()]
    elif isinstance(value, list):
        literals = [[literal, True] if isinstance(literal, str) else literal for literal in value]
    else:
        raise UnreadableTraceError("a state is no mapping: write {atom: True, …}")
    for literal in literals:
        match literal:
            case [str(name), bool() | 0 | 1 | str() as truth] if name in atoms:
                if isinstance(truth, str) and truth.lower() not in {*TRUE_WORDS, "false", "f", "0", "⊥"}:
                    raise UnreadableTraceError(f"{truth!r} is no truth value of {name}")
                is_true = truth.lower() in TRUE_WORDS if isinstance(truth, str) else bool(truth)
                if values.setdefault(name, is_true) is not is_true:
                    raise UnreadableTraceError(f"a state gives {name} two values")
            case [str(name), _] if name not in atoms:
                raise UnreadableTraceError(f"the atom {name!r} is not among {', '.join(atoms)}")
            case _:
                raise UnreadableTraceError("a state holds something else than atoms and their truth values")
    return frozenset(name for name, is_true in values.items() if is_true)
