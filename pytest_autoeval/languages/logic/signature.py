"""The symbols of a formula, those that a vocabulary lacks, and measures of the formula's complexity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Literal, NamedTuple

from pytest_autoeval.languages.base import Formula, all_nodes
from pytest_autoeval.languages.connectives import counted
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence, Term
from pytest_autoeval.languages.vocabulary import Vocabulary

Kind = Literal["proposition", "predicate", "function", "constant", "variable"]


class Use(NamedTuple):
    """One occurrence of a symbol. A ``variable`` is a bound occurrence, or the name at its quantifier."""

    kind: Kind
    name: str
    arity: int = 0


# Equal uses in many formulas are one object.
_use = lru_cache(maxsize=4096)(Use)


# Several functions below ask for those of the same formula.
@lru_cache(maxsize=1024)
def uses(formula: Sentence) -> tuple[Use, ...]:
    """Every occurrence of a symbol, in the order of the text."""
    return tuple(_uses(formula))


def _uses(formula: Sentence) -> Iterator[Use]:
    # Tests of types, the most frequent one first: this takes half the time of a ``match``.
    pending: list[tuple[Formula, frozenset[str]]] = [(formula, frozenset())]
    while pending:
        node, bound = pending.pop()
        inner: Sequence[Formula]
        if isinstance(node, Term):
            inner = node.arguments
            if inner:
                yield _use("function", node.name, len(inner))
            else:
                yield _use("variable" if node.name in bound else "constant", node.name)
                continue
        elif isinstance(node, fol.Atom):
            inner = node.arguments
            yield _use("predicate" if inner else "proposition", node.predicate, len(inner))
        elif isinstance(node, fol.Equal):
            inner = (node.left, node.right)
        else:
            inner = node.children()
            if isinstance(node, fol.Quantified):
                yield _use("variable", node.variable)
                bound |= {node.variable}
        pending += [(child, bound) for child in reversed(inner)]


@lru_cache(maxsize=1024)
def symbols(formula: Sentence) -> Vocabulary:
    """The signature of a formula, in order of appearance; a free name counts as a constant."""
    symbols: dict[Kind, list[tuple[str, int]]] = defaultdict(list)
    for kind, name, arity in dict.fromkeys(uses(formula)):
        symbols[kind].append((name, arity))
    return Vocabulary(
        propositions=tuple([name for name, _ in symbols["proposition"]]),
        predicates=tuple(symbols["predicate"]),
        functions=tuple(symbols["function"]),
        constants=tuple([name for name, _ in symbols["constant"]]),
        variables=tuple([name for name, _ in symbols["variable"]]),
    )


def all_predicates(signature: Vocabulary) -> list[tuple[str, int]]:
    """The propositions and the predicates, with arities."""
    return [*((name, 0) for name in signature.propositions), *signature.predicates]


def all_terms(signature: Vocabulary) -> list[tuple[str, int]]:
    """The functions and the constants, with arities."""
    return [*signature.functions, *((name, 0) for name in signature.constants)]


def free_names(node: Sentence) -> frozenset[str]:
    """The free names of a formula: its constants and free variables."""
    # Kept in the node, since laws and shrinking ask for those of every part. The dataclass itself is frozen.
    if not hasattr(node, "free"):
        object.__setattr__(node, "free", _free_names(node))
    return node.free  # type: ignore[attr-defined, no-any-return]


def _free_names(node: Sentence) -> frozenset[str]:
    match node:
        case fol.Quantified(variable, body):
            return free_names(body) - {variable}
        case fol.Atom() | fol.Equal():
            terms = node.arguments if isinstance(node, fol.Atom) else (node.left, node.right)
            return frozenset[str]().union(*map(_names_in, terms))
    return frozenset[str]().union(*map(free_names, node.children()))


def _names_in(term: Term) -> frozenset[str]:
    if not term.arguments:
        return frozenset((term.name,))
    return frozenset[str]().union(*map(_names_in, term.arguments))


def joint_signature(*formulas: Sentence) -> Vocabulary:
    """The symbols that a model of several formulas must interpret; propositions are among the predicates."""
    occurrences = dict.fromkeys(chain.from_iterable(map(uses, formulas)))
    # Propositions are predicates without arguments: a model has one table for each of both.
    relations = [use for use in occurrences if use.kind in ("proposition", "predicate")]
    return Vocabulary(
        predicates=tuple((use.name, use.arity) for use in relations),
        functions=tuple((use.name, use.arity) for use in occurrences if use.kind == "function"),
        constants=tuple(use.name for use in occurrences if use.kind == "constant"),
    )


def foreign(formula: Sentence, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The symbols of a formula that the vocabulary lacks, as phrases, in order of appearance.

    Bound names are never foreign. An unknown free name is reported as an unbound variable if the vocabulary has such a
    variable or the formula binds the name elsewhere, and otherwise as an unknown constant.
    """
    occurrences = dict.fromkeys(uses(formula))
    # Nearly all formulas end here.
    if _known_uses(vocabulary).issuperset(use for use in occurrences if use.kind != "variable"):
        return ()
    variables = {use.name for use in occurrences if use.kind == "variable"}
    variables |= set(vocabulary.variables)
    predicates = _arities(all_predicates(vocabulary))
    terms = _arities(all_terms(vocabulary))
    problems: list[str] = []
    for use in occurrences:
        match use.kind:
            case "variable":
                continue
            case "proposition" | "predicate":
                problems += _unknown(use, predicates, terms)
            # A free name that looks like a variable was meant as one, and its quantifier does not reach it.
            case "constant" if use.name in variables and 0 not in terms.get(use.name, ()):
                problems.append(f"unbound variable {use.name}")
            case _:
                problems += _unknown(use, terms, predicates)
    return tuple(problems)


