"""Linear arithmetic over the integers: equations and inequalities joined by `&`, `|` and `!`. z3 decides."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lark import Lark, Token, Tree, UnexpectedInput

from pytest_autoeval import Formula, FormulaSyntaxError, Language, Verdict
from pytest_autoeval.languages import Assignment, Relation, decided, model_of

#: How each operator is written in formulas, in English and in SMT-LIB, and the function that it stands for.
OPERATORS: dict[str, tuple[str, str, str, Any]] = {
    "and": ("({} & {})", "both {} and {}", "(and {} {})", operator.and_),
    "or": ("({} | {})", "either {} or {}", "(or {} {})", operator.or_),
    "not": ("!{}", "it is false that {}", "(not {})", operator.not_),
    "at_most": ("{} <= {}", "{} is at most {}", "(<= {} {})", operator.le),
    "equals": ("{} = {}", "{} equals {}", "(= {} {})", operator.eq),
    "plus": ("({} + {})", "the sum of {} and {}", "(+ {} {})", operator.add),
    "times": ("{} * {}", "{} times {}", "(* {} {})", operator.mul),
}
GRAMMAR = Path(__file__).with_suffix(".lark").read_text(encoding="utf-8")
WHOLE = Lark(GRAMMAR, parser="lalr", start=["start", "english"])
PARTS = Lark(f"{GRAMMAR}\n%extend start: term\n", parser="lalr")


@dataclass(frozen=True, slots=True, repr=False)
class Node(Formula):
    """An operator over its parts. A name or a number has no parts."""

    symbol: str
    parts: tuple[Node, ...] = ()

    def written(self, form: int = 0) -> str:
        """The node as a formula (0), in English (1) or in SMT-LIB (2)."""
        texts = [part.written(form) for part in self.parts]
        return str(OPERATORS[self.symbol][form]).format(*texts) if texts else self.symbol

    __str__ = written

    def value(self, values: dict[str, int]) -> int:
        """The value of the node under values of its names; True is 1."""
        if not self.parts:
            return int(self.symbol) if self.symbol.isdecimal() else values[self.symbol]
        return int(OPERATORS[self.symbol][3](*(part.value(values) for part in self.parts)))


def read(parser: Lark, text: str, start: str = "start") -> Node:
    """The node of a text. Raises FormulaSyntaxError."""

    def node(found: Tree[Token] | Token) -> Node:
        return (
            Node(found)
            if isinstance(found, Token)
            else Node(found.data, tuple(map(node, found.children)))
        )

    try:
        return node(parser.parse(text, start))
    except UnexpectedInput as error:
        raise FormulaSyntaxError(
            "this is no linear arithmetic", text, error.pos_in_stream or 0
        ) from None


class LinearArithmetic(Language):
    name = "linear_arithmetic"
    nodes = Node

    def parse(self, text: str) -> Node:
        return read(WHOLE, text)

    def parse_part(
        self, text: str
    ) -> Node:  # for the sampler, which puts names in the places of formulas
        return read(PARTS, text)

    def describe(self, formula: Any) -> str:
        return str(formula.written(1))

    def read_description(self, description: str) -> Node:
        return read(WHOLE, description, "english")

    def decide(self, relation: Relation, left: Any, right: Any, timeout: float) -> Verdict:
        names = sorted(self.symbols(left).names | self.symbols(right).names)
        holds = "(= {} {})" if relation == "equivalence" else "(=> {} {})"
        declared = "".join(f"(declare-const {name} Int)" for name in names)
        script = f"{declared}(assert (not {holds.format(left.written(2), right.written(2))}))"

        def search() -> tuple[str, Assignment | None]:
            if (found := model_of(script, timeout, logic="QF_LIA")) is None:
                return "z3", None
            values = {name: int(found.get(name, 0)) for name in names}
            return "z3", Assignment(values, bool(left.value(values)), bool(right.value(values)))

        return decided(relation, "z3", search)
