"""A table whose rows are all about one suite: its name is said once, and not in each row."""

from __future__ import annotations

from msgspec.structs import replace

from pytest_autoeval.report.blocks import Table

#: The units of a column that names what a row is about.
_NAMING = ("name", "text", "formula")


def without_only_suite(table: Table) -> tuple[str, Table]:
    """The suite that all rows are about, and the table without its column.

    In each row, and in each part of a wide table, its name would take the room of what differs. Empty, and the whole
    table, if the rows are about several suites, or if nothing else names them.
    """
    if len(table.columns) < 2 or table.columns[0].name != "suite":
        return "", table
    # Only what names a row can stand in the place of the suite, and a sign stands before a suite.
    is_named = table.columns[1].unit in _NAMING
    if not is_named or any(row.state or row.total for row in table.rows):
        return "", table
    suites = {row.cells[0] for row in table.rows}
    suite = suites.pop() if len(suites) == 1 else None
    # A table of the user's may have no name there, or a figure.
    if not isinstance(suite, str):
        return "", table
    rows = [
        replace(
            row,
            cells=row.cells[1:],
            states=row.states[1:],
            marked=tuple(number - 1 for number in row.marked),
        )
        for row in table.rows
    ]
    return suite, replace(table, columns=table.columns[1:], rows=tuple(rows))
