"""Instances of cvc5: right ones are confirmed, wrong ones are refused, and a bad solver costs a verdict at most."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.logic_formulas import first_order, parsed
from support.prover_proofs import refutes
from support.solver_instances import INSTANTIATED, RELATION, UNIQUE, Instantiated, script_of
from support.valid_formulas import edited, valid_formulas

from pytest_autoeval.languages import language
from pytest_autoeval.languages.first_order import decide, instantiating, prover
from pytest_autoeval.languages.first_order.instance_check import check_instances
from pytest_autoeval.languages.first_order.instantiating import InstancesAnswer
from pytest_autoeval.languages.first_order.tptp import ProofRefusedError
from pytest_autoeval.languages.isolation import GaveUpError, Worker
from pytest_autoeval.languages.logic.syntax import Sentence

FIRST_ORDER = language("first_order")
#: Pelletier's problem 52, in a form that is hard for resolution: z3 and E do not prove it in a minute.
PELLETIER_52 = (
    "∃a. ∃b. ¬a = b ∧ ∀c. (c = a ∨ c = b)",
    "(∃a. ∀b. ((∃c. ∀d. (F(b, d) ↔ d = c)) ↔ b = a)) ↔ ∃a. ∀b. ((∃c. ∀d. (F(d, b) ↔ d = c)) ↔ b = a)",
)
needs_solver = pytest.mark.extra("cvc5")


@pytest.fixture
def only_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the decision to cvc5: nothing quick, no model, no proof by z3 or E."""
    methods = ("_by_shared_parts", "_by_rows", "_by_normal_form", "_model_of_size", "_proof")
    for method in (*methods, "_proof_by_prover"):
        monkeypatch.setattr(decide._Problem, method, lambda *_args, **_options: None)
    monkeypatch.setattr(prover, "prover_path", lambda: None)
    monkeypatch.setattr(instantiating, "solver_is_installed", lambda: True)


def confirmed(script: str, instances: str) -> bool:
    try:
        check_instances(script, instances, refutes)
    except ProofRefusedError:
        return False
    return True


@pytest.mark.parametrize("question", INSTANTIATED)
def test_instances_are_confirmed(question: Instantiated) -> None:
    check_instances(question.script, question.instances, refutes)


