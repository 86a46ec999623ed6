"""Plots (`report FILE --plots=FOLDER`), drawn with matplotlib, which is imported to draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.report.blocks import Document
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    registry.add_command_option("report --plots", plots)


def plots(document: Document, folder: Path, progress: Callable[[str], None]) -> list[Path]:
    """Draws the curves and figures of a document as files in a folder; see `drawing.write_plots`."""
    from pytest_autoeval.features.plots.figure_files import write_plots

    return write_plots(document, folder, progress)
