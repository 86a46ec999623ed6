"""The statements around a formula in Python notation: which variables are assigned, in order, and which one counts.

Statements that bind nothing which the formula uses are passed over: imports, classes and functions that a model repeats
from its prompt, prints, and whatever else. A name that one of them does bind makes the formula that uses it unreadable.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.ltl.answers.python_terms import NOT_YET, Terms, Value, is_constructor

#: The variable that prompts ask for.
TARGET = "formulaToFind"
#: Another variable whose name says that it holds the answer.
_NAMED = re.compile(r"formula|ltl|answer|result|spec|phi|^f$", re.IGNORECASE)


@dataclass(slots=True)
class Program:
    """The statements of a piece of code, taken in order."""

    terms: Terms
    names: dict[str, Value | str] = field(default_factory=dict)
    #: Why a variable holds no formula, where an expression of its own says so.
    refused: dict[str, FormulaSyntaxError] = field(default_factory=dict)
    #: Whether the formula was found under another name than the one asked for.
    is_other: bool = False

    def formula(self, tree: ast.Module) -> Value | None:
        """The value of ``formulaToFind``, or else of the last variable that says it is a formula, or expression."""
        self.names = {name: NOT_YET for statement in tree.body for name in _assigned(statement)}
        chosen = TARGET
        shown: ast.expr | None = None
        for statement in tree.body:
            if (expression := _shown(statement)) is not None:
                shown = expression
            self._take(statement)
            if TARGET not in self.names:
                chosen = next(filter(_NAMED.search, _assigned(statement)), chosen)
        if chosen in self.names:
            self.is_other = chosen != TARGET
            return self._final(chosen)
        return self.terms.value(shown, self.names) if shown is not None else None

    def _take(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets, value):
                for target in targets:
                    self._assign(target, value)
            case ast.AnnAssign(ast.Name() as target, _, ast.expr() as value):
                self._assign(target, value)
            case _:
                self._pass_over(statement)

    def _final(self, name: str) -> Value:
        if name in self.refused:
            raise self.refused[name]
        value = self.names[name]
        if isinstance(value, str):
            raise FormulaSyntaxError(f"{name!r} {value}", self.terms.source, 0)
        return value

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(name), _:
                self.refused.pop(name, None)
                try:
                    self.names[name] = self.terms.value(value, self.names)
                except FormulaSyntaxError as error:
                    self.names[name] = "holds no formula"
                    self.refused[name] = error
            case ast.Tuple(targets), ast.Tuple(values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    self._assign(one, other)
            case _:
                self._spoil(target, "is assigned in a way that is not read")

    def _pass_over(self, statement: ast.stmt) -> None:
        """Notes the names that a statement binds which is not read."""
        match statement:
            case ast.ClassDef():  # the prompt's own classes, which are the constructors
                self.names.pop(statement.name, None)
            case ast.Import() | ast.ImportFrom():
                for alias in statement.names:
                    name = alias.asname or alias.name
                    self.names.pop(name, None)
                    if alias.asname not in (None, alias.name) or not is_constructor(name):
                        self.names[name] = "is imported, and no formula"
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.names[statement.name] = "is a function of the answer's own"
            case _:
                self._spoil(statement, "is bound by a statement that is not read")

    def _spoil(self, node: ast.AST, problem: str) -> None:
        for name in _stored(node):
            self.names[name] = problem
            self.refused.pop(name, None)


def _assigned(statement: ast.stmt) -> list[str]:
    """The names that a plain statement assigns to."""
    match statement:
        case ast.Assign(targets):
            return [name for target in targets for name in _stored(target)]
        case ast.AnnAssign(ast.Name(name), _, ast.expr()):
            return [name]
    return []


def _shown(statement: ast.stmt) -> ast.expr | None:
    """The expression of constructors that a statement is."""
    match statement:
        case ast.Expr(ast.BinOp() | ast.UnaryOp() as value):
            return value
        case ast.Expr(ast.Call(ast.Name(name)) as value) if is_constructor(name):
            return value
    return None


def _stored(node: ast.AST) -> list[str]:
    """The names that are bound or deleted anywhere in a piece of code."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [name.id for name in names if isinstance(name.ctx, ast.Store | ast.Del)]
