"""The prover E: what it decides, and that a slow, a broken and a lying prover cost a verdict at most."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

import pytest
from support.logic_formulas import parsed
from support.pelletier import NOT_PROVED, PELLETIER
from support.prover_proofs import RELATION, refutes
from support.valid_formulas import edited, valid_formulas

from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import Verdict, language
from pytest_autoeval.languages.first_order import decide, instantiating, prover
from pytest_autoeval.languages.first_order.refuting import Refutation
from pytest_autoeval.languages.logic.syntax import Sentence, Top

FIRST_ORDER = language("first_order")
PROBLEMS = Path(__file__).parents[3] / "shared" / "data" / "undecided-problems.jsonl"
#: Those that are decided within a second, also on a slow machine.
DECIDED = """
    030_lemma_trichotomy1 8-hard ALG203+1 LCL414+1 SYN006-1 SYN313-1.001.002 SYN353+1 SYN386+1 varignon2
""".split()  # noqa: SIM905
#: A function that is injective and not surjective: all models are infinite.
INFINITE = "(∀x. ∀y. (f(x) = f(y) → x = y)) ∧ ∀x. ¬(f(x) = a)"
needs_prover = pytest.mark.extra("eprover")
posix = pytest.mark.skipif(
    sys.platform == "win32", reason="the program of the test is a script of the shell"
)

#: Makes a program that prints this and then runs a command, and takes it for E.
Pretending = Callable[..., None]


@pytest.fixture
def pretending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretending:
    def pretend(text: str, then: str = "") -> None:
        (tmp_path / "answer").write_text(text, "utf-8")
        program = tmp_path / "eprover"
        program.write_text(
            f"#!/bin/sh\n/bin/cat >/dev/null\n/bin/cat '{tmp_path}/answer'\n{then}\n", "utf-8"
        )
        program.chmod(0o755)
        monkeypatch.setattr(prover, "prover_path", lambda: str(program))

    return pretend


def proof_text(proof: str, status: str = "Unsatisfiable") -> str:
    start, end = (f"% SZS output {word} CNFRefutation" for word in ("start", "end"))
    return f"% Version: 9.9.9-ho\n% SZS status {status}\n{start}{proof}{end}\n"


@pytest.fixture
def only_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the decision to the prover: nothing quick, no model, no proof by z3 or cvc5."""
    for method in ("_by_shared_parts", "_by_rows", "_by_normal_form", "_model_of_size", "_proof"):
        monkeypatch.setattr(decide._Problem, method, lambda *_args, **_options: None)
    monkeypatch.setattr(instantiating, "solver_is_installed", lambda: False)


def entails(left: str, right: str, timeout: float = 5.0) -> Verdict:
    return FIRST_ORDER.entails(left, right, timeout=timeout)


@posix
@pytest.mark.usefixtures("only_prover")
def test_a_confirmed_proof_decides_and_names_the_prover(pretending: Pretending) -> None:
    pretending(proof_text(RELATION.proof))
    verdict = entails(RELATION.left, RELATION.right)
    assert (verdict.outcome, verdict.method) == ("entails", "E 9.9.9")


@posix
@pytest.mark.usefixtures("only_prover")
@pytest.mark.parametrize(
    "text",
    [
        proof_text(RELATION.proof.replace("(p1(X1,X1))", "(p1(X1,X2))")),
        proof_text(""),
        proof_text(RELATION.proof, "Satisfiable"),
        proof_text(RELATION.proof, "ResourceOut"),
        "% SZS status Unsatisfiable\n",
        "\udcff\n".encode("utf-8", "surrogateescape").decode("latin-1"),
        "",
    ],
)
def test_what_is_no_proof_leaves_it_undecided(pretending: Pretending, text: str) -> None:
    pretending(text)
    verdict = entails(RELATION.left, RELATION.right)
    assert (verdict.outcome, verdict.method) == ("undecided", "z3 and E")


@posix
@pytest.mark.usefixtures("only_prover")
def test_a_right_proof_does_not_prove_the_converse(pretending: Pretending) -> None:
    pretending(proof_text(RELATION.proof))
    assert FIRST_ORDER.equivalent(RELATION.left, RELATION.right).outcome == "undecided"
    assert entails(RELATION.right, RELATION.left).outcome == "undecided"


@posix
def test_a_prover_that_does_not_end_is_killed(pretending: Pretending, tmp_path: Path) -> None:
    pretending("", then=f"echo $$ >'{tmp_path}/process'; exec /bin/sleep 600")
    started = time.monotonic()
    assert prover.run_prover("", 0.05, 10).outcome == "unknown"
    assert time.monotonic() - started < 60
    process = (tmp_path / "process").read_text().strip()
    assert not Path(f"/proc/{process}").exists()
    assert not prover._running


