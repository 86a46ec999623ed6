"""Clauses of first-order sentences: they have models where the sentences have, and a wrong one is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from support.independent_logic import is_refuted
from support.logic_formulas import first_order, models, parsed
from support.prover_proofs import DEFINED, RELATION, refutes

from pytest_autoeval.languages.first_order.clause_check import check_clauses, check_normal_form
from pytest_autoeval.languages.first_order.clauses import ClauseForm, Definition, clause_form
from pytest_autoeval.languages.first_order.evaluate import evaluate
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError
from pytest_autoeval.languages.logic.signature import free_names, joint_signature
from pytest_autoeval.languages.logic.syntax import (
    And,
    Atom,
    Bottom,
    Forall,
    Not,
    Or,
    Sentence,
    Term,
    Top,
    Xor,
)
from pytest_autoeval.languages.propositional.diagrams import TooLargeError


def conjunction(form: ClauseForm) -> Sentence:
    """The clauses as one sentence, with a quantifier for each variable."""
    sentence: Sentence = Top()
    for clause in form.clauses:
        disjunction: Sentence = Bottom()
        for literal in clause:
            disjunction = Or(disjunction, literal)
        for variable in sorted(form.variables & free_names(disjunction)):
            disjunction = Forall(variable, disjunction)
        sentence = And(sentence, disjunction)
    return sentence


@given(first_order(7), first_order(7))
@settings(max_examples=60)
def test_clauses_have_a_model_where_the_sentence_has(left: Sentence, right: Sentence) -> None:
    sentence, clauses = And(left, Not(right)), conjunction(clause_form(left, right))
    outcomes = {is_refuted(sentence), is_refuted(clauses)}
    assert not {True, False} <= outcomes


@given(first_order(5), first_order(5))
@settings(max_examples=40)
def test_each_model_of_the_clauses_is_one_of_the_sentence(left: Sentence, right: Sentence) -> None:
    sentence, clauses = And(left, Not(right)), conjunction(clause_form(left, right))
    signature = joint_signature(sentence, clauses)
    for size in (1, 2):
        for model in islice(models(signature, size, 500), 1000):
            assert evaluate(sentence, model) or not evaluate(clauses, model)


@given(first_order(8), first_order(8))
@settings(max_examples=60)
def test_all_clauses_pass_the_check(left: Sentence, right: Sentence) -> None:
    form = clause_form(left, right)
    check_clauses(And(left, Not(right)), form, form.clauses, refutes)


@given(first_order(6), first_order(6))
@settings(max_examples=40)
def test_the_clauses_of_another_sentence_are_refused(left: Sentence, right: Sentence) -> None:
    if is_refuted(Xor(left, right)) is False:
        with pytest.raises(ProofRefusedError):
            check_normal_form(right, clause_form(left, Bottom()).normal)


def test_large_disjunctions_get_a_new_predicate() -> None:
    parts = [f"({' ∧ '.join(f'P{row}{column}(x)' for column in range(6))})" for row in range(6)]
    form = clause_form(parsed(f"∀x. ({' ∨ '.join(parts)})"), Bottom())
    assert len(form.clauses) < 100  # without new predicates, 6 ** 6
    check_clauses(
        And(parsed(f"∀x. ({' ∨ '.join(parts)})"), Not(Bottom())), form, form.clauses, refutes
    )


def test_what_has_too_many_clauses_is_left_to_z3() -> None:
    nested = parsed("P(a)")
    for level in range(14):
        nested = parsed(f"({nested}) ↔ ∃x. P{level}(x)")
    with pytest.raises(TooLargeError):
        clause_form(nested, Bottom())


def test_new_names_are_none_of_the_users() -> None:
    form = clause_form(parsed("∀x. ∃y. (R(x, y, X1, skolem3) ∧ skolem4(y))"), Bottom())
    assert not {*form.skolem, *form.variables} & {"X1", "skolem3", "skolem4"}
    assert {term.name for term in form.skolem.values()}.isdisjoint({"X1", "skolem3", "skolem4"})
    check_clauses(
        And(parsed("∀x. ∃y. (R(x, y, X1, skolem3) ∧ skolem4(y))"), Not(Bottom())),
        form,
        form.clauses,
        refutes,
    )


def skolem_of(form: ClauseForm, **terms: Term) -> ClauseForm:
    return replace(form, skolem={**form.skolem, **terms})


X1, X3 = Term("X1"), Term("X3")
#: Of the form of `RELATION`: X2 is existential in the scope of X1, and X8 outside of all.
TAMPERED: dict[str, tuple[Callable[[ClauseForm], ClauseForm], str]] = {
    "a Skolem term lacks a variable": (
        lambda form: skolem_of(form, X2=Term("skolem9")),
        "lacks a variable",
    ),
    "two variables have one Skolem function": (
        lambda form: skolem_of(form, X8=Term("skolem9")),
        "already used",
    ),
    "a Skolem function is a variable": (
        lambda form: skolem_of(form, X8=Term("X1")),
        "already used",
    ),
    "a Skolem term has a variable of elsewhere": (
        lambda form: skolem_of(form, X2=Term("s", (X1, X3))),
        "arguments",
    ),
    "a Skolem term has a term in it": (
        lambda form: skolem_of(form, X2=Term("s", (Term("g", (X1,)),))),
        "other arguments",
    ),
    "a variable has no Skolem term": (lambda form: replace(form, skolem={}), "no Skolem term"),
    "the form of another sentence": (
        lambda _form: clause_form(parsed("∀x. ∃y. R(x, y)"), parsed("∀x. R(x, x)")),
        "another formula",
    ),
    "a clause more": (
        lambda form: replace(form, clauses=(*form.clauses, (Atom("R", (X1, X1)),))),
        "does not follow",
    ),
    "a definition of a known predicate": (
        lambda form: replace(form, definitions=(Definition(Atom("R", (X1, X3)), Bottom()),)),
        "not new",
    ),
    "a definition without a variable of its part": (
        lambda form: replace(form, definitions=(Definition(Atom("d"), Atom("R", (X1, X1))),)),
        "lacks a variable",
    ),
    "a definition that repeats a variable": (
        lambda form: replace(
            form, definitions=(Definition(Atom("d", (X1, X1)), Atom("R", (X1, X1))),)
        ),
        "other arguments",
    ),
    "a definition by itself": (
        lambda form: replace(
            form, definitions=(Definition(Atom("d", (X1,)), Not(Atom("d", (X1,)))),)
        ),
        "a defined predicate",
    ),
    "two definitions of one predicate": (
        lambda form: replace(
            form, definitions=tuple(Definition(Atom("d"), part) for part in (Top(), Bottom()))
        ),
        "not new",
    ),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_tampered_form_is_refused(case: str) -> None:
    tamper, problem = TAMPERED[case]
    form = tamper(RELATION.refutation.form)
    sentence = And(parsed(RELATION.left), Not(parsed(RELATION.right)))
    with pytest.raises(ProofRefusedError, match=problem):
        check_clauses(sentence, form, form.clauses, refutes)


def test_a_users_constant_is_no_skolem_constant() -> None:
    form = clause_form(parsed("(∃x. P(x)) ∧ ¬P(a)"), Bottom())
    (variable,) = form.skolem
    tampered = skolem_of(form, **{variable: Term("a")})
    with pytest.raises(ProofRefusedError, match="already used"):
        check_clauses(
            And(parsed("(∃x. P(x)) ∧ ¬P(a)"), Not(Bottom())), tampered, form.clauses, refutes
        )


def test_a_name_that_the_normal_form_adds_is_no_skolem_constant() -> None:
    sentence = parsed("∃x. P(x)")
    form = clause_form(sentence, Bottom())
    (variable,), added = form.skolem, parsed("P(b) ∨ ¬P(b)")
    tampered = replace(skolem_of(form, **{variable: Term("b")}), normal=And(form.normal, added))
    with pytest.raises(ProofRefusedError, match="already used"):
        check_clauses(And(sentence, Not(Bottom())), tampered, form.clauses, refutes)


def test_a_quantifier_with_either_sign_is_refused() -> None:
    for normal in (parsed("¬∃x. P(x)"), parsed("(∀x. P(x)) → ⊥")):
        form = ClauseForm(normal, {}, (), (), 0)
        with pytest.raises(ProofRefusedError, match=r"negation|either sign"):
            check_clauses(normal, form, [()], refutes)


def test_defined_predicates_are_checked() -> None:
    form = DEFINED.refutation.form
    ((atom, _),) = form.definitions
    tampered = replace(form, definitions=(Definition(atom, Atom("T", atom.arguments)),))
    with pytest.raises(ProofRefusedError, match="does not follow"):
        check_clauses(And(parsed(DEFINED.left), Not(Bottom())), tampered, form.clauses, refutes)
