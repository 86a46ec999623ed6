"""Formulas in Python notation: ``formulaToFind = Always(LImplies(AtomicProposition("x1"), Next(x2)))``.

The code is parsed, never run. What counts is the last assignment to ``formulaToFind``, at the top level of the code and
in terms of constructors, names of propositions and variables that were assigned earlier in the same way. Imports,
classes, functions, prints and whatever else a model repeats from its prompt around that assignment are passed over, as
long as they bind nothing that the formula uses; anything else inside the formula is refused.
"""

from __future__ import annotations

import ast
import json
import re
from itertools import islice

from pytest_autoeval.languages.answers import Passage, is_contrasted, passages
from pytest_autoeval.languages.base import Formula, FormulaSyntaxError, Reading
from pytest_autoeval.languages.limits import MAX_LENGTH
from pytest_autoeval.languages.ltl.answers.python_program import TARGET, Program
from pytest_autoeval.languages.ltl.answers.python_terms import (
    ATOM,
    CONSTRUCTORS,
    FURTHER,
    LITERAL,
    Terms,
    is_constructor,
)
from pytest_autoeval.languages.ltl.syntax import Atom, Bottom, Temporal, Top
from pytest_autoeval.languages.wrappings import unpacked

#: Characters of an answer; classes and prose around a formula may be longer than any formula.
MAX_ANSWER = 100_000
#: Places of an answer that are tried, from its end.
_MOST_PASSAGES = 500
_APART = ("whole", "block", "label", "line")
_ASSIGNED = re.compile(rf"\b{TARGET}\s*(?::[^=\n]*)?=(?!=)")
_CALL = re.compile(r"\b(?P<name>[A-Za-z_]\w*)\s*\(")
#: A backslash that begins no escape of Python's: LaTeX, and no code.
_STRAY_BACKSLASH = re.compile(r"\\(?![\n'\"\\nrt])")
#: What may follow a formula on its line: the end, or words that do not go on with it.
_REMARK = re.compile(r"[`*.,;!\"]*(?:\s*$|\s+(?!(?:and|or|xor|if|unless|implies|iff|until|since|not)\b)[\w–—(])")
_BRACKET = re.compile(r"[()]")
_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ", re.MULTILINE)
_STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
_NAMES_OF = {node: name for name, node in (CONSTRUCTORS | FURTHER).items()}


def to_python(formula: Temporal) -> str:
    """The formula as a Python expression of constructors, on one line."""
    pieces: list[str] = []
    pending: list[Formula | str] = [formula]
    while pending:
        part = pending.pop()
        match part:
            case str():
                pieces.append(part)
            case Atom(name):
                pieces.append(f"{ATOM}({json.dumps(name, ensure_ascii=False)})")
            case Top() | Bottom():
                pieces.append(f'{LITERAL}("{isinstance(part, Top)}")')
            case _:
                first, *rest = part.children()
                pending += [")", *(piece for child in reversed(rest) for piece in (child, ", ")), first]
                pieces.append(f"{_NAMES_OF[type(part)]}(")  # type: ignore[index]
    return "".join(pieces)


def read_python(answer: str) -> Reading:
    """The formula that an answer assigns to ``formulaToFind``, or else the last expression of constructors in it.

    ``compliant``: the whole answer is that assignment or that expression, and uses the constructors that prompts show.
    A problem in the last assignment is a problem of the answer: no earlier one is taken in its place.
    """
    text = answer.strip()
    if not text:
        return _nothing("the answer is empty")
    if len(text) > MAX_ANSWER:
        return _nothing(f"the answer has {len(text):,} characters; at most {MAX_ANSWER:,} are read")
    tree = _parsed(text)
    if isinstance(tree, ast.Module) and _has_call(tree):
        reading = _read_program(text, tree)
        return reading or _nothing("no formula was found: the code assigns none to formulaToFind")
    return _searched(unpacked(text).translate(_STRAIGHT), problem="" if isinstance(tree, ast.Module) else tree)


def _nothing(problem: str) -> Reading:
    return Reading(None, compliant=False, recovered=False, text="", problem=problem)


