"""A suite that fails in several ways: which failure is shown, where the others are, and what its figures are of."""

from __future__ import annotations

import pytest

from .conftest import Run, Suite, said

#: By the first name in it, a formula is copied (mostly), gets an empty description, or loses its meaning.
CONFTEST = """
from pytest_autoeval import language

LOGIC = language("propositional")


class Mixed:
    def complete(self, messages, *, repeat=0):
        *_, label, text = messages[-1].content.splitlines()
        kind = sum(map(ord, text)) % 5
        if label != "Formula:":
            return f"¬({LOGIC.read_description(text)})"
        if kind < 3 and len(text) > 3:
            return text
        return "" if kind == 3 else LOGIC.describe(LOGIC.parse(text))


class Moody:
    def complete(self, messages, *, repeat=0):
        *_, label, text = messages[-1].content.splitlines()
        if label == "Formula:":
            return LOGIC.describe(LOGIC.parse(text))
        if sum(map(ord, text)) % 4:
            raise ValueError("out of order")
        return str(LOGIC.read_description(text))


def pytest_autoeval_register(registry):
    registry.add_model("mixed", Mixed)
    registry.add_model("moody", Moody)
"""
MIXED = ("--autoeval-model=mixed", "--autoeval-shrink-budget=0", "--autoeval-threshold=90%")
KINDS = ("copied (AE115)", "refused or empty (AE104)", "different (AE101)")


@pytest.fixture(autouse=True)
def mixed(pytester: pytest.Pytester, suite: Suite) -> None:
    suite()
    pytester.makeconftest(CONFTEST)


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_the_most_frequent_failure_is_shown_and_the_others_are_counted(
    run: Run, workers: tuple[str, ...]
) -> None:
    shown = str(run(*MIXED, *workers).stdout)
    assert shown.count("copied (AE115)") == 1
    [heading] = [line for line in shown.splitlines() if "copied (AE115)" in line]
    assert "; other failures, which -v shows: " in heading
    assert "different" in heading
    assert "refused or empty" in heading
    assert "different (AE101)" not in shown


def test_a_verbose_screen_lists_all_kinds_the_most_frequent_first(run: Run) -> None:
    shown = str(run(*MIXED, "-v").stdout)
    headings = [line.strip() for line in shown.splitlines() if line.strip().startswith(KINDS)]
    assert {kind for kind in KINDS for heading in headings if heading.startswith(kind)} == set(
        KINDS
    )
    assert "; other failures, below: " in headings[0]
    numbers = [int(heading.partition("), ")[2].split()[0]) for heading in headings]
    assert numbers == sorted(numbers, reverse=True)
    table = shown[shown.index("\n    outcomes\n") :].splitlines()[3:6]
    counts = [int(line.split()[-1]) for line in table]
    assert counts == sorted(counts, reverse=True)


def test_without_tracebacks_the_summary_counts_the_others(run: Run) -> None:
    assert "other failures, which -v shows: " in said(run(*MIXED, "--tb=no"))


def test_the_number_beside_a_rate_is_that_of_the_answered_samples(run: Run) -> None:
    shown = said(run("--autoeval-model=moody", "--autoeval-shrink-budget=0"))
    ended = next(line for line in shown.splitlines() if "samples ended in an error" in line)
    errors, _, samples = ended.split()[:3]
    answered = int(samples) - int(errors)
    assert 0 < answered < int(samples)
    [row] = [
        line for line in shown.splitlines() if line.startswith("✗ test_suite.py") and "%" in line
    ]
    assert str(answered) in row.split()
    assert samples not in row.split()
    both = " ".join(said(run("--autoeval-model=moody", *MIXED)).split())
    assert (
        "rates without the samples that ended in errors: "
        f"test_suite.py::test_round_trip[moody] ({answered} of {samples})" in both
    )
