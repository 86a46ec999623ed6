"""Suites that were asked with folders of prompts, for tests."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from pytest_autoeval.record.lines import Sample, SuiteRecord
from support.result_rows import suites_of


def worded(samples: Iterable[Sample], *folders: str, number: int = 1) -> SuiteRecord:
    """The one suite of these samples, asked with prompts of these folders."""
    [suite] = suites_of(samples)
    variant = folders[0].rpartition("/")[2] if folders else ""
    asked = replace(suite.asked, prompts=folders, variant=variant, number=number)
    record = SuiteRecord(asked, suite.run, (), suite.end)
    record.samples = [replace(sample, suite=record) for sample in suite.samples]
    return record
