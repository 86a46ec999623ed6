"""Reads the summary for programs in tests: sections, figures, tables, sentences and counterexamples by their names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from pytest_autoeval.record.figures import Figure, Value, filled
from pytest_autoeval.report.blocks import Document
from pytest_autoeval.report.renderers.summary import summary_schema, summary_text
from support.json_schema import problems

Plain = dict[str, Any]
#: The keys of the sentences of ours, by the kind of block.
SENTENCES = {"verdict": "text", "note": "text", "counterexample": "history"}
_PLACE = re.compile(r"\{\w+\}")


def read_summary(path: str | Path) -> Plain:
    """The summary in a file, which is checked."""
    return checked(json.loads(Path(path).read_text("utf-8")))


def data_of(document: Document) -> Plain:
    """A document as a program reads it, checked."""
    return checked(json.loads(summary_text(document)))


def checked(summary: Plain) -> Plain:
    """The summary. It is valid by the schema, and none of its sentences has a number."""
    assert not problems(summary, summary_schema())
    for section in summary["sections"]:
        for block in section.get("blocks", []):
            sentence = block.get(SENTENCES.get(block["block"], ""), "")
            assert not re.search(r"\d", _PLACE.sub("", sentence)), sentence
            missing = {place[1:-1] for place in _PLACE.findall(sentence)} - block.get(
                "values", {}
            ).keys()
            assert not missing, sentence
    return summary


def sections(summary: Plain, name: str) -> list[Plain]:
    """The sections of this name."""
    return [section for section in summary["sections"] if section["name"] == name]


def section(summary: Plain, name: str) -> Plain:
    """The only section of this name."""
    (found,) = sections(summary, name)
    return found


def suite(summary: Plain, name: str = "", model: str = "") -> Plain:
    """The only section of a suite whose id begins with this name, or that has this model."""
    named = [one for one in sections(summary, "suite") if one["suite"]["name"].startswith(name)]
    (found,) = [one for one in named if model in {"", one["suite"]["model"]}]
    return found


def states(summary: Plain) -> list[str]:
    """The states of the suites, in their order."""
    return [one["state"] for one in sections(summary, "suite")]


def blocks(section: Plain, kind: str) -> list[Plain]:
    """The blocks of a kind in a section."""
    return [block for block in section.get("blocks", []) if block["block"] == kind]


def figures(section: Plain) -> dict[str, Plain]:
    """The figures of a section by name; of several of one name the first."""
    found: dict[str, Plain] = {}
    for block in blocks(section, "figures"):
        for figure in block["figures"]:
            found.setdefault(figure["name"], figure)
    return found


def value(section: Plain, name: str) -> Any:
    """The value of a figure of a section."""
    return figures(section)[name]["value"]


def table(section: Plain, title: str | None = None) -> list[Plain]:
    """The rows of a table, by the names of the columns; the first table, or that of a title.

    A column in a group is called ``GROUP: NAME``. A cell is a text, a number, a figure or None.
    """
    found = [block for block in blocks(section, "table") if title in {None, block.get("title", "")}]
    columns = [
        ": ".join(filter(None, (one.get("group"), one["name"]))) for one in found[0]["columns"]
    ]
    return [dict(zip(columns, row["cells"], strict=True)) for row in found[0]["rows"]]


def sentences(section: Plain, kind: str = "note") -> list[str]:
    """The sentences of the notes of a section, or of its verdicts, with their values."""
    return [sentence(block) for block in blocks(section, kind)]


def sentence(block: Plain) -> str:
    """The sentence of a block with its values, as a screen writes it."""
    values = msgspec.convert(block.get("values", {}), dict[str, Value])
    return filled(block[SENTENCES[block["block"]]], values)


def counterexamples(summary: Plain) -> Iterator[tuple[Plain, Plain]]:
    """All counterexamples, with the section of each."""
    for one in sections(summary, "suite"):
        for example in blocks(one, "counterexample"):
            yield one, example


def fields(example: Plain) -> dict[str, str]:
    """The texts of a counterexample by name."""
    return {field["name"]: field["text"] for field in example["fields"]}


def figure(plain: Plain) -> Figure:
    """A figure as a program reads it, as a value of its type."""
    return msgspec.convert(plain, Figure)


#: The keys, and the figures, in which two equal runs may differ.
PASSING = frozenset({"created"})
PASSING_FIGURES = frozenset({"cost", "replayed", "repeated", "seconds"})


def lasting(value: Any) -> Any:
    """A summary, or a part of it, without what differs between equal runs."""
    if isinstance(value, list):
        return [
            lasting(one)
            for one in value
            if not (isinstance(one, dict) and one.get("name") in PASSING_FIGURES)
        ]
    if not isinstance(value, dict):
        return value
    if value.get("block") == "table":
        kept = [
            at
            for at, column in enumerate(value["columns"])
            if column["name"] not in PASSING_FIGURES
        ]
        rows = [{**row, "cells": [row["cells"][at] for at in kept]} for row in value["rows"]]
        value = {**value, "rows": rows}
    return {key: lasting(one) for key, one in value.items() if key not in PASSING}
