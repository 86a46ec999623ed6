"""Questions with proofs as E 3.5.1 printed them, so that the check of proofs is tested where E is not installed."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages import smt
from pytest_autoeval.languages.first_order.refuting import Refutation
from support.logic_formulas import parsed


@dataclass(frozen=True)
class Proved:
    """That ``right`` follows from ``left``, with E's proof."""

    left: str
    right: str
    proof: str

    @property
    def refutation(self) -> Refutation:
        return Refutation(parsed(self.left), parsed(self.right))


def refutes(script: str, rlimit: int) -> bool:
    """Whether z3, in this process, finds a script unsatisfiable."""
    return smt.solve(script, rlimit, {}).outcome == "unsat"


RELATION = Proved(
    "(∀x. ∃y. R(x, y)) ∧ (∀x. ∀y. (R(x, y) → R(y, x))) ∧ (∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z)))",
    "∀x. R(x, x)",
    """
cnf(c2, axiom, (p1(X2,X1)|~p1(X1,X2)), file('<stdin>', c2)).
cnf(c3, axiom, (p1(X1,X3)|~p1(X1,X2)|~p1(X2,X3)), file('<stdin>', c3)).
cnf(c1, axiom, (p1(X1,f1(X1))), file('<stdin>', c1)).
cnf(c4, negated_conjecture, (~p1(f2,f2)), file('<stdin>', c4)).
cnf(c_0_4, plain, (p1(X2,X1)|~p1(X1,X2)), inference(fof_simplification,[status(thm)],[c2])).
cnf(c_0_5, plain, (p1(X1,X3)|~p1(X1,X2)|~p1(X2,X3)), inference(fof_simplification,[status(thm)],[c3])).
cnf(c_0_6, plain, (p1(X2,X1)|~p1(X1,X2)), c_0_4).
cnf(c_0_7, axiom, (p1(X1,f1(X1))), c1).
cnf(c_0_8, plain, (p1(X1,X3)|~p1(X1,X2)|~p1(X2,X3)), c_0_5).
cnf(c_0_9, plain, (p1(f1(X1),X1)), inference(spm,[status(thm)],[c_0_6, c_0_7])).
cnf(c_0_10, negated_conjecture, (~p1(f2,f2)), inference(fof_simplification,[status(thm)],[c4])).
cnf(c_0_11, plain, (p1(X1,X2)|~p1(X1,f1(X2))), inference(spm,[status(thm)],[c_0_8, c_0_9])).
cnf(c_0_12, negated_conjecture, (~p1(f2,f2)), c_0_10).
cnf(c_0_13, plain, (p1(X1,X1)), inference(spm,[status(thm)],[c_0_11, c_0_7])).
cnf(c_0_14, negated_conjecture, ($false), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c_0_12, c_0_13])]),
    ['proof']).
""",
)
GROUP = Proved(
    "(∀x. ∀y. ∀z. f(f(x, y), z) = f(x, f(y, z))) ∧ (∀x. f(e, x) = x) ∧ ∀x. ∃y. f(y, x) = e",
    "∀x. f(x, e) = x",
    """
cnf(c1, axiom, (f1(f1(X1,X2),X3)=f1(X1,f1(X2,X3))), file('<stdin>', c1)).
cnf(c3, axiom, (f1(f3(X1),X1)=f2), file('<stdin>', c3)).
cnf(c2, axiom, (f1(f2,X1)=X1), file('<stdin>', c2)).
cnf(c4, negated_conjecture, (f1(f4,f2)!=f4), file('<stdin>', c4)).
cnf(c_0_4, axiom, (f1(f1(X1,X2),X3)=f1(X1,f1(X2,X3))), c1).
cnf(c_0_5, axiom, (f1(f3(X1),X1)=f2), c3).
cnf(c_0_6, axiom, (f1(f2,X1)=X1), c2).
cnf(c_0_7, plain, (f1(f3(X1),f1(X1,X2))=X2), inference(rw,[status(thm)],[inference(spm,[status(thm)],[c_0_4, c_0_5]),
    c_0_6])).
cnf(c_0_8, negated_conjecture, (f1(f4,f2)!=f4), inference(fof_simplification,[status(thm)],[c4])).
cnf(c_0_9, plain, (f1(f3(f3(X1)),f2)=X1), inference(spm,[status(thm)],[c_0_7, c_0_5])).
cnf(c_0_10, plain, (f1(f3(f3(X1)),X2)=f1(X1,X2)), inference(spm,[status(thm)],[c_0_7, c_0_7])).
cnf(c_0_11, negated_conjecture, (f1(f4,f2)!=f4), c_0_8).
cnf(c_0_12, plain, (f1(X1,f2)=X1), inference(rw,[status(thm)],[c_0_9, c_0_10])).
cnf(c_0_13, negated_conjecture, ($false), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c_0_11, c_0_12])]),
    ['proof']).
""",
)
#: Its clauses have a defined predicate, ``p2``.
DEFINED = Proved(
    "(∀x. ((P(x) ∧ Q(x) ∧ p(x)) ∨ (R(x) ∧ S(x) ∧ T(x)))) ∧ ∀x. (¬Q(x) ∧ ∃y. ¬S(y))",
    "⊥",
    """
cnf(c4, axiom, (~p3(X1)), file('<stdin>', c4)).
cnf(c7, axiom, (p5(X1)|~p2(X1)), file('<stdin>', c7)).
cnf(c2, axiom, (p3(X1)|p2(X1)), file('<stdin>', c2)).
cnf(c5, axiom, (~p5(f1)), file('<stdin>', c5)).
cnf(c_0_10, plain, (p2(X1)), inference(sr,[status(thm)],[c2, c4])).
cnf(c_0_12, plain, (p5(X1)), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c7, c_0_10])])).
cnf(c_0_13, plain, ($false), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c5, c_0_12])]), ['proof']).
""",
)
#: Condensed detachment: z3 alone confirms no step of such a proof in a second.
DETACHMENT = Proved(
    "(∀x. ∀y. ((T(i(x, y)) ∧ T(x)) → T(y))) ∧ (∀x. ∀y. T(i(x, i(y, x))))",
    "∀x. ∀y. (T(y) → T(i(x, y)))",
    """
cnf(c1, axiom, (p1(X2)|~p1(f1(X1,X2))|~p1(X1)), file('<stdin>', c1)).
cnf(c2, axiom, (p1(f1(X1,f1(X2,X1)))), file('<stdin>', c2)).
cnf(c3, negated_conjecture, (p1(f2)), file('<stdin>', c3)).
cnf(c4, negated_conjecture, (~p1(f1(f3,f2))), file('<stdin>', c4)).
cnf(c_0_1, plain, (p1(f1(X1,X2))|~p1(X2)), inference(spm,[status(thm)],[c1, c2])).
cnf(c_0_2, plain, ($false), inference(sr,[status(thm)],[inference(spm,[status(thm)],[c4, c_0_1]), c3]), ['proof']).
""",
)
PROVED = (RELATION, GROUP, DEFINED, DETACHMENT)
