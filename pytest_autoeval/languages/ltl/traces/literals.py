"""Traces as Python or JSON: ``traceToFind = Trace(prefix=[{"x1": True}], loop=[{"x1": False}])``.

The code is parsed, never run. It may assign plain values and use them by name; imports, classes and functions that a
model repeats from its prompt are passed over, and anything else in the code is refused, as it may change a value.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from pytest_autoeval.languages.ltl.traces.lasso import MAX_STATES, State
from pytest_autoeval.languages.ltl.traces.spellings import FALSE_WORDS, TRUE_WORDS, Outline, UnreadableTraceError

_CODE = re.compile(r"\btraceToFind\b|\bTrace\(|[\"'](?:prefix|loop)[\"'] ?:")


def is_code(text: str) -> bool:
    """Whether a text speaks of a trace as code does."""
    return _CODE.search(text) is not None


def literal_outline(code: str, atoms: Sequence[str]) -> tuple[Outline, bool]:
    """The trace that code assigns to ``traceToFind``, or else the one that it shows without a name.

    And whether the code is nothing but that, in the form that prompts show. Raises :class:`UnreadableTraceError`.
    """
    try:
        statements = ast.parse(code).body
    except SyntaxError as error:
        raise UnreadableTraceError(f"line {error.lineno or 1} is no Python: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError):
        raise UnreadableTraceError("the code is nested too deeply") from None
    names: dict[str, object] = {**{atom: atom for atom in atoms}, "true": True, "false": False}
    shown: list[object] = []
    for statement in statements:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                names[name] = _value(value, names)
            case ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.FunctionDef() | ast.Assert():
                pass
            case ast.Expr(ast.Constant(str())) | ast.Expr(ast.Call(ast.Name("print"))):
                pass
            case ast.Expr(value):
                shown.append(_value(value, names))
            case _:
                raise UnreadableTraceError(f"line {statement.lineno} of the code does more than to assign a value")
    match names.get("traceToFind", shown[0] if len(shown) == 1 else None):
        case {"loop": list(loop), **others} if set(others) <= {"prefix"}:
            prefix = others.get("prefix", [])
            if isinstance(prefix, list) and len(prefix) + len(loop) <= MAX_STATES:
                states = tuple(_state(state, atoms) for state in (*prefix, *loop))
                return Outline(states, len(prefix)), _is_shown_form(statements)
    raise UnreadableTraceError(
        f"the code has no trace of up to {MAX_STATES:,} states: write Trace(prefix=[…], loop=[…])"
    )


def _is_shown_form(statements: list[ast.stmt]) -> bool:
    match statements:
        case [ast.Assign([ast.Name("traceToFind")], value)] | [ast.Expr(value)]:
            pass
        case _:
            return False
    match value:
        case ast.Call(_, [], [ast.keyword("prefix", ast.List(prefix)), ast.keyword("loop", ast.List(loop))]):
            return all(isinstance(state, ast.Dict) for state in (*prefix, *loop))
    return False


def _value(node: ast.expr | None, names: dict[str, object]) -> object:
    """A plain value; a trace is a mapping with its ``prefix`` and ``loop``."""
    match node:
        case ast.Constant(bool() | int() | str() as value):
            return value
        case ast.Name(name) if name in names:
            return names[name]
        case ast.List(parts) | ast.Tuple(parts) | ast.Set(parts):
            return [_value(part, names) for part in parts]
        case ast.Call(ast.Name("set"), [], []):
            return []
        case ast.Dict(keys, values):
            return _mapping([(_value(key, names), _value(part, names)) for key, part in zip(keys, values, strict=True)])
        case ast.Call(ast.Name("Trace"), parts, keywords) if len(parts) <= 2:
            items = [*zip(("prefix", "loop"), parts, strict=False), *((word.arg, word.value) for word in keywords)]
            return _mapping([(key, _value(part, names)) for key, part in items])
    raise UnreadableTraceError(f"line {node.lineno if node else 1} of the code has more than plain values")


def _mapping(items: list[tuple[object, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in items:
        if not isinstance(key, str) or key in found:
            raise UnreadableTraceError(f"{key!r} is no name, or has two values")
        found[key] = value
    return found


def _state(value: object, atoms: Sequence[str]) -> State:
    """A state given as a mapping, as pairs of name and value, or as the names of what is true."""
    if isinstance(value, dict):
        literals: list[object] = [[name, truth] for name, truth in value.items()]
    elif isinstance(value, list):
        literals = [[literal, True] if isinstance(literal, str) else literal for literal in value]
    else:
        raise UnreadableTraceError("a state is no mapping: write {atom: True, …}")
    values: dict[str, bool] = {}
    for literal in literals:
        match literal:
            case [str(name), _] if name not in atoms:
                raise UnreadableTraceError(f"the atom {name!r} is not among {', '.join(atoms)}")
            case [str(name), bool() | int() | str() as truth] if str(truth).lower() in TRUE_WORDS | FALSE_WORDS:
                is_true = str(truth).lower() in TRUE_WORDS
                if values.setdefault(name, is_true) is not is_true:
                    raise UnreadableTraceError(f"a state gives {name} two values")
            case _:
                raise UnreadableTraceError("a state holds something else than atoms and their truth values")
    return frozenset(name for name, is_true in values.items() if is_true)
