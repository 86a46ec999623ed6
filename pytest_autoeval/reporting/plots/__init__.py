"""Figures for papers: accuracy and syntactic compliance over each measure of complexity, and their tables as CSV.

Drawn with matplotlib, the optional extra `plots`, which is imported when a figure is drawn and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.reporting.plots.tables import csv_text, file_names, tables
from pytest_autoeval.reporting.row import Row, counted

__all__ = ["PlotsError", "write_plots"]

_TABLE = "accuracy.csv"


class PlotsError(AutoevalError):
    """No figure can be drawn, or none written: the message says what to do."""


def write_plots(rows: Iterable[Row], folder: Path, progress: Callable[[str], None] = lambda _: None) -> list[Path]:
    """Writes the figures of some rows into a folder, which is made; returns the files, `accuracy.csv` first.

    For each suite and each numeric measure of its formulas that varies: `SUITE.MEASURE.svg` and `.png` (accuracy, and
    beside it syntactic compliance, where formulas were asked for), `SUITE.MEASURE.samples.svg` and `.png` (how many
    samples each point rests on). Equal rows give equal bytes, for one release of matplotlib. ``progress`` is given a
    line before each figure. Raises :class:`PlotsError` where matplotlib is missing, nothing varies, or a file
    cannot be written.
    """
    try:
        from pytest_autoeval.reporting.plots.figures import accuracy_figure, samples_figure, save
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] != "matplotlib":
            raise
        raise PlotsError("plots are drawn with matplotlib: pip install 'pytest-autoeval[plots]'") from None
    drawn = tables(counted(rows))
    if not drawn:
        raise PlotsError(f"nothing to draw in {folder}: no suite has a measure that varies among its samples")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / _TABLE]
        written[0].write_text(csv_text(drawn), encoding="utf-8", newline="")
        for number, (table, name) in enumerate(zip(drawn, file_names(drawn), strict=True), 1):
            progress(f"figure {number} of {len(drawn)}: {name}")
            written += save(accuracy_figure(table), folder / name)
            written += save(samples_figure(table), folder / f"{name}.samples")
    except OSError as error:
        raise PlotsError(f"{error.filename or folder}: figures cannot be written: {error.strerror}") from None
    return written