# A suite has one vocabulary, or a few.
@lru_cache(maxsize=64)
def _known_uses(vocabulary: Vocabulary) -> frozenset[Use]:
    """The uses of the names of a vocabulary that are not foreign."""
    relations = all_predicates(vocabulary)
    terms = all_terms(vocabulary)
    return frozenset(
        [Use("predicate" if arity else "proposition", name, arity) for name, arity in relations]
        + [Use("function" if arity else "constant", name, arity) for name, arity in terms]
    )


def _arities(symbols: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """The arities of each name; a name in a user's signature may have several."""
    arities: dict[str, list[int]] = {}
    for name, arity in symbols:
        arities.setdefault(name, []).append(arity)
    return arities


def _unknown(
    use: Use, arities: Mapping[str, Sequence[int]], other_arities: Mapping[str, Sequence[int]]
) -> Iterator[str]:
    """The problem of a symbol, if there is one; ``other_arities`` has the names of the other kind."""
    if use.name not in arities and use.name in other_arities:
        is_relation = use.kind in ("proposition", "predicate")
        expected = "constant or function" if is_relation else "proposition or predicate"
        yield f"{use.name} as a {use.kind}, but it is a {expected}"
    elif use.name not in arities:
        yield f"unknown {use.kind} {use.name}"
    elif use.arity not in arities[use.name]:
        expected = " or ".join(map(str, sorted(arities[use.name])))
        yield f"{use.name} with {arguments_phrase(use.arity)} instead of {expected}"


def arguments_phrase(arity: int) -> str:
    """An arity as a phrase, such as ``2 arguments``."""
    if arity == 0:
        return "no arguments"
    return "1 argument" if arity == 1 else f"{arity} arguments"


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
                for sort, argument in zip(sorts.get(predicate, ()), arguments, strict=False):
                    if not sort or argument.arguments:  # the place, or a function, fits every sort
                        continue
                    sorts_of_variable = scope.get(
                        argument.name, {*sorts.get(argument.name, ())} - {""}
                    )
                    sorts_of_variable.add(sort)
                    if len(sorts_of_variable) > 1:
                        return False
            case fol.Equal():
                pass
            case _:
                pending += ((child, scope) for child in node.children())
    return True


_COUNTED: dict[str, type[Sentence]] = {
    "negations": fol.Not,
    "conjunctions": fol.And,
    "disjunctions": fol.Or,
    "exclusive_disjunctions": fol.Xor,
    "implications": fol.Implies,
    "biconditionals": fol.Iff,
    "universals": fol.Forall,
    "existentials": fol.Exists,
}


def measure(formula: Sentence) -> dict[str, int | float]:
    """Complexity measures by name.

    ``operators`` counts connectives and quantifiers, but not negations directly on an atom, a truth constant or an
    equation (as in the AutoEval paper); ``operators_with_literal_negations`` counts those too. ``depth`` is the height
    of the tree; the height of an atom is 1. ``atoms`` counts occurrences, equations among them.
    """
    counts = counted(formula, _COUNTED, fol.Not)
    atoms = [node for node in all_nodes(formula) if isinstance(node, fol.ATOMIC)]
    quantifiers = counts["universals"] + counts["existentials"]
    return {
        **counts,
        "quantifiers": quantifiers,
        # A run measures each of its formulas, and most of the propositional ones are large.
        "alternation_depth": alternation_depth(formula) if quantifiers else 0,
        "atoms": len(atoms),
        "distinct_atoms": len(set(atoms)),
    }


#: The node, whether it is negated, the last quantifier of the path in negation normal form, the blocks up to it.
_State = tuple[Formula, bool, type[fol.Quantified] | None, int]


def alternation_depth(formula: Sentence) -> int:
    """The largest number of blocks of equal quantifiers on a path from the root, in negation normal form.

    A negation and the left side of an implication swap ∀ and ∃. Formulas under ↔ and ⊕ occur with both signs; the
    larger number counts.
    """
    deepest = 0
    pending: list[_State] = [(formula, False, None, 0)]
    seen: set[tuple[int, bool, type[fol.Quantified] | None, int]] = set()
    while pending:
        node, negated, last_quantifier, blocks = pending.pop()
        # Each state once: otherwise nested ↔ would double the work at each level.
        key = (id(node), negated, last_quantifier, blocks)
        if key in seen:
            continue
        seen.add(key)
        deepest = max(deepest, blocks)
        match node:
            case fol.Quantified(_, body):
                is_universal = isinstance(node, fol.Forall) is not negated
                quantifier = fol.Forall if is_universal else fol.Exists
                begins_block = quantifier is not last_quantifier
                pending.append((body, negated, quantifier, blocks + begins_block))
            case fol.Not(operand):
                pending.append((operand, not negated, last_quantifier, blocks))
            case fol.Implies(left, right):
                pending.append((left, not negated, last_quantifier, blocks))
                pending.append((right, negated, last_quantifier, blocks))
            case fol.Iff(left, right) | fol.Xor(left, right):
                for side in (left, right):
                    pending.append((side, False, last_quantifier, blocks))
                    pending.append((side, True, last_quantifier, blocks))
            case fol.Binary(left, right):
                pending.append((left, negated, last_quantifier, blocks))
                pending.append((right, negated, last_quantifier, blocks))
    return deepest