@posix
def test_a_prover_that_prints_without_end_is_killed(pretending: Pretending) -> None:
    pretending("% SZS status Unsatisfiable\n", then="while :; do echo '% nothing'; done")
    assert prover.run_prover("", 60, 10).outcome == "unknown"


def test_a_program_that_cannot_be_started_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prover, "prover_path", lambda: str(tmp_path / "none"))
    assert prover.run_prover("", 1, 10).outcome == "unknown"


def test_where_no_prover_is_z3_decides_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "prover_path", lambda: None)
    monkeypatch.setattr(instantiating, "solver_is_installed", lambda: False)
    verdict = FIRST_ORDER.equivalent(INFINITE, "⊥", timeout=0.3)
    assert (verdict.outcome, verdict.method) == ("undecided", "z3")


@pytest.mark.usefixtures("only_prover")
def test_a_brief_decision_asks_no_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(prover, "run_prover", lambda text, *_limits: asked.append(text))
    left, right = parsed(RELATION.left), parsed(RELATION.right)
    assert decide.decide("entailment", left, right, 5.0, work=0.05).method == "z3"
    assert not asked


@needs_prover
@pytest.mark.parametrize("number", NOT_PROVED)
def test_the_prover_decides_what_z3_does_not(number: int) -> None:
    verdict = FIRST_ORDER.equivalent(parsed(PELLETIER[number]), Top())
    assert verdict.outcome == "equivalent"
    assert verdict.method.startswith("E 3.")


@needs_prover
@pytest.mark.skipif(
    not PROBLEMS.exists(), reason="the problems are not published with this package"
)
def test_published_problems_are_decided() -> None:
    problems = [json.loads(line) for line in PROBLEMS.read_text("utf-8").splitlines()]
    outcomes = {
        problem["name"]: entails(problem["left"], problem["right"]).outcome
        for problem in problems
        if problem["name"] in DECIDED
    }
    assert outcomes == dict.fromkeys(DECIDED, "entails")


@needs_prover
def test_saturation_is_undecided_and_its_reason_says_how_far_cases_were_searched() -> None:
    verdict = FIRST_ORDER.equivalent(INFINITE, "⊥", timeout=1.5)
    assert verdict.outcome == "undecided"
    assert verdict.reason.startswith("E 3.")
    assert " finds that the formulas differ, but no case of fewer than " in verdict.reason
    reason = entails(INFINITE, "a = b", 1.5).reason
    assert (
        " finds that the second does not follow from the first, but no case of fewer than "
        in reason
    )


def forced(left: Sentence, right: Sentence) -> str:
    """What E alone says of an equivalence: ``equivalent``, ``different``, or ``unknown``."""
    for pair in ((left, right), (right, left)):
        refutation = Refutation(*pair)
        answer = prover.run_prover(refutation.text, 2.0, 20_000)
        if answer.outcome != "unsatisfiable":
            return "different" if answer.outcome == "satisfiable" else "unknown"
        refutation.check(answer.proof, refutes)
    return "equivalent"


@needs_prover
@pytest.mark.parametrize("kind", ["drawn", "valid"])
def test_the_prover_and_the_usual_procedure_never_contradict_each_other(kind: str) -> None:
    if kind == "drawn":
        drawn = [
            sample_formulas("first_order", operators=size, count=15, seed=3) for size in (1, 3, 6)
        ]
        pairs = [*pairwise(parsed(str(formula)) for formulas in drawn for formula in formulas)]
    else:
        valid = valid_formulas(3, 15, seed=5)
        pairs = [(formula, cast("Sentence", Top())) for formula in valid]
        pairs += [(edited(formula, seed), formula) for seed, formula in enumerate(valid)]
    decided = 0
    for left, right in pairs:
        outcomes = {
            str(FIRST_ORDER.equivalent(left, right, timeout=1.0).outcome),
            forced(left, right),
        }
        assert not {"equivalent", "different"} <= outcomes, f"{left} | {right}"
        decided += not outcomes & {"undecided", "unknown"}
    assert decided > len(pairs) * 0.9


@needs_prover
def test_hostile_names_are_only_names(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    run = partial(prover._output)

    def output(command: list[str], text: str, seconds: float) -> str:
        texts.append(text)
        return run(command, text, seconds)

    monkeypatch.setattr(prover, "_output", output)
    group = PELLETIER[63].replace("f(", "F_include(").replace("e", "cnf_e")
    assert FIRST_ORDER.equivalent(group, "⊤").outcome == "equivalent"
    assert texts
    assert not any("include" in text or "cnf_e" in text for text in texts)
