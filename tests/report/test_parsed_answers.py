"""The share of answers of round trips from which a formula was read, beside that of compliant answers."""

from __future__ import annotations

from typing import Any

from support.analyses import analyse
from support.result_rows import row
from support.screens import texts

from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.figures import Figure
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.report.blocks import Curve, Figures, Section, Table
from pytest_autoeval.report.document import document


def answers(**changes: Any) -> list[Sample]:
    """Of size 1: read and compliant, recovered, and with a foreign name; of size 2: no formula, cut off, an error."""
    no_formula = {"translation": None, "compliant": False}
    no_answer = {"translation": None, "compliant": None}
    ends: list[tuple[str, int, dict[str, Any]]] = [
        ("equivalent", 1, {}),
        ("different", 1, {"compliant": False, "recovered": True}),
        ("foreign symbol", 1, {}),
        ("equivalent", 2, {}),
        ("unparseable", 2, no_formula),
        ("truncated", 2, {**no_answer, "answer": "¬(p1 ∧"}),
        # The second half was not asked.
        ("copied", 2, {**no_answer, "answer": None}),
        ("error", 2, {**no_answer, "error": "timeout"}),
    ]
    return [
        row(outcome, index=index, formula=f"p{index}", operators=size, **{**about, **changes})
        for index, (outcome, size, about) in enumerate(ends)
    ]


def section(samples: list[Sample]) -> Section:
    (found,) = [
        section
        for section in document(analyse(samples, Rules())).sections
        if section.suite is not None
    ]
    return found


def figures(samples: list[Sample]) -> dict[str, Figure]:
    blocks = section(samples).blocks
    return {
        figure.name: figure
        for block in blocks
        if isinstance(block, Figures)
        for figure in block.figures
    }


def test_an_answer_is_parsed_if_a_formula_was_read_anywhere_in_it() -> None:
    found = figures(answers())
    assert (found["parsed"].value, found["parsed"].n) == (4 / 6, 6)
    # An answer that was cut off has no syntax to comply with.
    assert (found["compliant"].value, found["compliant"].n) == (3 / 5, 5)
    assert "parsed 66.7 % of 6" in " ".join(
        " ".join(texts(analyse(answers(), Rules()), verbosity=1)).split()
    )
    assert not any("parsed" in line for line in texts(analyse(answers(), Rules())))


def test_the_share_is_shown_for_every_size() -> None:
    blocks = section(answers()).blocks
    (table,) = [block for block in blocks if isinstance(block, Table) and block.title == "by size"]
    assert [column.name for column in table.columns][-2:] == ["compliant", "parsed"]
    shares = [
        (cell.value, cell.n)
        for cells in (one.cells for one in table.rows)
        if isinstance(cell := cells[-1], Figure)
    ]
    assert shares == [(1.0, 3), (1 / 3, 3)]
    (curve,) = [
        block for block in blocks if isinstance(block, Curve) and block.title == "parsed answers"
    ]
    assert [(point.x, point.value, point.n) for point in curve.series[0].points] == [
        (1, 1.0, 3),
        (2, 1 / 3, 3),
    ]


def test_tasks_have_no_such_share() -> None:
    samples = answers(task="translate")
    assert "parsed" not in figures(samples)
    (table,) = [
        block
        for block in section(samples).blocks
        if isinstance(block, Table) and block.title == "by size"
    ]
    assert [column.name for column in table.columns][-1] == "compliant"
