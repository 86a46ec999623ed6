"""All that a run asked for is shown in every output, by what it was for."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from support.documents_read import blocks, figures, read_summary, section, table, value
from support.page_blocks import PageBlocks
from support.program import Program

from .conftest import Run, Suite, said

#: Fails on each formula with a negation, and counts what it is asked; each call costs 0.11 USD.
PRICED = """
from pathlib import Path
from pytest_autoeval import Reply

class Priced:
    def complete(self, messages, *, repeat=0):
        verb, _, text = messages[-1].content.partition(" ")
        with Path("asked.txt").open("a") as file:
            print("call", file=file)
        return Reply("p1" if verb == "Read" and "\\u00ac" in text else text, cost=0.11)

def pytest_autoeval_register(registry):
    registry.add_model("priced", Priced)
    registry.add_prompts(Path(__file__).parent / "prompts")
"""


@pytest.fixture
def priced(pytester: pytest.Pytester, bare_prompts: None) -> None:
    pytester.makeconftest(PRICED)


def asked(folder: Path) -> int:
    return len((folder / "asked.txt").read_text("utf-8").splitlines())


def calls_by_purpose(summary: str) -> dict[str, int]:
    """The calls by what they were for, if they were not all for samples."""
    calls = section(read_summary(summary), "calls")
    if not blocks(calls, "table"):
        return {}
    return {row["purpose"]: row["calls"]["value"] for row in table(calls, "calls by purpose")}


OUTPUTS = (
    "--autoeval-summary=run.json",
    "--autoeval-html=page.html",
    "--autoeval-github-summary=run.md",
)


@pytest.mark.usefixtures("priced")
@pytest.mark.parametrize("workers", ["0", "2"])
def test_every_output_shows_all_calls_by_what_they_were_for(
    pytester: pytest.Pytester, suite: Suite, run: Run, report: Program, workers: str
) -> None:
    suite(more=", threshold=0.99")
    files = (*OUTPUTS, "--autoeval-results=out.jsonl", "--junitxml=junit.xml")
    result = run(
        "--autoeval-model=priced",
        "--autoeval-copies=count",
        "--autoeval-blame",
        "-n",
        workers,
        *files,
    )
    folder = pytester.path
    shown = section(read_summary(folder / "run.json"), "calls")
    whole = {name: figure["value"] for name, figure in figures(shown).items()}
    spent = calls_by_purpose("run.json")
    assert spent["samples"] == 32
    assert min(spent["blame"], spent["shrinking"]) > 0
    answered = round(whole["calls"] * (whole.get("replayed", 0) + whole.get("repeated", 0)))
    assert sum(spent.values()) == whole["calls"] == asked(folder) + answered
    assert whole["cost"] == pytest.approx(0.11 * asked(folder))
    cost = f"${whole['cost']:.2f}"
    (line,) = [
        line for line in result.outlines if line.startswith(f"  calls {whole['calls']:.0f}; ")
    ]
    assert line.endswith(f"cost {cost}")
    assert cost in (folder / "run.md").read_text("utf-8")
    assert re.search(
        rf"\| shrinking \| {spent['shrinking']} \|", (folder / "run.md").read_text("utf-8")
    )
    page = PageBlocks((folder / "page.html").read_text("utf-8"))
    assert section(page.data("overview")["document"], "calls") == shown
    found = {
        one.get("name"): one.get("value") for one in ET.parse(folder / "junit.xml").iter("property")
    }
    assert found["autoeval.calls"] == f"{whole['calls']:.0f}"
    assert float(found["autoeval.cost"] or 0) == pytest.approx(whole["cost"])
    # A report of the file has them too.
    report("out.jsonl", "--summary=later.json", code=pytest.ExitCode.TESTS_FAILED)
    printed = report("out.jsonl", "-v", code=pytest.ExitCode.TESTS_FAILED).out
    for purpose, number in spent.items():
        assert re.search(rf"^ +{purpose} +{number} ", printed, re.MULTILINE)
    later = section(read_summary(folder / "later.json"), "calls")
    assert {name: figure["value"] for name, figure in figures(later).items()} == whole
    assert table(later, "calls by purpose") == table(shown, "calls by purpose")


@pytest.mark.usefixtures("priced")
def test_a_gate_that_passes_is_not_shrunk_unless_asked_for(suite: Suite, run: Run) -> None:
    source = suite(more=", threshold=0.1")
    asked = ("--autoeval-model=priced", "--autoeval-copies=count", "--autoeval-summary=run.json")
    run(*asked)
    assert value(section(read_summary("run.json"), "calls"), "calls") == 32
    assert calls_by_purpose("run.json") == {}
    run(*asked, "--autoeval-shrink=always")
    assert calls_by_purpose("run.json")["shrinking"] > 0
    source.write_text(source.read_text("utf-8").replace(", threshold=0.1", ""), "utf-8")
    run(*asked)
    assert calls_by_purpose("run.json")["shrinking"] > 0, "a suite without a gate is shrunk"


@pytest.mark.usefixtures("priced")
def test_what_shrinking_spent_before_a_limit_is_shown(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    suite(more=", threshold=0.99")
    few = (
        "--autoeval-operators=6",
        "--autoeval-max-calls=11",
        "--autoeval-concurrency=1",
        *OUTPUTS[:1],
    )
    result = run("--autoeval-model=priced", "--autoeval-copies=count", *few)
    assert "  calls 11; " in said(result)
    assert calls_by_purpose("run.json") == {"samples": 8, "shrinking": 3}
    assert asked(pytester.path) == 11