#: Kinds of wrong instances: the question, what stands in them, and what takes its place.
WRONG = {
    "another term": (UNIQUE, "(or (not (p0 x0)) (p1 (f0 x0))))\n  ( (@", "(p0 x0))\n  ( (@"),
    "a formula that is not asserted": (RELATION, "(or (not (p0 x0 x1)) (p0 x1 x0))", "(p0 x1 x0)"),
    "a weaker formula": (RELATION, "(p0 x1 x0)))\n", "(p0 x1 x0) (p0 x1 x1)))\n"),
    "too few terms": (RELATION, "(forall ((x0 U) (x1 U) (x2 U))", "(forall ((x0 U) (x1 U) (x2 U) (x3 U))"),
    "a free variable": (RELATION, "(forall ((x0 U) (x1 U)) (or", "(forall ((x0 U)) (or"),
    "a variable of another sort": (RELATION, "(forall ((x0 U) (x1 U)) (or", "(forall ((x0 U) (x1 Bool)) (or"),
    "an unknown symbol": (RELATION, "(p0 x1 x0)", "(p7 x1 x0)"),
    "another number of arguments": (RELATION, "(p0 x1 x0)", "(p0 x1)"),
    "another variable of a counter-example": (RELATION, "(p0 x0 x0)) 0)", "(p0 x0 x0)) 1)"),
    "a counter-example of a free variable": (RELATION, "(forall ((x0 U)) (p0 x0 x0)) 0", "(p0 x0 x0) 0"),
    "a kind of term that is not known": (RELATION, "@quantifiers_skolemize", "@purify"),
    "a kind of line that is not known": (RELATION, "(instantiations", "(skolem"),
    "a bracket too many": (RELATION, "( (@", "( ((@"),
    "a bracket too few": (RELATION, "x1 x0)))", "x1 x0))"),
    "no closing bracket": (RELATION, " )\n)\n", " )\n"),
    "∃ instead of ∀": (RELATION, "(instantiations (forall", "(instantiations (exists"),
    "a sign that no formula has": (RELATION, "(or (not (p0 x0 x1)) (p0 x1 x0))", "(ite (p0 x0 x1) (p0 x1 x0) true)"),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_instances_are_refused(kind: str) -> None:
    question, old, new = WRONG[kind]
    assert old in question.instances
    changed = question.instances.replace(old, new)
    with pytest.raises(ProofRefusedError):
        check_instances(question.script, changed, refutes)


@pytest.mark.parametrize("question", INSTANTIATED)
def test_no_line_can_be_left_out(question: Instantiated) -> None:
    for line in question.instances.splitlines():
        if line.startswith("  "):
            assert not confirmed(question.script, question.instances.replace(f"{line}\n", ""))


@pytest.mark.parametrize("question", INSTANTIATED)
def test_instances_of_another_question_are_refused(question: Instantiated) -> None:
    for other in INSTANTIATED:
        if other is not question:
            assert not confirmed(question.script, other.instances)


@pytest.mark.parametrize("question", INSTANTIATED)
@given(data=st.data())
def test_no_changed_instances_are_confirmed_for_what_does_not_follow(
    question: Instantiated, data: st.DataObject
) -> None:
    """The script without the negated conclusion has a model, so each list that refutes it is wrong."""
    words = question.instances.replace("(", " ( ").replace(")", " ) ").split()
    for _ in range(data.draw(st.integers(0, 4))):
        at, other = (data.draw(st.integers(0, len(words) - 1)) for _ in range(2))
        words[at] = words[other]
    assert not confirmed(question.weaker_script, " ".join(words))


@pytest.mark.parametrize(
    "text", ["(" * 100_000, ")", "word", "()", "(instantiations)", f"{'(a ' * 150}{')' * 150}", "(a b c d)"]
)  # fmt: skip
def test_what_is_no_list_of_instances_is_refused(text: str) -> None:
    with pytest.raises(ProofRefusedError):
        check_instances(RELATION.script, text, refutes)


def test_instances_that_are_too_large_are_refused() -> None:
    text = f"(instantiations (forall ((x U)) (p0 x)) {'( c0 )' * 400_000})"
    with pytest.raises(ProofRefusedError, match="too large"):
        check_instances(script_of("∀x. P(x)", "P(a)"), text, refutes)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("∀x. ∀y. (P(x) ∨ R(y, x))", "∀z. (P(z) ∨ ∀y. R(y, z))"),
        ("∀x. (P(x) ∧ Q(x))", "(∀y. Q(y)) ∧ ∀y. P(y)"),
        ("¬∃x. ∃y. (P(x) ∧ Q(y) ∧ a = f(x))", "∀x. (P(x) → (f(x) = a → ∀x. ¬Q(x)))"),
        ("∀x. ∃y. (R(x, y) ↔ ¬P(x))", "∀x. ∃z. (P(x) ⊕ R(x, z))"),
        ("∀x. (p ∨ q)", "q ∨ p"),
        ("∀x. x = x", "⊤"),
        ("∃x. (P(x) ∨ ¬P(x))", "∀x. ¬⊥"),
    ],
)
def test_order_names_and_scopes_do_not_matter(left: str, right: str) -> None:
    assert confirmed(script_of(left, right), "")
    assert confirmed(script_of(right, left), "")


@given(first_order(), first_order())
def test_formulas_of_one_canonical_form_are_equivalent(left: Sentence, right: Sentence) -> None:
    """Without instances, only a canonical form or propositional logic can show that a formula follows."""
    if confirmed(script_of(str(left), str(right)), ""):
        assert FIRST_ORDER.entails(left, right).outcome == "entails"


