"""Reads the trace in a model's answer, in any known notation.

The places of a trace are those of a formula: see :mod:`pytest_autoeval.languages.reading`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_autoeval.languages.answers import UnreadableError, labels
from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.traces.lasso import (
    MAX_LENGTH,
    MAX_STATES,
    Lasso,
    State,
    parse_trace,
)
from pytest_autoeval.languages.ltl.traces.spellings import (
    FALSE_WORDS,
    TRUE_WORDS,
    Outline,
    UnreadableTraceError,
    outline,
)
from pytest_autoeval.languages.plain_replies import plain
from pytest_autoeval.languages.reading import Search
from pytest_autoeval.lazy_pattern import lazy_pattern

#: The largest number of characters of code for Python's parser.
MAX_CODE = 30_000
#: Causes of warnings of Python's parser: backslashes in strings, numbers next to a word.
_WARNED_OF = lazy_pattern(r"\\|(?<![\w.])\.?\d[\w.]*?(?:and|else|for|if|in|is|not|or)")
_CODE = lazy_pattern(r"\btraceToFind\b|\bTrace\(|[\"'](?:prefix|loop)[\"'] ?:")


def is_code(text: str) -> bool:
    """Whether a text contains a trace as code."""
    return _CODE.search(text) is not None


def literal_outline(code: str, atoms: Sequence[str]) -> tuple[Outline, bool]:
    """The trace that code assigns to ``traceToFind``, or else shows without a name.

    The second value is whether the code has nothing else and has the form of the prompts. Raises
    :class:`UnreadableTraceError`.
    """
    statements = _statements(code)
    names: dict[str, object] = {**{atom: atom for atom in atoms}, "true": True, "false": False}
    unnamed: list[object] = []
    for statement in statements:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                names[name] = _value(value, names)
            case (
                ast.Import() | ast.ImportFrom() | ast.ClassDef() | ast.FunctionDef() | ast.Assert()
            ):
                pass
            case ast.Expr(ast.Constant(str())) | ast.Expr(ast.Call(ast.Name("print"))):
                pass
            case ast.Expr(value):
                unnamed.append(_value(value, names))
            case _:
                raise UnreadableTraceError(
                    f"line {statement.lineno} of the code does not just assign a value"
                )
    match names.get("traceToFind", unnamed[0] if len(unnamed) == 1 else None):
        case {"loop": list(loop), **others} if set(others) <= {"prefix"}:
            prefix = others.get("prefix", [])
            if isinstance(prefix, list) and len(prefix) + len(loop) <= MAX_STATES:
                states = tuple(_state(state, atoms) for state in (*prefix, *loop))
                return Outline(states, len(prefix)), _is_shown_form(statements)
    raise UnreadableTraceError(
        f"the code has no trace of up to {MAX_STATES:,} states: write Trace(prefix=[…], loop=[…])"
    )


def _statements(code: str) -> list[ast.stmt]:
    if len(code) > MAX_CODE:
        raise UnreadableTraceError(
            f"the code has {len(code):,} characters; at most {MAX_CODE:,} are read"
        )
    # Python joins such lines. The backslash itself would be refused below.
    code = code.replace("\\\n", " ")
    # Python's parser prints warnings about these, and a run with warnings as errors would break off.
    if match := _WARNED_OF.search(code):
        raise UnreadableTraceError(f"{match[0][:20]!r} is not allowed in the code of a trace")
    try:
        return ast.parse(code).body
    except SyntaxError as error:
        raise UnreadableTraceError(f"line {error.lineno or 1}is not Python: {error.msg}") from None
    except (RecursionError, MemoryError, ValueError):
        raise UnreadableTraceError("the code is nested too deeply") from None


def _is_shown_form(statements: list[ast.stmt]) -> bool:
    match statements:
        case [ast.Assign([ast.Name("traceToFind")], value)] | [ast.Expr(value)]:
            pass
        case _:
            return False
    match value:
        case ast.Call(
            _, [], [ast.keyword("prefix", ast.List(prefix)), ast.keyword("loop", ast.List(loop))]
        ):
            return all(isinstance(state, ast.Dict) for state in (*prefix, *loop))
    return False


def _value(node: ast.expr | None, names: dict[str, object]) -> object:
    """A plain value; a trace is a mapping with its ``prefix`` and ``loop``."""
    match node:
        case ast.Constant(bool() | int() | str() as value):
            return value
        case ast.Name(name) if name in names:
            return names[name]
        case ast.List(elements) | ast.Tuple(elements) | ast.Set(elements):
            return [_value(element, names) for element in elements]
        case ast.Call(ast.Name("set"), [], []):
            return []
        case ast.Dict(keys, values):
            pairs = zip(keys, values, strict=True)
            return _mapping([(_value(key, names), _value(value, names)) for key, value in pairs])
        case ast.Call(ast.Name("Trace"), elements, keywords) if len(elements) <= 2:
            items = [
                *zip(("prefix", "loop"), elements, strict=False),
                *((word.arg, word.value) for word in keywords),
            ]
            return _mapping([(key, _value(element, names)) for key, element in items])
    raise UnreadableTraceError(
        f"line {node.lineno if node else 1} of the code has something other than plain values"
    )


def _mapping(items: list[tuple[object, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for key, value in items:
        if not isinstance(key, str) or key in entries:
            raise UnreadableTraceError(f"{key!r} is not a name, or has two values")
        entries[key] = value
    return entries


def _state(value: object, atoms: Sequence[str]) -> State:
    """A state as a mapping, as pairs of name and value, or as the names of true propositions."""
    if isinstance(value, dict):
        literals: list[object] = [[name, truth] for name, truth in value.items()]
    elif isinstance(value, list):
        literals = [[literal, True] if isinstance(literal, str) else literal for literal in value]
    else:
        raise UnreadableTraceError("a state is not a mapping: write {atom: True, …}")
    values: dict[str, bool] = {}
    for literal in literals:
        match literal:
            case [str(name), _] if name not in atoms:
                raise UnreadableTraceError(f"the atom {name!r} is not among {', '.join(atoms)}")
            case [str(name), bool() | int() | str() as truth] if (
                str(truth).lower() in TRUE_WORDS | FALSE_WORDS
            ):
                is_true = str(truth).lower() in TRUE_WORDS
                if values.setdefault(name, is_true) is not is_true:
                    raise UnreadableTraceError(f"a state gives {name} two values")
            case _:
                raise UnreadableTraceError(
                    "a state has something other than atoms and their truth values"
                )
    return frozenset(name for name, is_true in values.items() if is_true)


#: ``Trace:``, ``A satisfying trace = `` before the trace.
_INTRODUCTION = lazy_pattern(
    r"[\w \t*-]{0,60}\b(?P<word>trace|lasso|run|path|answer)\b[*_]{0,3}\s?(?::=|[:=])",
    re.IGNORECASE,
)
_LOOP = lazy_pattern(r"\b(?:cycle|loop)\b ?[{(\[:]|ω")
#: The labels of a trace and of an answer.
_LABELS = labels(r"answers?|traces?|lasso|run|path", "follows|final|below|here")


@dataclass(frozen=True, slots=True)
class TraceReading:
    """The result of reading an answer.

    ``compliant``: the whole answer is a trace in the requested notation. ``recovered``: the trace was found in a fence,
    between words or in another notation. ``text`` is the part of the answer that was used; ``problem`` says why
    ``lasso`` is None, or is empty. ``broke_off``: an ellipsis stands for the loop.
    """

    lasso: Lasso | None
    compliant: bool
    recovered: bool
    text: str
    problem: str = ""
    broke_off: bool = False


def read_trace(
    answer: str,
    atoms: Sequence[str],
    *,
    notation: Literal["text", "python"] = "text",
    is_explicit: bool = False,
) -> TraceReading:
    """The trace in an answer, over the given atoms; raises nothing for any answer.

    ``notation`` is the requested one. ``is_explicit`` refuses a trace that ends with an ellipsis. A trace that just
    ends is refused in any case.
    """
    text = answer.strip()
    if not text:
        return _nothing("the answer is empty")
    if len(text) > MAX_LENGTH:
        return _nothing(f"the answer has {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    if strict := _strict(text, atoms, notation):
        return TraceReading(strict, compliant=True, recovered=False, text=text)
    return _searched(text, atoms, is_explicit)


def _nothing(problem: str) -> TraceReading:
    return TraceReading(None, compliant=False, recovered=False, text="", problem=problem)


def _strict(text: str, atoms: Sequence[str], notation: str) -> Lasso | None:
    try:
        if notation == "text":
            return parse_trace(text, atoms)
        written, is_shown_form = literal_outline(text, atoms)
        return written.trace(atoms) if is_shown_form else None
    except (FormulaSyntaxError, UnreadableTraceError):
        return None


def _searched(answer: str, atoms: Sequence[str], is_explicit: bool) -> TraceReading:
    """The only trace of the first rank that has one."""
    # A full stop at the end of a text is punctuation; three are an ellipsis.
    text = plain(re.sub(r"\.{3,}", "…", answer))
    search = Search(
        lambda passage: _read(passage, atoms, is_explicit),
        lambda *_: True,
        lambda passage: _is_attempt(passage, atoms),
        _LABELS,
    )
    try:
        (lasso, broke_off), source = search.chosen(text)
    except UnreadableError as error:
        return _nothing(str(error).replace("formula", "trace"))
    return TraceReading(lasso, compliant=False, recovered=True, text=source, broke_off=broke_off)


def _read(text: str, atoms: Sequence[str], is_explicit: bool) -> tuple[Lasso, bool]:
    if is_code(text):
        return literal_outline(text, atoms)[0].trace(atoms), False
    written = outline(_without_introduction(text, atoms), atoms)
    # An ellipsis after a marked loop only says that the loop repeats.
    broke_off = written.goes_on and written.loop_at is None
    if broke_off and is_explicit:
        raise UnreadableTraceError(
            "the trace has no loop, but it has to be infinite: write the loop as cycle{…}"
        )
    return written.trace(atoms), broke_off


def _without_introduction(text: str, atoms: Sequence[str]) -> str:
    """The text after the words that introduce a trace. In ``run = 1``, ``run`` may be an atom."""
    introduction = _INTRODUCTION.match(text)
    return (
        text
        if introduction is None or introduction["word"] in atoms
        else text[introduction.end() :]
    )


def _is_attempt(text: str, atoms: Sequence[str]) -> bool:
    """Whether a text that is not a trace was meant as one."""
    words = re.findall(r"\w+(?:\.\w+)*", text)
    return is_code(text) or _LOOP.search(text) is not None or not set(atoms).isdisjoint(words)
