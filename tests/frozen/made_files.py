"""Results files of release 0.1.0 for the frozen judgements: 200 files that are made from seven real runs.

Each file takes rows of one run or two and changes them by a seed: outcomes, thresholds, missing and repeated rows.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RUNS = Path(__file__).with_name("runs")
NUMBER = 200
#: How each file is judged, in turn.
JUDGED_BY = (
    (),
    ("--threshold=70%",),
    ("--threshold=70%", "--gate=interval"),
    ("--baseline=before.jsonl",),
    ("--baseline=before.jsonl", "--fail-on=drop:5%"),
    ("--baseline=before.jsonl", "--fail-on=drop:20%", "--gate=interval", "--alpha=0.1"),
)
#: The outcomes that rows change to, each with its code.
_OUTCOMES = (
    ("equivalent", "AE001"),
    ("different", "AE101"),
    ("undecided", "AE106"),
    ("error", "AE201"),
)

Row = dict[str, Any]


def real_runs() -> dict[str, list[Row]]:
    """The rows of the real runs, by name."""
    return {
        path.name.partition(".")[0]: [
            json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()
        ]
        for path in sorted(RUNS.glob("*.jsonl.gz"))
    }


def kept_files() -> Iterator[tuple[str, list[str], list[Row], list[Row]]]:
    """The results files of older releases that stand in the tests, each beside itself; as :func:`made_files`."""
    for path in sorted(RUNS.parents[1].glob("*/old_results/*.jsonl")):
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        for options in ([], ["--baseline=before.jsonl", "--fail-on=drop:5%"]):
            yield " ".join([path.stem, *options]), options, rows, rows


def made_files() -> Iterator[tuple[str, list[str], list[Row], list[Row]]]:
    """The name of each file, the options of its report, its rows, and the rows of its baseline."""
    runs = real_runs()
    shards = [name for name in runs if name.startswith("shard")]
    whole = [name for name in runs if name not in shards]
    for number in range(NUMBER):
        draw = random.Random(number)
        parts = shards if number % 10 == 9 else [draw.choice(whole)]
        before = [row for name in parts for row in runs[name]]
        rows = [
            _changed(row, draw)
            for row in before
            if draw.random() > (0.02 if number % 4 == 3 else 0)
        ]
        if number % 5 == 4:
            rows += draw.sample(rows, min(3, len(rows)))
        if number % 6 == 5:
            rows = [{**row, "threshold": draw.choice([None, 0.5, 0.8, 1.0])} for row in rows]
        yield f"{number:03}", list(JUDGED_BY[number % len(JUDGED_BY)]), rows, before


def _changed(row: Row, draw: random.Random) -> Row:
    """The row with another outcome, sometimes."""
    if draw.random() > 0.15:
        return row
    outcome, code = draw.choice(_OUTCOMES)
    error = "the server gave no answer" if outcome == "error" else None
    return {**row, "outcome": outcome, "code": code, "error": error}
