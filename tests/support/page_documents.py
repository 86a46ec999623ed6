"""Documents for pages, written by hand, and the pages of some samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pytest_autoeval.judging.gate_verdicts import State
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.suite_names import named
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Counterexample,
    Document,
    Field,
    SampleKey,
    Section,
    SuiteName,
    Verdict,
)
from pytest_autoeval.report.renderers.page import render_page
from support.result_rows import suites_of

#: Ends a script, opens another, orders a terminal about, reverses the reading direction, has signs that are no text.
HOSTILE = (
    "</bdi></script><script>alert(1)</script><img src=x "
    "onerror=alert(2)><b>**bold**</b>\x1b[31m\u202egnp.exe\x00\ud800"
)
#: How a page shows what of it cannot be seen.
VISIBLE = r"\x1b[31m\u202egnp.exe\x00\ud800"


def document(
    *sections: Section, state: State = "failed", headline: str = "1 of 2 failed"
) -> Document:
    """A document with a verdict and these sections."""
    verdict = Section(name="verdict", level="quiet", blocks=(Verdict(state=state, text=headline),))
    return Document(
        state=state,
        exit_code=int(state == "failed"),
        sections=(verdict, *sections),
        release="0.1.0",
    )


def section(*blocks: AnyBlock, title: str = "Pass rates", **more: Any) -> Section:
    """A section with these blocks."""
    return Section(name="suites", title=title, blocks=blocks, **more)


def suite_section(
    suite: SuiteRecord, *blocks: AnyBlock, state: State = "failed", **more: Any
) -> Section:
    """The section on a suite."""
    name = named(suite.name, suite.model)
    about = SuiteName(number=suite.number, name=name, model=suite.model)
    return Section(
        name="suite",
        title=name,
        suite=about,
        state=state,
        blocks=blocks,
        **{"level": "quiet", **more},
    )


def counterexample(sample: Sample, **more: Any) -> Counterexample:
    """The counterexample of a sample, as the document has it."""
    texts = {
        "formula": sample.formula,
        "description": sample.description,
        "translation": sample.translation,
    }
    fields = tuple(Field(name=name, text=text) for name, text in texts.items() if text is not None)
    suite = sample.suite.number
    whole = {
        "outcome": sample.outcome,
        "code": sample.code,
        "loses_meaning": True,
        "samples": 1,
        "fields": fields,
    }
    key = SampleKey(suite, sample.size, sample.index, sample.repeat, sample.paraphrase)
    return Counterexample(**{**whole, "witness": sample.witness, "sample": key, **more})


def page_html(samples: Iterable[Sample], shown: Document | None = None, **options: Any) -> str:
    """The page of some samples below a document."""
    return render_page(shown or document(), suites_of(samples), **options)