def test_edited_formulas_of_one_canonical_form_are_equivalent() -> None:
    formulas = valid_formulas(3, 60, seed=11)
    pairs = [(edited(formula, seed), formula) for seed, formula in enumerate(formulas)]
    pairs += [(right, left) for left, right in pairs]
    checked = 0
    for left, right in pairs:
        if confirmed(script_of(str(left), str(right)), ""):
            checked += 1
            assert FIRST_ORDER.entails(left, right).outcome == "entails", f"{left} | {right}"
    assert checked > len(pairs) // 4


@pytest.mark.usefixtures("only_instances")
def test_confirmed_instances_decide_and_name_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    # The recording is that of the formulas as they are, without smaller scopes.
    monkeypatch.setattr(decide, "_MAX_SCOPING", 0)
    answer = InstancesAnswer(RELATION.instances, "cvc5 9.9.9", 0.1)
    monkeypatch.setattr(instantiating, "find_instances", lambda *_limits: answer)
    verdict = FIRST_ORDER.entails(RELATION.left, RELATION.right)
    assert (verdict.outcome, verdict.method) == ("entails", "cvc5 9.9.9")
    # One direction of an equivalence, and the converse, do not follow from them.
    assert FIRST_ORDER.equivalent(RELATION.left, RELATION.right).outcome == "undecided"
    assert FIRST_ORDER.entails(RELATION.right, RELATION.left).outcome == "undecided"


@pytest.mark.usefixtures("only_instances")
@pytest.mark.parametrize("instances", ["", "()", RELATION.instances.replace("(x2 U)", "(x4 U)")])
def test_what_is_not_confirmed_leaves_it_undecided(
    instances: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = InstancesAnswer(instances, "cvc5 9.9.9", 0.1)
    monkeypatch.setattr(instantiating, "find_instances", lambda *_limits: answer)
    verdict = FIRST_ORDER.entails(RELATION.left, RELATION.right)
    assert (verdict.outcome, verdict.method) == ("undecided", "z3 and cvc5")


def test_a_solver_that_ends_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_worker: Worker, function: str, *_arguments: object) -> None:
        if function:
            raise GaveUpError("the process ended")

    monkeypatch.setattr(Worker, "call", crash)
    assert instantiating.find_instances(RELATION.script, 1.0).instances is None


@needs_solver
def test_its_time_and_its_work_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = script_of(
        "(∀x. ∀y. (f(x) = f(y) → x = y)) ∧ ∀x. ∃y. R(f(x), y, f(y))", "∃x. f(x) = a"
    )
    assert instantiating.find_instances(endless, 0.05).instances is None
    monkeypatch.setattr(instantiating, "_WORK_A_SECOND", 10)
    assert instantiating.find_instances(endless, 60.0).instances is None


@needs_solver
@pytest.mark.usefixtures("only_instances")
@pytest.mark.parametrize("question", INSTANTIATED)
def test_its_instances_are_those_of_the_recordings(question: Instantiated) -> None:
    verdict = FIRST_ORDER.entails(question.left, question.right)
    assert verdict.outcome == "entails"
    assert verdict.method.startswith("cvc5 1.")


@needs_solver
def test_the_solver_decides_what_z3_and_the_prover_do_not() -> None:
    left, right = map(parsed, PELLETIER_52)
    verdict = FIRST_ORDER.entails(left, right, timeout=20.0)
    assert verdict.outcome == "entails"
    assert verdict.method.startswith("cvc5 1.")


@needs_solver
@pytest.mark.usefixtures("only_instances")
def test_the_solver_and_the_truth_never_contradict_each_other() -> None:
    formulas = valid_formulas(3, 8, seed=5)
    decided = [str(FIRST_ORDER.equivalent(formula, "⊤").outcome) for formula in formulas]
    assert set(decided) <= {"equivalent", "undecided"}
    assert decided.count("equivalent") > len(formulas) * 0.7
