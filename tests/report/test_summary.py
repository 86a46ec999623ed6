"""The summary for programs: the document as JSON, by its schema, with all figures and nothing that does harm."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from support.documents import HOSTILE, documents
from support.documents_read import SENTENCES
from support.json_schema import problems
from support.program import Program
from support.written_documents import document_of, large_document, verdict_section

from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.schema import results_schema
from pytest_autoeval.report.blocks import Document, Field, Note, Section
from pytest_autoeval.report.renderers.summary import summary_data, summary_schema, summary_text

SCHEMA = summary_schema()


def whole(document: Document) -> Document:
    """The document as any program can read it: halves of pairs of surrogates are no text."""
    text = json.dumps(msgspec.to_builtins(document), ensure_ascii=False)
    return msgspec.json.decode(text.encode("utf-8", "replace"), type=Document)


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a value of JSON, outer ones first."""
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from objects(part)


def figures(value: Any) -> Iterator[Figure]:
    """The figures in a document or in a part of it."""
    if isinstance(value, Figure):
        yield value
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from figures(getattr(value, name))
    elif isinstance(value, tuple):
        for part in value:
            yield from figures(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from figures(part)


@given(documents())
def test_the_summary_of_a_document_is_valid(document: Document) -> None:
    assert not problems(json.loads(summary_text(document)), SCHEMA)


@given(documents())
def test_a_document_comes_back_from_its_summary(document: Document) -> None:
    assert msgspec.json.decode(summary_text(document), type=Document) == whole(document)


@given(documents())
def test_every_figure_of_a_document_is_in_its_summary(document: Document) -> None:
    written = Counter(
        (found["name"], found["value"], found.get("low"), found.get("high"), found.get("n"))
        for found in objects(summary_data(document))
        if "value" in found and "name" in found and "x" not in found
    )
    there = Counter(
        (one.name, one.value, one.low, one.high, one.n) for one in figures(whole(document))
    )
    assert not there - written


@given(documents())
def test_no_sentence_has_a_number(document: Document) -> None:
    for block in objects(summary_data(document)):
        sentence = block.get(SENTENCES.get(block.get("block", ""), ""), "")
        assert not re.search(r"\d", re.sub(r"\{\w+\}", "", sentence))


@given(documents())
def test_the_text_is_plain_lines_without_commands_for_a_runner(document: Document) -> None:
    text = summary_text(document)
    assert re.fullmatch(r"[\n -~]*\n", text)
    assert not re.search(r"^\s*::|(?<![\w!-~])::|##[a-zA-Z]*\[", text, re.MULTILINE)
    assert text.startswith('{\n  "schema_version": 2,')


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_foreign_text_is_the_same_text_for_a_program(hostile: str) -> None:
    note = Note(text="it ended: {message}", values={"message": hostile})
    summary = json.loads(
        summary_text(document_of(Section(name="notes", title=hostile, blocks=(note,))))
    )
    (section,) = summary["sections"]
    readable = hostile.encode("utf-8", "replace").decode()
    assert section.get("title", "") == section["blocks"][0]["values"]["message"] == readable


def test_the_summary_of_many_suites_is_valid() -> None:
    document = large_document(failing=3)
    summary = json.loads(summary_text(document))
    assert not problems(summary, SCHEMA)
    suites = [section for section in summary["sections"] if section["name"] == "suite"]
    assert len(suites) == 60
    assert sum(section["state"] == "failed" for section in suites) == 6


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The summary of a valid document after a change."""
    figure = Figure("pass rate", 0.5, "rate", n=10)
    summary: dict[str, Any] = json.loads(
        summary_text(document_of(verdict_section("{rate} passed", rate=figure)))
    )
    assert not problems(summary, SCHEMA)
    change(summary)
    return summary


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda summary: summary.pop("schema_version"), "schema_version is missing"),
        (lambda summary: summary.update(schema_version=3), "3 is none of [2]"),
        (lambda summary: summary.update(state="green"), "'green' is none of"),
        (lambda summary: summary.update(exit_code="1"), "'1' is not of type integer"),
        (lambda summary: summary["sections"][0].update(blocks={}), "is not of type array"),
        (
            lambda summary: summary["sections"][0]["blocks"][0].update(block="chart"),
            "'chart' is none of",
        ),
        (
            lambda summary: summary["sections"][0]["blocks"][0]["values"].update(rate=0.5),
            "0.5 is not of type",
        ),
        (
            lambda summary: summary["sections"][0]["blocks"][0]["values"]["rate"].pop("value"),
            "value is missing",
        ),
    ],
)
def test_the_schema_refuses_another_object(
    change: Callable[[dict[str, Any]], object], problem: str
) -> None:
    found = problems(changed(change), SCHEMA)
    assert [one for one in found if problem in one]


@pytest.mark.parametrize("made", [results_schema, summary_schema])
def test_a_schema_says_what_each_key_means(made: Callable[[], dict[str, Any]]) -> None:
    for definition in made()["$defs"].values():
        assert definition["description"]
        for name, key in definition["properties"].items():
            assert name in {"kind", "block"} or key["description"]


def test_a_key_that_a_base_declares_has_its_meaning() -> None:
    assert SCHEMA["$defs"]["Note"]["properties"]["level"]["description"].startswith(
        "from which level on"
    )
    assert "Attributes" not in SCHEMA["$defs"]["Field"]["description"]
    assert set(Field.__struct_fields__) == set(SCHEMA["$defs"]["Field"]["properties"])


@pytest.mark.parametrize(
    ("name", "made"), [("results", results_schema), ("summary", summary_schema)]
)
def test_the_command_prints_the_schema(
    name: str, made: Callable[[], dict[str, Any]], program: Program
) -> None:
    assert program("schema", name).data == json.loads(json.dumps(made()))


def test_the_command_names_the_schemas_that_there_are(program: Program) -> None:
    printed = program("schema", "sumary", code=2)
    assert printed.err == (
        "pytest_autoeval schema: there is no schema 'sumary'; known are: results, summary. Did you mean 'summary'?\n"
    )
