"""Asks a prover for a proof that one formula follows from another, and checks the proof."""

from __future__ import annotations

from functools import cached_property

from pytest_autoeval.languages.first_order.clause_check import check_clauses
from pytest_autoeval.languages.first_order.clauses import ClauseForm, Literals, clause_form
from pytest_autoeval.languages.first_order.proof_check import Refutes, check_proof
from pytest_autoeval.languages.first_order.tptp import Numbering, Role, clause_text, read_proof
from pytest_autoeval.languages.logic import syntax as fol
from pytest_autoeval.languages.logic.syntax import Sentence


class Refutation:
    """The question whether ``left`` can hold where ``right`` does not, for a prover of clauses.

    Raises ``TooLargeError`` when it is made, if it has too many clauses.
    """

    def __init__(self, left: Sentence, right: Sentence) -> None:
        self._sentence = fol.And(left, fol.Not(right))
        self.form: ClauseForm = clause_form(left, right)

    @cached_property
    def given(self) -> dict[str, Literals]:
        """The clauses by the names that they have in the prover's text, with numbers for all names."""
        numbering = Numbering()
        variables = self.form.variables
        clauses: dict[str, Literals] = {}
        for number, clause in enumerate(self.form.clauses, 1):
            clauses[f"c{number}"] = numbering.clause(clause, variables)
        return clauses

    @property
    def text(self) -> str:
        """The clauses as TPTP."""
        lines = []
        for number, (name, clause) in enumerate(self.given.items()):
            # The roles show E what the goal of its search is. What follows from the clauses does not depend on them.
            role: Role = "axiom" if number < self.form.premises else "negated_conjecture"
            lines.append(clause_text(name, role, clause))
        return "".join(lines)

    def check(self, proof: str, refutes: Refutes) -> None:
        """Checks a proof, step by step, back to the two formulas. Raises ``ProofRefusedError``.

        ``refutes`` decides whether an SMT-LIB script is unsatisfiable.
        """
        used = check_proof(self.given, read_proof(proof), refutes)
        # Back from the prover's numbered names to the clauses of the formulas.
        numbers = [int(name.removeprefix("c")) for name in used]
        clauses = [self.form.clauses[number - 1] for number in numbers]
        check_clauses(self._sentence, self.form, clauses, refutes)
