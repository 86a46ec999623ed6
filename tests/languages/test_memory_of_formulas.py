"""What formulas and decisions leave in memory."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator

import pytest

from pytest_autoeval.features.finite_traces.syntax import OnFiniteTraces
from pytest_autoeval.languages.base import Tree
from pytest_autoeval.languages.logic.syntax import Or, Sentence
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.propositional.circuits import CONNECTIVES, Circuit
from pytest_autoeval.languages.propositional.diagrams import Diagrams
from pytest_autoeval.languages.regex.syntax import Expression

#: No truth table, model of few elements or normal form decides this entailment.
DECIDED_BY_Z3 = """
import sys
from pytest_autoeval.languages import language

premise = "∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z)) ∧ (∀x. ¬R(x, x))"
conclusion = "∀x. ∀y. (R(x, y) → ¬R(y, x))"
verdict = language("first_order").entails(premise, conclusion)
print(verdict.outcome, verdict.method, "z3" in sys.modules)
"""


@pytest.fixture
def without_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("kind", [Sentence, Temporal, OnFiniteTraces, Expression])
def test_no_node_has_a_dictionary(kind: type[Tree]) -> None:
    of_module = vars(sys.modules[kind.__module__]).values()
    nodes = [node for node in of_module if isinstance(node, type) and issubclass(node, kind)]
    assert len(nodes) > 10
    assert [node for node in nodes if node.__dictoffset__] == []


@pytest.mark.usefixtures("without_collector")
def test_a_circuit_is_freed_with_its_last_user() -> None:
    circuit = Circuit(10)
    CONNECTIVES[Or](circuit, circuit.input(), circuit.input())
    reference = weakref.ref(circuit)
    del circuit
    assert reference() is None


@pytest.mark.usefixtures("without_collector")
def test_diagrams_are_freed_with_their_last_user() -> None:
    diagrams = Diagrams(10)
    root = diagrams.node(0, low=0, high=diagrams.node(1, low=0, high=1))
    assert len(diagrams.walk(root)) == 2
    reference = weakref.ref(diagrams)
    del diagrams
    assert reference() is None


def test_who_asks_z3_does_not_import_it() -> None:
    command = [sys.executable, "-c", DECIDED_BY_Z3]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.split() == ["entails", "z3", "False"]
