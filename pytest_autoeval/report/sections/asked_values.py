"""What was asked of a model beside the prompts, so that a published figure can be traced."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pytest_autoeval.record.figure_sentences import number
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.asked import asked_data
from pytest_autoeval.report.blocks import AnyBlock, Cell, Column, Row, Table


def asked(suite: SuiteRecord) -> Iterator[AnyBlock]:
    """A table of what was asked of the model of a suite, and what answered."""
    rows = [Row(row) for row in _rows(suite)]
    if rows:
        columns = Column("asked", "text"), Column("value", "text")
        yield Table(
            title="what was asked",
            columns=columns,
            rows=tuple(rows),
            thing="setting",
            level="verbose",
        )


def _rows(suite: SuiteRecord) -> Iterator[tuple[Cell, ...]]:
    values = asked_data(suite)
    settings = suite.asked
    if settings.interface:
        yield "interface", settings.interface
    yield "prompting", settings.prompting
    if values["temperature"] is not None:
        yield "temperature", Figure("temperature", values["temperature"])
    limit = values["max_tokens"]
    if isinstance(limit, int):
        yield "limit of tokens", number(limit, name="limit of tokens")
    elif limit is not None:
        yield "limit of tokens", limit
    if values["parameters"]:
        yield "parameters", json.dumps(values["parameters"], ensure_ascii=False, sort_keys=True)
    for folder in values["prompts"]:
        yield "folder of prompts", folder
    for seed in values["seeds"]:
        yield "seed", Figure("seed", seed)
    for version in values["versions"]:
        yield "answered by", version
    for fingerprint in values["fingerprints"]:
        yield "fingerprint", fingerprint
