"""Checks a prover's proof: each step must follow from its premises, back to the given clauses.

The prover is not trusted. A proof counts if z3 confirms each step, so an error of the prover costs a verdict and never
makes a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain, islice, product

from pytest_autoeval.languages.first_order.clauses import Literals
from pytest_autoeval.languages.first_order.instances import instance, renamed, resolvents
from pytest_autoeval.languages.first_order.to_smt import Script
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError, ProofStep
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.signature import free_names, joint_signature
from pytest_autoeval.languages.logic.syntax import Sentence, Term

#: Whether an SMT-LIB script is unsatisfiable, with z3's own limit of work.
Refutes = Callable[[str, int], bool]
#: z3's work on a step, before and after unification is tried. Nearly all steps need less than the first.
_BRIEF, _LONG = 20_000, 200_000
#: Resolvents of two clauses to try.
_MAX_INSTANCES = 20
#: Steps of a proof. Most have fewer than a hundred.
MAX_STEPS = 3_000


def check_proof(
    given_clauses: Mapping[str, Literals], steps: Sequence[ProofStep], refutes: Refutes
) -> list[str]:
    """The names of the given clauses from which the steps derive a contradiction.

    ``refutes`` decides whether an SMT-LIB script is unsatisfiable. Raises :class:`ProofRefusedError` if the proof does
    not end in a contradiction, or if a step does not follow.
    """
    if len(steps) > MAX_STEPS:
        raise ProofRefusedError("the proof has too many steps")
    lines = _by_name(steps)
    ends = [step for step in steps if not step.clause]
    if not ends:
        raise ProofRefusedError("the proof does not end in a contradiction")
    used = []
    for step in _needed(lines, ends[0]):
        if step.leaf is not None and step.leaf not in given_clauses:
            raise ProofRefusedError("the proof begins with a clause that was not given")
        if step.leaf is not None:
            used.append(step.leaf)
        if step.leaf is None:
            premises = [lines[name].clause for name in step.premises]
        else:
            premises = [given_clauses[step.leaf]]
        if not _follows(step.clause, premises, refutes):
            raise ProofRefusedError("the proof has a step that z3 does not confirm")
    return used


def _by_name(steps: Sequence[ProofStep]) -> dict[str, ProofStep]:
    """The steps by name. A premise must stand before its conclusion, so that there is no circle."""
    lines: dict[str, ProofStep] = {}
    for step in steps:
        if step.name in lines:
            raise ProofRefusedError("the proof has two lines of one name")
        if not lines.keys() >= {*step.premises}:
            raise ProofRefusedError(
                "the proof has a step from a line that does not stand before it"
            )
        if step.leaf is None and not step.premises:
            raise ProofRefusedError("the proof has a line from nowhere")
        lines[step.name] = step
    return lines


def _needed(lines: Mapping[str, ProofStep], end: ProofStep) -> Iterator[ProofStep]:
    """The steps that lead to ``end``."""
    needed = {end.name}
    # Premises stand before their conclusions, so one pass from the end finds them all.
    for step in [*lines.values()][::-1]:
        if step.name in needed:
            needed.update(step.premises)
    return (step for name, step in lines.items() if name in needed)


def _follows(conclusion: Literals, premises: Sequence[Literals], refutes: Refutes) -> bool:
    # E repeats a clause under a new name; a copy needs no solver.
    if conclusion in premises:
        return True
    premises = tuple(dict.fromkeys(premises))
    assumed = [closed(clause) for clause in premises]
    goal = closed(conclusion)
    script = Script(joint_signature(goal, *assumed))
    conditions = [f"(assert {script.sentence(clause)})" for clause in assumed]
    assertions = "".join(conditions)
    text = f"{script.declarations}{assertions}(assert (not {script.sentence(goal)}))"
    # Brief work confirms nearly all steps, so the other two are tried only after it.
    return refutes(text, _BRIEF) or _resolves(conclusion, premises, refutes) or refutes(text, _LONG)


def _resolves(conclusion: Literals, premises: Sequence[Literals], refutes: Refutes) -> bool:
    """Whether the conclusion follows from instances of two premises, or of one that is used twice."""
    # No name of a formula has a space, so that these constants are new.
    constants = {name: Term(f"constant {name}") for name in _variables(conclusion)}
    default = Term("constant")
    target = tuple([instance(literal, constants, default) for literal in conclusion])
    for left_premise, right_premise in product(premises, repeat=2):
        left_clause = _apart(left_premise, "A")
        right_clause = _apart(right_premise, "B")
        for terms in islice(resolvents(left_clause, right_clause, target), _MAX_INSTANCES):
            instances = [
                [instance(literal, terms, default) for literal in clause]
                for clause in (left_clause, right_clause)
            ]
            script = Script(joint_signature(*target, *chain(*instances)))
            holds = "".join(f"(assert {_disjunction(script, clause)})" for clause in instances)
            text = f"{script.declarations}{holds}(assert (not {_disjunction(script, target)}))"
            if refutes(text, _BRIEF):
                return True
    return False


def _disjunction(script: Script, literals: Sequence[Sentence]) -> str:
    if literals:
        return f"(or {' '.join(map(script.sentence, literals))})"
    return "false"


def _apart(clause: Literals, prefix: str) -> Literals:
    """The clause with variables that no other clause has."""
    names = {name: Term(f"{prefix}{name}") for name in _variables(clause)}
    return tuple([renamed(literal, names) for literal in clause])


def _variables(clause: Literals) -> list[str]:
    """The variables of a clause: the free names that begin with a capital, as in TPTP."""
    names = frozenset[str]().union(*[free_names(literal) for literal in clause])
    return sorted(name for name in names if name[0].isupper())


def closed(clause: Literals) -> Sentence:
    """The clause as a sentence."""
    sentence: Sentence = reduce(fol.Or, clause) if clause else fol.Bottom()
    for name in _variables(clause):
        sentence = fol.Forall(name, sentence)
    return sentence
