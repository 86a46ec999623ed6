"""Pelletier's problems 1 to 47 and 55 to 69, as texts of first-order logic. The text of 70 is not at hand.

F. J. Pelletier, "Seventy-five problems for testing automatic theorem provers", Journal of Automated Reasoning 2 (1986),
with the errata of 1988 (28, 34, 40) and 1997 (62). Problem 55 is meant with equality, 69 is of the modal logic T.
"""

from __future__ import annotations

_MONOID = "(∀x. ∀y. ∀z. f(f(x, y), z) = f(x, f(y, z))) ∧ (∀x. f(e, x) = x)"
_DETACHMENT = "∀x. ∀y. ((T(i(x, y)) ∧ T(x)) → T(y))"
_CALCULUS = f"({_DETACHMENT}) ∧ (∀x. ∀y. T(i(x, i(y, x)))) ∧ (∀x. ∀y. ∀z. T(i(i(x, i(y, z)), i(i(x, y), i(x, z)))))"
_CHURCH = f"{_CALCULUS} ∧ (∀x. ∀y. T(i(i(n(x), n(y)), i(y, x))))"

#: Problem 68 has the axiom of contraposition of problem 66 reversed; it is not a theorem.
NO_THEOREMS = (68,)
#: Theorems that z3 does not prove within the default limit: groups, and calculi with condensed detachment.
NOT_PROVED = (63, 66, 67, 69)

