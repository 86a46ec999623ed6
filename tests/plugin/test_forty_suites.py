"""A run of 40 suites of 40 formulas: its verdict live, with workers, from parts and from its files."""

from __future__ import annotations

from typing import Any

import pytest
from support.program import Program

from .conftest import Run, said

CONFTEST = '''
import os
from hashlib import sha256

#: The share of formulas that the model gets wrong, the suite that it gets wrong more often, and the name of the run.
WRONG, WORSE, RUN = float(os.environ["WRONG"]), os.environ["WORSE"], os.environ["RUN"]


def chance(*words):
    return int(sha256(" ".join(words).encode()).hexdigest()[:12], 16) / 16**12


class Erring:
    """A model that negates a known share of the formulas; five of a hundred answers are drawn anew in each run."""

    def __init__(self):
        self.described = {}

    def complete(self, messages, *, repeat=0):
        *_, label, text = messages[-1].content.splitlines()
        if label == "Formula:":
            english = f"Rule {sha256(text.encode()).hexdigest()} of the book holds."
            self.described[english] = text
            return english
        formula = self.described[text]
        drawn_anew = chance("drawn anew", formula, RUN) < 0.05
        wrong = WRONG + (0.25 if f"{WORSE}_" in formula else 0.0)
        errs = chance("errs", formula, RUN if drawn_anew else "") < wrong
        return f"¬({formula})" if errs else formula


def pytest_autoeval_register(registry):
    registry.add_model("erring", Erring)
'''
SUITES = """
from pytest_autoeval import autoeval


def suite(number):
    names = [f"s{number}_{name}" for name in range(12)]

    @autoeval("propositional", operators=3 + number % 4, samples=40, vocabulary=names, trivial=True)
    def test(sample, round_trip, assert_equivalent):
        assert_equivalent(round_trip(sample), sample.formula)

    return test


for number in range(10, 50):
    globals()[f"test_{number}"] = suite(number)
"""
GATE = ("--autoeval-baseline=before.jsonl", "--autoeval-fail-on=drop:3%")
#: Exit code, the sentence about the run, and what fails.
UNCHANGED: Any = 0, "erring is not worse than in the baseline: ", []
FALLEN: Any = 1, "erring is worse than in the baseline: −4.2 points", [["whole", "run[erring]"]]
#: What one suite lost is also significant among all pairs, though less than 3 points of them.
ONE_SUITE = 1, "; fell by itself: test_it.py::test_17 (−30.0)"


def headline(text: str) -> str:
    """The sentence about the run. It stands first in the summary, and in the failure of the whole run."""
    [sentence] = {line.strip() for line in text.splitlines() if line.startswith("erring is ")}
    return sentence


def test_a_run_is_judged_as_a_whole(
    run: Run, report: Program, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_it=SUITES)
    monkeypatch.setenv("COLUMNS", "400")

    def asked(
        *arguments: str, wrong: float = 0.05, worse: str = "none", name: str = "after"
    ) -> pytest.RunResult:
        for variable, value in {"WRONG": wrong, "WORSE": worse, "RUN": name}.items():
            monkeypatch.setenv(variable, str(value))
        options = "-q", "--autoeval-model=erring", "--autoeval-shrink-budget=0", *arguments
        return run(*options, apart=True)

    def reported(*files: str, code: int) -> str:
        printed = report(*files, "--baseline=before.jsonl", "--fail-on=drop:3%", code=code)
        return headline(printed.out)

    assert asked("--autoeval-results=before.jsonl", name="before").ret == 0

    changes: Any = (
        ({}, "unchanged.jsonl", ("-n", "2"), UNCHANGED),
        ({"wrong": 0.08}, "fallen.jsonl", (), FALLEN),
    )
    sentences = []
    for changed, file, workers, (code, sentence, failures) in changes:
        result = asked(f"--autoeval-results={file}", *GATE, *workers, **changed)
        sentences.append(headline(said(result)))
        assert (result.ret, sentence in sentences[-1]) == (code, True), sentences[-1]
        assert reported(file, code=code) == sentences[-1]
        failed = [line.split()[1:3] for line in result.outlines if line.startswith("FAILED ")]
        assert failed == failures

    # Parts are not judged; the report of both is.
    for part in (1, 2):
        part_of = f"--autoeval-shard={part}/2", f"--autoeval-results=part{part}.jsonl"
        assert asked(*part_of, worse="s17").ret == 0
    code, sentence = ONE_SUITE
    assert sentence in reported("part1.jsonl", "part2.jsonl", code=code)
