"""Whether a formula uses each constant and each bound variable only in places of its sort."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_autoeval.languages.base import Formula
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.vocabulary import Vocabulary


def well_sorted(formula: Sentence, vocabulary: Vocabulary) -> bool:
    """Whether the arguments of predicates have the vocabulary's sorts, and each bound variable one sort.

    Only arguments of predicates are checked; equations and arguments of functions may be of any sort.
    """
    sorts = dict(vocabulary.sorts)
    # Each node comes with the sorts of the variables in scope, as found so far.
    pending: list[tuple[Formula, Mapping[str, set[str]]]] = [(formula, {})] if sorts else []
    while pending:
        node, scope = pending.pop()
        match node:
            case fol.Quantified(variable, body):
                pending.append((body, {**scope, variable: set()}))
            case fol.Atom(predicate, arguments):
                for wanted, argument in zip(sorts.get(predicate, ()), arguments, strict=False):
                    if not wanted or argument.arguments:
                        continue
                    found = scope.get(argument.name, {*sorts.get(argument.name, ())} - {""})
                    found.add(wanted)
                    if len(found) > 1:
                        return False
            case fol.Equal():
                pass
            case _:
                pending += ((child, scope) for child in node.children())
    return True