#: By number.
PELLETIER: dict[int, str] = {
    1: "(p → q) ↔ (¬q → ¬p)",
    2: "¬¬p ↔ p",
    3: "¬(p → q) → (q → p)",
    4: "(¬p → q) ↔ (¬q → p)",
    5: "((p ∨ q) → (p ∨ r)) → (p ∨ (q → r))",
    6: "p ∨ ¬p",
    7: "p ∨ ¬¬¬p",
    8: "((p → q) → p) → p",
    9: "((p ∨ q) ∧ (¬p ∨ q) ∧ (p ∨ ¬q)) → ¬(¬p ∨ ¬q)",
    10: "((q → r) ∧ (r → (p ∧ q)) ∧ (p → (q ∨ r))) → (p ↔ q)",
    11: "p ↔ p",
    12: "((p ↔ q) ↔ r) ↔ (p ↔ (q ↔ r))",
    13: "(p ∨ (q ∧ r)) ↔ ((p ∨ q) ∧ (p ∨ r))",
    14: "(p ↔ q) ↔ ((q ∨ ¬p) ∧ (¬q ∨ p))",
    15: "(p → q) ↔ (¬p ∨ q)",
    16: "(p → q) ∨ (q → p)",
    17: "((p ∧ (q → r)) → s) ↔ ((¬p ∨ q ∨ s) ∧ (¬p ∨ ¬r ∨ s))",
    18: "∃y. ∀x. (F(y) → F(x))",
    19: "∃x. ∀y. ∀z. ((P(y) → Q(z)) → (P(x) → Q(x)))",
    20: "(∀x. ∀y. ∃z. ∀w. ((P(x) ∧ Q(y)) → (R(z) ∧ S(w)))) → ((∃x. ∃y. (P(x) ∧ Q(y))) → ∃z. R(z))",
    21: "((∃x. (p → F(x))) ∧ ∃x. (F(x) → p)) → ∃x. (p ↔ F(x))",
    22: "(∀x. (p ↔ F(x))) → (p ↔ ∀x. F(x))",
    23: "(∀x. (p ∨ F(x))) ↔ (p ∨ ∀x. F(x))",
    24: "((¬∃x. (S(x) ∧ Q(x))) ∧ (∀x. (P(x) → (Q(x) ∨ R(x)))) ∧ ((¬∃x. P(x)) → ∃x. Q(x))"
    " ∧ ∀x. ((Q(x) ∨ R(x)) → S(x))) → ∃x. (P(x) ∧ R(x))",
    25: "((∃x. P(x)) ∧ (∀x. (F(x) → (¬G(x) ∧ R(x)))) ∧ (∀x. (P(x) → (G(x) ∧ F(x))))"
    " ∧ ((∀x. (P(x) → Q(x))) ∨ ∃x. (P(x) ∧ R(x)))) → ∃x. (Q(x) ∧ P(x))",
    26: "(((∃x. P(x)) ↔ ∃x. Q(x)) ∧ ∀x. ∀y. ((P(x) ∧ Q(y)) → (R(x) ↔ S(y))))"
    " → ((∀x. (P(x) → R(x))) ↔ ∀x. (Q(x) → S(x)))",
    27: "((∃x. (F(x) ∧ ¬G(x))) ∧ (∀x. (F(x) → H(x))) ∧ (∀x. ((J(x) ∧ I(x)) → F(x)))"
    " ∧ ((∃x. (H(x) ∧ ¬G(x))) → ∀x. (I(x) → ¬H(x)))) → ∀x. (J(x) → ¬I(x))",
    28: "((∀x. (P(x) → ∀x. Q(x))) ∧ ((∀x. (Q(x) ∨ R(x))) → ∃x. (Q(x) ∧ S(x)))"
    " ∧ ((∃x. S(x)) → ∀x. (F(x) → G(x)))) → ∀x. ((P(x) ∧ F(x)) → G(x))",
    29: "((∃x. F(x)) ∧ ∃x. G(x)) → (((∀x. (F(x) → H(x))) ∧ ∀x. (G(x) → J(x)))"
    " ↔ ∀x. ∀y. ((F(x) ∧ G(y)) → (H(x) ∧ J(y))))",
    30: "((∀x. ((F(x) ∨ G(x)) → ¬H(x))) ∧ ∀x. ((G(x) → ¬I(x)) → (F(x) ∧ H(x)))) → ∀x. I(x)",
    31: "((¬∃x. (F(x) ∧ (G(x) ∨ H(x)))) ∧ (∃x. (I(x) ∧ F(x))) ∧ ∀x. (¬H(x) → J(x))) → ∃x. (I(x) ∧ J(x))",
    32: "((∀x. ((F(x) ∧ (G(x) ∨ H(x))) → I(x))) ∧ (∀x. ((I(x) ∧ H(x)) → J(x))) ∧ ∀x. (K(x) → H(x)))"
    " → ∀x. ((F(x) ∧ K(x)) → J(x))",
    33: "(∀x. ((P(a) ∧ (P(x) → P(b))) → P(c))) ↔ ∀x. ((¬P(a) ∨ P(x) ∨ P(c)) ∧ (¬P(a) ∨ ¬P(b) ∨ P(c)))",
    34: "((∃x. ∀y. (P(x) ↔ P(y))) ↔ ((∃x. Q(x)) ↔ ∀y. P(y))) ↔ ((∃x. ∀y. (Q(x) ↔ Q(y))) ↔ ((∃x. P(x)) ↔ ∀y. Q(y)))",
    35: "∃x. ∃y. (P(x, y) → ∀x. ∀y. P(x, y))",
    36: "((∀x. ∃y. F(x, y)) ∧ (∀x. ∃y. G(x, y))"
    " ∧ ∀x. ∀y. ((F(x, y) ∨ G(x, y)) → ∀z. ((F(y, z) ∨ G(y, z)) → H(x, z)))) → ∀x. ∃y. H(x, y)",
    37: "((∀z. ∃w. ∀x. ∃y. ((P(x, z) → P(y, w)) ∧ P(y, z) ∧ (P(y, w) → ∃u. Q(u, w))))"
    " ∧ (∀x. ∀z. (¬P(x, z) → ∃y. Q(y, z))) ∧ ((∃x. ∃y. Q(x, y)) → ∀x. R(x, x))) → ∀x. ∃y. R(x, y)",
    38: "(∀x. ((P(a) ∧ (P(x) → ∃y. (P(y) ∧ R(x, y)))) → ∃z. ∃w. (P(z) ∧ R(x, w) ∧ R(w, z))))"
    " ↔ ∀x. ((¬P(a) ∨ P(x) ∨ ∃z. ∃w. (P(z) ∧ R(x, w) ∧ R(w, z)))"
    " ∧ (¬P(a) ∨ ¬(∃y. (P(y) ∧ R(x, y))) ∨ ∃z. ∃w. (P(z) ∧ R(x, w) ∧ R(w, z))))",
    39: "¬∃x. ∀y. (F(y, x) ↔ ¬F(y, y))",
    40: "(∃y. ∀x. (F(x, y) ↔ F(x, x))) → ¬∀x. ∃y. ∀z. (F(z, y) ↔ ¬F(z, x))",
    41: "(∀z. ∃y. ∀x. (F(x, y) ↔ (F(x, z) ∧ ¬F(x, x)))) → ¬∃z. ∀x. F(x, z)",
    42: "¬∃y. ∀x. (F(x, y) ↔ ¬∃z. (F(x, z) ∧ F(z, x)))",
    43: "(∀x. ∀y. (Q(x, y) ↔ ∀z. (F(z, x) ↔ F(z, y)))) → ∀x. ∀y. (Q(x, y) ↔ Q(y, x))",
    44: "((∀x. (F(x) → ((∃y. (G(y) ∧ H(x, y))) ∧ ∃y. (G(y) ∧ ¬H(x, y)))))"
    " ∧ ∃x. (J(x) ∧ ∀y. (G(y) → H(x, y)))) → ∃x. (J(x) ∧ ¬F(x))",
    45: "((∀x. ((F(x) ∧ ∀y. ((G(y) ∧ H(x, y)) → J(x, y))) → ∀y. ((G(y) ∧ H(x, y)) → K(y))))"
    " ∧ (¬∃y. (L(y) ∧ K(y))) ∧ ∃x. (F(x) ∧ (∀y. (H(x, y) → L(y))) ∧ ∀y. ((G(y) ∧ H(x, y)) → J(x, y))))"
    " → ∃x. (F(x) ∧ ¬∃y. (G(y) ∧ H(x, y)))",
    46: "((∀x. ((F(x) ∧ ∀y. ((F(y) ∧ H(y, x)) → G(y))) → G(x)))"
    " ∧ ((∃x. (F(x) ∧ ¬G(x))) → ∃x. (F(x) ∧ ¬G(x) ∧ ∀y. ((F(y) ∧ ¬G(y)) → J(x, y))))"
    " ∧ ∀x. ∀y. ((F(x) ∧ F(y) ∧ H(x, y)) → ¬J(y, x))) → ∀x. (F(x) → G(x))",
    47: "((∀x. (Wolf(x) → Animal(x))) ∧ (∃x. Wolf(x)) ∧ (∀x. (Fox(x) → Animal(x))) ∧ (∃x. Fox(x))"
    " ∧ (∀x. (Bird(x) → Animal(x))) ∧ (∃x. Bird(x)) ∧ (∀x. (Caterpillar(x) → Animal(x))) ∧ (∃x. Caterpillar(x))"
    " ∧ (∀x. (Snail(x) → Animal(x))) ∧ (∃x. Snail(x)) ∧ (∀x. (Grain(x) → Plant(x))) ∧ (∃x. Grain(x))"
    " ∧ (∀x. (Animal(x) → ((∀y. (Plant(y) → Eats(x, y)))"
    " ∨ ∀y. ((Animal(y) ∧ Smaller(y, x) ∧ ∃z. (Plant(z) ∧ Eats(y, z))) → Eats(x, y)))))"
    " ∧ (∀x. ∀y. ((Bird(y) ∧ (Snail(x) ∨ Caterpillar(x))) → Smaller(x, y)))"
    " ∧ (∀x. ∀y. ((Bird(x) ∧ Fox(y)) → Smaller(x, y))) ∧ (∀x. ∀y. ((Fox(x) ∧ Wolf(y)) → Smaller(x, y)))"
    " ∧ (∀x. ∀y. ((Wolf(x) ∧ (Fox(y) ∨ Grain(y))) → ¬Eats(x, y)))"
    " ∧ (∀x. ∀y. ((Bird(x) ∧ Caterpillar(y)) → Eats(x, y)))"
    " ∧ (∀x. ∀y. ((Bird(x) ∧ Snail(y)) → ¬Eats(x, y)))"
    " ∧ ∀x. ((Caterpillar(x) ∨ Snail(x)) → ∃y. (Plant(y) ∧ Eats(x, y))))"
    " → ∃x. ∃y. (Animal(x) ∧ Animal(y) ∧ ∃z. (Grain(z) ∧ Eats(y, z) ∧ Eats(x, y)))",
    55: "((∃x. (L(x) ∧ K(x, a))) ∧ L(a) ∧ L(b) ∧ L(c) ∧ (∀x. (L(x) → (x = a ∨ x = b ∨ x = c)))"
    " ∧ (∀x. ∀y. (K(x, y) → H(x, y))) ∧ (∀x. ∀y. (K(x, y) → ¬R(x, y))) ∧ (∀x. (H(a, x) → ¬H(c, x)))"
    " ∧ (∀x. (¬(x = b) → H(a, x))) ∧ (∀x. (¬R(x, a) → H(b, x))) ∧ (∀x. (H(a, x) → H(b, x)))"
    " ∧ (∀x. ∃y. ¬H(x, y)) ∧ ¬(a = b)) → K(a, a)",
    56: "(∀x. ((∃y. (F(y) ∧ x = f(y))) → F(x))) ↔ ∀x. (F(x) → F(f(x)))",
    57: "(F(f(a, b), f(b, c)) ∧ F(f(b, c), f(a, c))"
    " ∧ ∀x. ∀y. ∀z. ((F(x, y) ∧ F(y, z)) → F(x, z))) → F(f(a, b), f(a, c))",
    58: "(∀x. ∀y. f(x) = g(y)) → ∀x. ∀y. f(f(x)) = f(g(y))",
    59: "(∀x. (F(x) ↔ ¬F(f(x)))) → ∃x. (F(x) ∧ ¬F(f(x)))",
    60: "∀x. (F(x, f(x)) ↔ ∃y. ((∀z. (F(z, y) → F(z, f(x)))) ∧ F(x, y)))",
    61: "(∀x. ∀y. ∀z. f(x, f(y, z)) = f(f(x, y), z)) → ∀x. ∀y. ∀z. ∀w. f(x, f(y, f(z, w))) = f(f(f(x, y), z), w)",
    62: "(∀x. ((P(a) ∧ (P(x) → P(f(x)))) → P(f(f(x)))))"
    " ↔ ∀x. ((¬P(a) ∨ P(x) ∨ P(f(f(x)))) ∧ (¬P(a) ∨ ¬P(f(x)) ∨ P(f(f(x)))))",
    63: f"({_MONOID} ∧ (∀x. ∃y. f(y, x) = e)) → ∀x. ∀y. ∀z. (f(x, y) = f(z, y) → x = z)",
    64: f"({_MONOID} ∧ (∀x. ∃y. f(y, x) = e)) → ∀x. ∀y. (f(y, x) = e → f(x, y) = e)",
    65: f"({_MONOID} ∧ (∀x. ∃y. f(y, x) = e)) → ((∀x. f(x, x) = e) → ∀x. ∀y. f(x, y) = f(y, x))",
    66: f"({_CHURCH}) → ∀x. T(i(x, n(n(x))))",
    67: f"({_CHURCH}) → ∀x. T(i(n(n(x)), x))",
    68: f"({_CALCULUS} ∧ (∀x. ∀y. T(i(i(y, x), i(n(x), n(y)))))) → ∀x. T(i(x, n(n(x))))",
    69: f"({_CHURCH} ∧ (∀x. ∀y. T(i(l(i(x, y)), i(l(x), l(y))))) ∧ (∀x. T(i(l(x), x))) ∧ (∀x. (T(x) → T(l(x)))))"
    " → ∀x. T(i(l(x), n(l(n(x)))))",
}
