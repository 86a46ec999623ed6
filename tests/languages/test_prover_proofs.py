"""Proofs of a prover: right ones are confirmed, and each kind of wrong one is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.prover_proofs import DEFINED, DETACHMENT, GROUP, PROVED, RELATION, Proved, refutes

from pytest_autoeval.languages.first_order.instances import instance, resolvents, unified
from pytest_autoeval.languages.first_order.refuting import Refutation
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError, read_proof
from pytest_autoeval.languages.logic.syntax import Atom, Bottom, Equal, Exists, Forall, Not, Term


@pytest.mark.parametrize("proved", PROVED)
def test_a_proof_is_confirmed(proved: Proved) -> None:
    proved.refutation.check(proved.proof, refutes)


def last_lines_removed(proof: str) -> str:
    return proof[: proof.rindex("cnf(")]


#: Kinds of wrong proofs: the question, what stands in its proof, what takes its place, and why it is refused.
WRONG = {
    "a step with other variables": (RELATION, "plain, (p1(X1,X1))", "plain, (p1(X1,X2))", "not confirm"),
    "a step without a literal": (RELATION, "(p1(X1,X2)|~p1(X1,f1(X2)))", "(p1(X1,X2))", "not confirm"),
    "a step with another sign": (RELATION, "c_0_9, plain, (p1(", "c_0_9, plain, (~p1(", "not confirm"),
    "a step with another equation": (GROUP, "plain, (f1(X1,f2)=X1)", "plain, (f1(X1,f2)=f2)", "not confirm"),
    "a step from other lines": (GROUP, "[c_0_9, c_0_10]", "[c_0_9, c_0_5]", "not confirm"),
    "a step of detachment": (DETACHMENT, "(p1(f1(X1,X2))|~p1(X2))", "(p1(f1(X1,X2))|~p1(X1))", "not confirm"),
    "a given clause that is another one": (RELATION, "(p1(X1,f1(X1))), file", "(p1(X1,X1)), file", "not confirm"),
    "a clause that was not given": (RELATION, "(p1(X1,f1(X1))), file('<stdin>', c1)", "(p2), file('x', c9)", "given"),
    "a clause by definition": (RELATION, "file('<stdin>', c1)", "introduced(definition)", "no inference"),
    "a clause from nowhere": (RELATION, "c_0_9, plain, (p1(f1(X1),X1)), inference(spm,[status(thm)],[c_0_6, c_0_7])",
                              "c_0_9, plain, (p1(f1(X1),X1)), inference(spm,[status(thm)],[])", "sign in the place"),
    "a circle": (RELATION, "[c_0_6, c_0_7]", "[c_0_11, c_0_7]", "does not stand before"),
    "a step from itself": (RELATION, "[c_0_6, c_0_7]", "[c_0_9]", "does not stand before"),
    "a step from no line": (RELATION, "[c_0_6, c_0_7]", "[c_0_6, c_7_7]", "does not stand before"),
    "a step that keeps no truth": (RELATION, "spm,[status(thm)],[c_0_6", "spm,[status(esa)],[c_0_6", "status esa"),
    "two lines of one name": (RELATION, "cnf(c_0_6,", "cnf(c_0_5,", "two lines"),
    "another end": (RELATION, "($false)", "(p1(f2,f2))", "does not end"),
    "a contradiction from nothing": (RELATION, "[c_0_12, c_0_13]", "[c_0_12, c_0_12]", "not confirm"),
    "a defined predicate that is given": (DEFINED, "(p3(X1)|p2(X1))", "(p2(X1))", "not confirm"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_proof_is_refused(case: str) -> None:
    proved, old, new, problem = WRONG[case]
    assert proved.proof.count(old) == 1
    with pytest.raises(ProofRefusedError, match=problem):
        proved.refutation.check(proved.proof.replace(old, new), refutes)


def test_a_proof_without_its_end_is_refused() -> None:
    for proof in ("", last_lines_removed(RELATION.proof)):
        with pytest.raises(ProofRefusedError, match="does not end in a contradiction"):
            RELATION.refutation.check(proof, refutes)


@pytest.mark.parametrize("proved", PROVED)
def test_a_proof_of_another_question_is_refused(proved: Proved) -> None:
    for other in PROVED:
        if other is not proved:
            with pytest.raises(ProofRefusedError):
                proved.refutation.check(other.proof, refutes)


def test_a_wrong_step_that_is_not_needed_does_no_harm() -> None:
    added = "cnf(c_9_9, plain, (p1(X1,X2)), inference(spm,[status(thm)],[c_0_6])).\n"
    proof = RELATION.proof.replace("cnf(c_0_14", f"{added}cnf(c_0_14")
    RELATION.refutation.check(proof, refutes)


def test_a_step_that_z3_does_not_decide_is_refused() -> None:
    with pytest.raises(ProofRefusedError, match="not confirm"):
        RELATION.refutation.check(RELATION.proof, lambda _script, _rlimit: False)


@pytest.mark.parametrize("proved", PROVED)
@given(data=st.data())
def test_no_changed_proof_is_confirmed_for_what_does_not_follow(
    proved: Proved, data: st.DataObject
) -> None:
    """The clauses without the negated conclusion have a model, so each proof from them is wrong."""
    from support.logic_formulas import parsed

    if proved is DEFINED:
        return
    weaker = Refutation(parsed(proved.left), Bottom())
    lines = proved.proof.strip().replace("\n    ", " ").split("\n")
    for _ in range(data.draw(st.integers(0, 3))):
        at, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        start, end = lines[at].split(", (")[0], lines[other].split(", (", 1)[1]
        lines[at] = f"{start}, ({end}"
    with pytest.raises(ProofRefusedError):
        weaker.check("\n".join(lines), refutes)


@pytest.mark.parametrize(
    "text",
    [
        "fof(c1, axiom, p1(X1), file('x', c1)).",
        "cnf(c1, axiom, (p1(X1)), file('x', c1))",
        "cnf(c1, axiom, (X1), file('x', c1)).",
        "cnf(c1, axiom, (p1(X1)|), file('x', c1)).",
        "cnf(c1, axiom, (p1(X1)), theory(equality)).",
        "cnf(c1, axiom, (p1(X1); p2), c0).",
        "cnf(c1, axiom, (p1(X1)), inference(spm,[status(thm)],[c0), ['proof']).",
        "cnf(c1, axiom, (" + "f1(" * 30_000 + "X1" + ")" * 30_000 + "), c0).",
        "cnf(c1, axiom, (p1(" + "f1(" * 60 + "X1" + ")" * 60 + ")), c0).",
        "cnf(c1, axiom, (p1), "
        + "inference(rw,[status(thm)],[" * 30_000
        + "c0"
        + "])" * 30_000
        + ").",
        "include('/etc/passwd').",
        "'",
    ],
)
def test_a_text_that_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(ProofRefusedError):
        read_proof(text)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    for proof in (text, f"cnf(c1, axiom, ({text}), c0)."):
        try:
            steps = read_proof(proof)
        except ProofRefusedError:
            continue
        assert all(step.name for step in steps)


def test_users_names_do_not_reach_the_text() -> None:
    odd = "p), include('/etc/passwd'). %\n"
    names = [Term(odd), Term("P"), Term("p"), Term(odd, (Term("x"),))]
    left = Forall("x", Exists(odd, Atom(odd, (*names, Term(odd, (Term(odd),))))))
    refutation = Refutation(left, Not(Equal(Term("P"), Term("p"))))
    assert refutation.text == (
        "cnf(c1,axiom,(p1(f1(X1), f2, f3, f4(X1), f4(f1(X1))))).\n"
        "cnf(c2,negated_conjecture,(f2 = f3)).\n"
    )  # fmt: skip


def term(text: str) -> Term:
    (step,) = read_proof(f"cnf(c, plain, (p({text})), c0).")
    literal = step.clause[0]
    assert isinstance(literal, Atom)
    return literal.arguments[0]


@pytest.mark.parametrize(
    ("left", "right", "value"),
    [
        ("f(X1,g(X2))", "f(a,X3)", "f(a,g(X2))"),
        ("f(X1,X1)", "f(a,b)", None),
        ("X1", "f(X1)", None),
        ("f(X1,X2)", "f(g(X2),g(X1))", None),
        ("f(X1,X1)", "f(g(X2),g(a))", "f(g(a),g(a))"),
        ("f(a)", "f(a,a)", None),
    ],
)
def test_two_terms_are_made_equal_or_cannot_be(left: str, right: str, value: str | None) -> None:
    terms = unified([(term(left), term(right))], {})
    if value is None:
        assert terms is None
        return
    assert terms is not None
    other = Term("other")
    sides = {instance(Atom("p", (term(side),)), terms, other) for side in (left, right)}
    assert sides == {instance(Atom("p", (term(value),)), {}, other)}


def test_a_resolvent_is_found_by_unification() -> None:
    (first,), (second,) = (
        read_proof(f"cnf(c, plain, ({text}), c0).") for text in ("p(X1)|~q(X1,a)", "q(b,X2)|r(X2)")
    )
    (target,) = read_proof("cnf(c, plain, (p(b)|r(a)), c0).")
    (terms,) = resolvents(first.clause, second.clause, target.clause)
    assert {name: str(value) for name, value in terms.items()} == {"X1": "b", "X2": "a"}
    assert not [*resolvents(first.clause, second.clause, target.clause[:1])]
