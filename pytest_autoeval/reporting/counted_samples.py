"""The samples of results files that count, for commands that compare them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import merge
from pytest_autoeval.text import one_line


def counted_samples(files: Sequence[Path]) -> list[Sample]:
    """The samples of the files that count in rates. What is left out is reported on standard error."""
    merged = merge(files)
    notes = (*merged.notes, *dict.fromkeys(merged.missing.values()))
    sys.stderr.writelines(f"note: {one_line(note)}\n" for note in notes)
    return [sample for suite in merged.results.suites for sample in suite.counted]
