"""Questions with instances as cvc5 1.4.2 printed them, so that their check is tested where cvc5 is not installed."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages.first_order.to_smt import Script
from pytest_autoeval.languages.logic.signature import joint_signature
from support.logic_formulas import parsed


def script_of(left: str, right: str) -> str:
    """That ``left`` holds and ``right`` does not, as SMT-LIB."""
    premise, conclusion = parsed(left), parsed(right)
    script = Script(joint_signature(premise, conclusion))
    assertions = f"(assert {script.sentence(premise)})(assert (not {script.sentence(conclusion)}))"
    return f"{script.declarations}{assertions}"


@dataclass(frozen=True)
class Instantiated:
    """That ``right`` follows from ``left``, with cvc5's instances."""

    left: str
    right: str
    instances: str

    @property
    def script(self) -> str:
        return script_of(self.left, self.right)

    @property
    def weaker_script(self) -> str:
        """That ``left`` holds, over the same symbols: a script that is satisfiable."""
        return script_of(f"{self.left} ∧ (({self.right}) → {self.right})", "⊥")


_REFLEXIVE = "(@quantifiers_skolemize (forall ((x0 U)) (p0 x0 x0)) 0)"
_RELATED = f"(@quantifiers_skolemize (forall ((x1 U)) (not (p0 {_REFLEXIVE} x1))) 0)"
RELATION = Instantiated(
    "(∀x. ∃y. R(x, y)) ∧ (∀x. ∀y. (R(x, y) → R(y, x))) ∧ (∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z)))",
    "∀x. R(x, x)",
    f"""(instantiations (forall ((x0 U)) (not (forall ((x1 U)) (not (p0 x0 x1)))))
  ( {_REFLEXIVE} )
)
(instantiations (forall ((x0 U) (x1 U)) (or (not (p0 x0 x1)) (p0 x1 x0)))
  ( {_REFLEXIVE} {_RELATED} )
)
(instantiations (forall ((x0 U) (x1 U) (x2 U)) (or (not (p0 x0 x1)) (not (p0 x1 x2)) (p0 x0 x2)))
  ( {_REFLEXIVE} {_RELATED} {_REFLEXIVE} )
)
""",
)
_UNIQUE = (
    "(@quantifiers_skolemize (forall ((x0 U)) (not (forall ((x1 U)) (= (p0 x1) (= x0 x1))))) 0)"
)
_OTHERS_EQUAL = "(forall ((x1 U)) (or (not (p0 x1)) (= x0 x1)))"
UNIQUE = Instantiated(
    "(∃x. ∀y. (P(y) ↔ y = x)) ∧ ∀x. (P(x) → Q(f(x)))",
    "∃x. (P(x) ∧ Q(f(x)) ∧ ∀y. (P(y) → x = y))",
    f"""(instantiations (forall ((x0 U)) (or (not (p0 x0)) (p1 (f0 x0))))
  ( {_UNIQUE} )
)
(instantiations (forall ((x0 U)) (or (not {_OTHERS_EQUAL}) (not (p0 x0)) (not (p1 (f0 x0)))))
  ( {_UNIQUE} )
)
(instantiations (forall ((x1 U)) (= (p0 x1) (= x1 {_UNIQUE})))
  ( {_UNIQUE} )
  ( (@quantifiers_skolemize (forall ((x1 U)) (or (not (p0 x1)) (= x1 {_UNIQUE}))) 0) )
)
""",
)
INSTANTIATED = (RELATION, UNIQUE)