def _parsed(source: str) -> ast.Module | str:
    """Python's syntax tree of a text, or why it has none; limited before Python sees it."""
    if len(source) > MAX_LENGTH:
        return f"the code has {len(source):,} characters; at most {MAX_LENGTH:,} are taken"
    if stray := _STRAY_BACKSLASH.search(source):
        return str(FormulaSyntaxError("unexpected '\\\\'", source, stray.start()))
    try:
        return ast.parse(source)
    except SyntaxError as error:
        return f"line {error.lineno or 1}, column {error.offset or 1}: {error.msg}"
    except (RecursionError, MemoryError, ValueError):
        return "the code is nested too deeply"


def _has_call(tree: ast.AST) -> bool:
    """Whether code is more than a word that happens to be an expression of Python's."""
    return any(isinstance(node, ast.Call | ast.Assign | ast.AnnAssign) for node in ast.walk(tree))


def _searched(answer: str, problem: str) -> Reading:
    """The reading of an answer that is not code as a whole."""
    found: list[tuple[Reading, Passage]] = []
    for part in _parts(answer):
        assigns = _ASSIGNED.search(part.text) is not None
        tree = _parsed(part.text)
        if isinstance(tree, str):
            problem = tree if assigns else problem
            reading = _read_beginning(part.text, tree) if assigns and part.place != "whole" else None
        else:
            reading = _recovered(_read_program(part.text, tree))
        if reading and assigns:
            return reading
        if reading and reading.formula:
            found.append((reading, part))
    if answers := _answers(found):
        return answers[0]
    return _nothing(f"no formula was found: {problem}" if problem else "no formula was found")


def _parts(answer: str) -> list[Passage]:
    """The places of an answer that hold code, the last first; all blocks together, of which one may need another."""
    parts = [
        Passage(_PROMPT.sub("", part.text), part.place, part.before, part.after)
        for part in islice(passages(answer, _continues), _MOST_PASSAGES)
        if _is_code(part) and not is_contrasted(part.before, part.after)
    ]
    blocks = [part.text for part in reversed(parts) if part.place == "block"]
    return [Passage("\n".join(blocks), "block"), *parts] if len(blocks) > 1 else parts


def _is_code(part: Passage) -> bool:
    if _ASSIGNED.search(part.text):
        return True
    return part.place != "prose" and any(is_constructor(call["name"]) for call in _CALL.finditer(part.text))


def _continues(text: str, _line: str) -> bool:
    """Whether code goes on in the next line: a bracket is open."""
    is_code = _ASSIGNED.search(text) or _CALL.search(text)
    return bool(is_code) and len(text) <= MAX_LENGTH and text.count("(") > text.count(")")


def _answers(found: list[tuple[Reading, Passage]]) -> list[Reading]:
    """The expressions that are no mere mention of a part of another, those that stand by themselves first."""
    apart = [reading for reading, part in found if part.place in _APART]
    amid = [reading for reading, part in found if reading not in apart]
    return apart + [one for one in amid if not any(one.text != two.text and one.text in two.text for two in amid)]


def _recovered(reading: Reading | None) -> Reading | None:
    if reading is None or reading.formula is None:
        return reading
    return Reading(reading.formula, compliant=False, recovered=True, text=reading.text)


def _read_beginning(text: str, problem: str) -> Reading | None:
    """The formula of the last assignment of a text that goes on with words: up to where its first bracket closes.

    An assignment that begins a line is meant as code, and has a ``problem`` if it is none.
    """
    *_, assignment = _ASSIGNED.finditer(text)
    start = assignment.start()
    before, depth = text[:start], 0
    begins_line = not before.rpartition("\n")[2].strip()
    for bracket in _BRACKET.finditer(text, assignment.end()):
        depth += 1 if bracket[0] == "(" else -1
        if depth <= 0:
            end = bracket.end()
            if "`" in before or is_contrasted(before, text[end:]) or not _REMARK.match(text, end):
                break
            for source in (text[:end], text[start:end]):
                if not isinstance(tree := _parsed(source), str):
                    return _recovered(_read_program(source, tree))
    return _nothing(problem) if begins_line else None


def _read_program(source: str, tree: ast.Module) -> Reading | None:
    """What code says the formula is; None if it speaks of none."""
    program = Program(Terms(source))
    try:
        value = program.formula(tree)
    except FormulaSyntaxError as error:
        return _nothing(str(error))
    if value is None:
        return None
    compliant = program.terms.is_strict and len(tree.body) == 1 and not program.is_other
    return Reading(value.formula, compliant=compliant, recovered=not compliant, text=source)
