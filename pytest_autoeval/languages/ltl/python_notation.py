"""Formulas in Python notation: ``formulaToFind = Always(LImplies(AtomicProposition("x1"), Next(x2)))``.

The code is parsed by a separate grammar (assignments and expressions of constructors) and never run. Other lines are
skipped; a formula that uses a name bound by such a line is refused. The constructors of the prompts are strict. Others
(``And``, ``Globally``, ``&``) are read if they have only one meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial, reduce
from keyword import iskeyword
from typing import Final, NoReturn

from pytest_autoeval.languages.answers import FORMULA_LABELS, MAX_REPLY, passages
from pytest_autoeval.languages.base import Formula, FormulaSyntaxError, Reading
from pytest_autoeval.languages.ltl import syntax as ltl
from pytest_autoeval.languages.ltl.parser import INFIXES, PREFIXES, is_name
from pytest_autoeval.languages.plain_replies import plain
from pytest_autoeval.languages.reading import nothing
from pytest_autoeval.languages.size_limits import MAX_DEPTH, MAX_LENGTH, MAX_NODES
from pytest_autoeval.languages.thoughts import without_thoughts
from pytest_autoeval.lazy_pattern import lazy_pattern

#: Characters of code that is read.
_LONGEST_CODE: Final = 50_000
_TARGET, _ATOM, _LITERAL = "formulaToFind", "AtomicProposition", "Literal"
_FUTURE: Final = (ltl.Next, ltl.Always, ltl.Eventually, ltl.Until)
_PAST: Final = (ltl.Yesterday, ltl.Once, ltl.Historically, ltl.Since)
_FURTHER: Final = (ltl.Release, ltl.WeakUntil, ltl.WeakYesterday, ltl.Triggered)
#: The constructors of the prompts; ``_WRITTEN`` has those of all operators.
_SHOWN: dict[str, type[ltl.Temporal]] = {
    **{f"L{node.__name__}": node for node in (ltl.Not, ltl.And, ltl.Or, ltl.Implies)},
    "LEquiv": ltl.Iff,
    **{node.__name__: node for node in (*_FUTURE, *_PAST)},
}
_WRITTEN = {**_SHOWN, "LXor": ltl.Xor, **{node.__name__: node for node in _FURTHER}}
_NAMES_OF: dict[type[Formula], str] = {node: name for name, node in _WRITTEN.items()}
_TRUTH: dict[str, type[ltl.Top | ltl.Bottom]] = {"true": ltl.Top, "false": ltl.Bottom}
_SYNONYMS = {
    "iff": ltl.Iff,
    "equivalent": ltl.Iff,
    "globally": ltl.Always,
    "finally": ltl.Eventually,
}
#: All constructors that are read: in lower case, without underscores and the ``L`` of logic.
_READ: dict[str, type[ltl.Temporal]] = {
    **{name.removeprefix("L").lower(): node for name, node in _WRITTEN.items()},
    **_SYNONYMS,
    **dict.fromkeys(("prev", "previous", "previously"), ltl.Yesterday),
    **dict.fromkeys(
        ("atomicproposition", "literal", "proposition", "prop", "atom", "variable", "var"), ltl.Atom
    ),
}
_LETTERS = {**PREFIXES, **{sign: node for sign, (_, node) in INFIXES.items()}, "V": ltl.Release}
#: Python's binary and unary operators, with their precedence.
_BETWEEN: Final = {"or": (1, ltl.Or), "and": (2, ltl.And), "|": (4, ltl.Or), "&": (5, ltl.And)}
_IN_FRONT: Final = {"not": 3, "~": 6}
#: The names of operands, in their order: those of the classes in the prompts, and others that models use.
_SIDES: Final = ({"a": 0, "b": 1}, {"left": 0, "right": 1})
_ALONE: Final = frozenset(("a", "left", "operand", "formula", "arg", "child"))
#: Names of other variables that hold the answer.
_RESULT = lazy_pattern(r"formula|ltl|answer|result|spec|phi|^f$", re.IGNORECASE)

_TOKEN = lazy_pattern(
    r"(?P<blank>(?:[ \t\r\f\v]|\\\n)++|#[^\n]*+)|(?P<end>[\n;]|\Z)|(?P<name>[^\W\d]\w*+)"
    r"|(?P<text>\"{3}.*?\"{3}|'{3}.*?'{3}|\"(?:[^\"\\\n]|\\[^\n])*+\"|'(?:[^'\\\n]|\\[^\n])*+')"
    r"|(?P<sign>[\"'][^\n]*+|[-+*/%&|^@<>=!:]=|.)",  # a quote that is never closed takes the rest of its line
    re.DOTALL,
)
_NAMES: Final = r"[^\W\d]\w*+(?:[ \t]*+,[ \t]*+[^\W\d]\w*+)*+"
_IS: Final = rf"[ \t]*+(?::[ \t]*+(?!{_TARGET})[\w.\[\]]++[ \t]*+)?=(?!=)"
_TARGETS = lazy_pattern(rf"({_NAMES}){_IS}")
_ASSIGNMENT = lazy_pattern(rf"^[ \t]*+{_TARGET}{_IS}", re.MULTILINE)
_FLOW: Final = r"(?:if|elif|else|for|while|with|try|except|finally)\b"
#: A line that is skipped, with the lines inside its block or bracket, and the names that it binds.
_PASSED_OVER = lazy_pattern(
    rf"(?:(?P<flow>{_FLOW}[^\n]*+)|(?:class|def)\b[^\n]*+|[^\n]*[(\[{{][ \t]*+(?=\n))(?:\n++[ \t)\]}}][^\n]*+)*+"
    r"|(?:[^\n\\]|\\[\s\S]|\\\Z)*+"
)
_BINDING = lazy_pattern(
    r"^[ \t]*+(?:(?P<own>class\b[^\n(:]*|(?:from\b[^\n]*)?\bimport\b[^\n]*)|def (?P<function>\w+)"
    r"|for (?P<loop>[^\n]*?)\bin\b|with\b[^\n]*\bas (?P<alias>\w+)"
    rf"|(?:{_FLOW}[^\n]*: )?\(?(?P<targets>{_NAMES})\)?[ \t]*+(?:[-+*/%&|^@]?=(?!=)))",
    re.MULTILINE,
)
_FENCE = lazy_pattern(
    r"^[ \t]*+(`{3,}+|~{3,}+)[^\n`]*+\n(?P<code>.*?)(?:^[ \t]*+\1|\Z)", re.MULTILINE | re.DOTALL
)
_PROMPT = lazy_pattern(r"^(?:>>>|\.\.\.|>) ", re.MULTILINE)


def to_python(formula: Formula) -> str:
    """The formula as a Python expression of constructors, on one line."""
    match formula:
        case ltl.Atom(name):
            return f"{_ATOM}({json.dumps(name, ensure_ascii=False)})"
        case ltl.Top() | ltl.Bottom():
            return f'{_LITERAL}("{isinstance(formula, ltl.Top)}")'
    return f"{_NAMES_OF[type(formula)]}({', '.join(map(to_python, formula.children()))})"


def read_python(answer: str) -> Reading:
    """The formula that an answer assigns to ``formulaToFind``, or else its one expression of constructors.

    ``compliant``: the whole answer is that assignment or expression, alone or in one fence, and uses only the
    constructors of the prompts. If the last assignment cannot be read, no earlier one is used.
    """
    text = answer.strip()
    if not text:
        return nothing("the answer is empty")
    if len(text) > MAX_REPLY:
        return nothing(f"the answer has {len(text):,} characters; at most {MAX_REPLY:,} are read")
    groups: list[list[_Program]] = []
    for sources in _places(text):
        group = [_program(code) for code in sources if len(code) <= _LONGEST_CODE]
        groups.append([program for program in group if program.formula])
    assigned = [[program for program in group if program.chosen == _TARGET] for group in groups]
    # An assignment to the name that the prompt asks for goes before any other formula, wherever it stands.
    programs = next(filter(None, assigned + groups), [])
    formulas: set[ltl.Temporal] = set()
    for program in programs:
        outcome = program.formula
        if isinstance(outcome, _CodeError):
            problem = FormulaSyntaxError(outcome.problem, program.source, outcome.offset)
            return nothing(str(problem))
        if outcome is not None:
            formulas.add(outcome)
    if len(formulas) != 1:
        return nothing("the answer gives several formulas" if formulas else "no formula was found")
    formula = formulas.pop()
    # Names for subformulas allow a text that is exponentially longer than the code.
    if _length(formula) > MAX_LENGTH:
        return nothing(f"the formula has more than {MAX_LENGTH:,} characters")
    fence = _FENCE.fullmatch(text)
    is_closed = fence is not None and text.endswith(fence[1])
    code = fence["code"].strip() if fence and is_closed else text
    is_whole = program.source.strip() == code and program.lines == 1
    compliant = is_whole and program.is_strict and {*program.names} <= {_TARGET}
    return Reading(formula, compliant=compliant, recovered=not compliant, text=program.source)


def _places(text: str) -> Iterator[list[str]]:
    """The places of code: all fences as one program, the whole answer, after labels, in marked spans."""
    code = _PROMPT.sub("", without_thoughts(text))
    fences = [*_FENCE.finditer(code)]
    if fences and not _ASSIGNMENT.search(code, fences[-1].end()):
        yield ["\n".join(fence["code"] for fence in fences)]
    yield [code]
    marked = [*passages(plain(text), FORMULA_LABELS)]
    for kind in ("final", "label", "span"):
        yield [passage.text for passage in marked if passage.place == kind]


class _CodeError(Exception):
    """Code that is not a formula: the problem and its offset."""

    def __init__(self, problem: str, offset: int) -> None:
        self.problem = problem
        self.offset = offset


def _length(formula: ltl.Temporal) -> int:
    """The characters of the canonical text, or of the names alone if these exceed the limit."""
    # A shared subformula is written out each time, so the text may be far longer than the code.
    names = sum(len(node.name) for node in formula.subformulas() if isinstance(node, ltl.Atom))
    return names if names > MAX_LENGTH else len(str(formula))


_NOT_YET = _CodeError("is used before it is assigned", 0)


def _program(source: str) -> _Program:
    """The program of a piece of code. A name that it assigns anywhere is not a proposition, so it is run twice."""
    tokens = [token for token in _TOKEN.finditer(source) if token.lastgroup != "blank"]
    program = _Program(source, tokens).run()
    if not program.bound:
        return program
    return _Program(source, tokens, dict.fromkeys(program.bound, _NOT_YET)).run()


@dataclass(slots=True)
class _Program:
    source: str
    tokens: list[re.Match[str]]
    names: dict[str, ltl.Temporal | _CodeError] = field(default_factory=dict)
    #: The names that do not stand for the proposition of the same name.
    bound: set[str] = field(default_factory=set)
    #: The variable that holds the formula.
    chosen: str = ""
    #: Expressions without a variable.
    expressions: set[ltl.Temporal | _CodeError] = field(default_factory=set)
    #: Whether only constructors of the prompts have been used.
    is_strict: bool = True
    has_constructor: bool = False
    lines: int = 0
    at: int = 0
    open_brackets: int = 0

    @property
    def formula(self) -> ltl.Temporal | _CodeError | None:
        """The formula of the code, or the error in it; None if there is no formula."""
        if self.chosen:
            return self.names[self.chosen]
        if len(self.expressions) > 1:
            return _CodeError("the code has several formulas", 0)
        return next(iter(self.expressions), None)

    def run(self) -> _Program:
        """Takes assignments and expressions of constructors, and skips any other line."""
        while self.at < len(self.tokens):
            start = self.at
            if self.tokens[start].lastgroup == "end":
                self.at += 1
                continue
            self.lines += 1
            targets: list[list[str]] = []
            while match := _TARGETS.match(self.source, self.tokens[self.at].start()):
                targets.append(re.findall(r"\w+", match[1]))
                self._go_to(match.end())
            word, following = self.tokens[start][0], self.tokens[start + 1][0]
            if targets or word in ("(", "~", "not") or (following == "(" and _constructor(word)):
                self._take(start, targets)
            else:
                self._pass_over(start)
        return self

    def _take(self, start: int, targets: list[list[str]]) -> None:
        """Takes a value up to the end of the line; after an error, goes back to the line of the error."""
        self.open_brackets = 0
        self.has_constructor = False
        values: list[ltl.Temporal | _CodeError] = []
        try:
            values += self._listed(depth=1)[1]
            is_complete = self.tokens[self.at].lastgroup == "end"
            ends_in_comma = self.tokens[self.at - 1][0] == ","
            if not is_complete or ends_in_comma:
                self._fail(f"unexpected {self._peek()[:20]!r} after the formula")
            if self.tokens[self.at].start() - self.tokens[start].start() > MAX_LENGTH:
                self._fail(f"the formula has more than {MAX_LENGTH:,} characters", start)
            if any(len(names) != len(values) for names in targets or [[""]]):
                self._fail("each name takes one formula", start)
        except _CodeError as problem:
            values = [problem.with_traceback(None)] * max(map(len, targets), default=1)
            while self.at > start and self.tokens[self.at - 1].lastgroup != "end":
                self.at -= 1
            if self.at == start:
                self._pass_over(start)
        for names in targets:
            self._bind_values(names, values)
        if not targets and self.has_constructor:
            self.expressions |= {*values}

    def _bind_values(self, names: list[str], values: list[ltl.Temporal | _CodeError]) -> None:
        for name, value in zip(names, values, strict=False):
            self._bind(name, value)
            if self.chosen != _TARGET and _RESULT.search(name):
                self.chosen = name

    def _bind(self, name: str, value: ltl.Temporal | _CodeError) -> None:
        self.names[name] = value
        if value != ltl.Atom(name):
            self.bound.add(name)
        if name == _TARGET:
            self.chosen = name

    def _pass_over(self, start: int) -> None:
        """Skips a line, and notes the names that it binds."""
        offset = self.tokens[start].start()
        passed = _PASSED_OVER.match(self.source, offset)
        assert passed
        # The block of an `if` or a loop binds names of the module; those inside a class or function are its own.
        lines = passed[0] if passed["flow"] else passed[0].partition("\n")[0]
        for binding in _BINDING.finditer(lines):
            # The class of a constructor, as in the prompts.
            may_repeat = binding["own"] and " as " not in binding[0]
            for name in re.findall(r"[^\W\d]\w*", binding[binding.lastgroup or 0]):
                if not (may_repeat and _constructor(name)):
                    problem = f"{name!r} is bound by a line that is not read"
                    self._bind(name, _CodeError(problem, offset))
        self._go_to(passed.end())

    def _go_to(self, offset: int) -> None:
        while self.tokens[self.at].start() < offset:
            self.at += 1

    def _fail(self, problem: str, number: int | None = None) -> NoReturn:
        raise _CodeError(problem, self.tokens[self.at if number is None else number].start())

    def _peek(self) -> str:
        # Inside brackets, Python ignores the ends of lines.
        while self.open_brackets and self.tokens[self.at][0] == "\n":
            self.at += 1
        return self.tokens[self.at][0]

    def _accept(self, sign: str) -> bool:
        is_there = self._peek() == sign
        self.at += is_there
        return is_there

    def _close(self) -> None:
        if not self._accept(")"):
            following = self._peek()[:20]
            self._fail(f"unexpected {following!r}" if following else "'(' is never closed")
        self.open_brackets -= 1

    def _listed(self, depth: int) -> tuple[list[str], list[ltl.Temporal]]:
        names: list[str] = []
        values: list[ltl.Temporal] = []
        while self._peek() != ")" and self.tokens[self.at].lastgroup != "end":
            is_name_token = self.tokens[self.at].lastgroup == "name"
            is_named = is_name_token and self.tokens[self.at + 1][0] == "="
            names.append(self._peek() if is_named else "")
            self.at += 2 * is_named
            values.append(self._expression(depth=depth))
            if not self._accept(","):
                break
        return names, values

    def _expression(self, strength: int = 0, depth: int = 1) -> ltl.Temporal:
        """The formula that begins here, up to an operator with less than ``strength``."""
        word, start = self._peek(), self.at
        if depth > MAX_DEPTH:
            self._fail(f"nested too deeply; at most {MAX_DEPTH} levels are allowed")
        if strength <= _IN_FRONT.get(word, -1):
            self.at += 1
            value = self._built(start, ltl.Not, self._expression(_IN_FRONT[word], depth + 1))
        elif self._accept("("):
            self.open_brackets += 1
            value = self._expression(depth=depth + 1)
            self._close()
        elif self.tokens[start].lastgroup == "name" and self.tokens[start + 1][0] == "(":
            self.at += 2
            value = self._call(start, depth)
        else:
            value = self._name()
        # Operators of equal strength go to the left, as in Python.
        while (infix := _BETWEEN.get(self._peek())) and infix[0] >= strength:
            infix_strength, connective = infix
            start, self.at = self.at, self.at + 1
            right = self._expression(infix_strength + 1, depth + 1)
            value = self._built(start, connective, value, right)
        return value

    def _name(self) -> ltl.Temporal:
        word, kind = self._peek(), self.tokens[self.at].lastgroup
        name = word.strip("\"' ") if kind == "text" else word
        # `tRUE` may be a proposition; `true`, `True` and `TRUE` are constants.
        is_usual_case = name in (name.lower(), name.title(), name.upper())
        constant = _TRUTH.get(name.lower()) if is_usual_case else None
        self.is_strict &= kind == "name" and constant is None
        if kind == "name" and name in self.names:
            value = self.names[name]
            if isinstance(value, _CodeError):
                problem = value.problem if value is _NOT_YET else "contains no formula"
                self._fail(f"{name!r} {problem}")
        elif constant is None and (
            kind not in ("name", "text") or (kind == "name" and iskeyword(name))
        ):
            self._fail(f"unexpected {name[:20]!r}: only constructors and names are allowed")
        elif constant is None and (not is_name(name) or (kind == "name" and name in _WRITTEN)):
            self._fail(f"{name!r} is not the name of a proposition")
        else:
            value = constant() if constant else ltl.Atom(name)
        self.at += 1
        return value

    def _call(self, start: int, depth: int) -> ltl.Temporal:
        """The formula of a constructor and its arguments; ``start`` is its token, and the bracket is already taken."""
        name = self.tokens[start][0]
        node = _constructor(name)
        if node is None or name in self.names:
            self._fail(f"{name!r} is not a constructor", start)
        was_strict, self.has_constructor = self.is_strict, True
        self.open_brackets += 1
        names, values = self._listed(depth + 1)
        self._close()
        if issubclass(node, ltl.Unary | ltl.Binary):
            return self._built(start, node, *self._in_order(start, node, names, values))
        if len(values) != 1 or values[0].height > 1:
            self._fail(f"{name!r} takes a name", start)
        shown_name = _ATOM if isinstance(values[0], ltl.Atom) else _LITERAL
        self.is_strict = was_strict and name == shown_name
        return values[0]

    def _in_order(
        self, start: int, node: type[ltl.Temporal], names: list[str], values: list[ltl.Temporal]
    ) -> list[ltl.Temporal]:
        arity = 1 if issubclass(node, ltl.Unary) else 2
        constructor = self.tokens[start][0]
        # A chain of conjuncts or disjuncts has one meaning, whatever its length.
        is_chain = node in (ltl.And, ltl.Or) and len(values) > 2
        if len(values) != arity and not is_chain:
            count = f"{arity} argument{'s' * (arity - 1)}"
            self._fail(f"{constructor!r} takes {count}, not {len(values)}", start)
        named = [name.lower() for name in names if name]
        if not named:
            return values
        argument = f"argument of {constructor!r}"
        if twice := next((name for name in named if named.count(name) > 1), ""):
            self._fail(f"the {argument} {twice!r} is given twice", start)
        if (order := _order_of(names)) is not None and len(order) == len(values):
            return [values[number] for number in order]
        if any(value != ltl.Atom(name) for name, value in zip(names, values, strict=True)):
            expected = "a" if arity == 1 else "a and b"
            listing = ", ".join(map(repr, named))
            problem = f"it is unclear which {argument} {listing} is; write {expected}"
            self._fail(problem, start)
        # The names of the arguments repeat the propositions, so the order of the arguments counts.
        self.is_strict = False
        return values

    def _built(self, start: int, node: type[ltl.Temporal], *operands: ltl.Temporal) -> ltl.Temporal:
        # The prompts show two operands for each connective, and no operators.
        self.is_strict &= self.tokens[start][0] in _SHOWN and len(operands) <= 2
        if len(operands) > 2:
            return reduce(partial(self._built, start, node), operands)
        height = max(operand.height for operand in operands)
        size = sum(operand.size for operand in operands)
        if height >= MAX_DEPTH or size >= MAX_NODES:
            self._fail(
                f"more than {MAX_DEPTH} levels or {MAX_NODES:,} parts; use a smaller formula", start
            )
        return node(*operands)


def _order_of(names: list[str]) -> list[int] | None:
    """The numbers of arguments in the order of the operands that their names mean; None if a name is not known.

    ``names`` are in lower case or not, and empty for arguments without one, which come first, as in Python.
    """
    if len(names) == 1:
        return [0] if names[0].lower() in _ALONE else None
    is_named = [bool(name) for name in names]
    if is_named != sorted(is_named):
        return None
    for sides in _SIDES:
        numbers: list[int | None] = []
        for position, name in enumerate(names):
            numbers.append(sides.get(name.lower()) if name else position)
        if {*numbers} == {*range(len(names))}:
            return [numbers.index(position) for position in range(len(names))]
    return None


def _constructor(name: str) -> type[ltl.Temporal] | None:
    if len(name) == 1:
        return _LETTERS.get(name)
    return _READ.get(re.sub("^L(?=[A-Z])|_", "", name).lower())
