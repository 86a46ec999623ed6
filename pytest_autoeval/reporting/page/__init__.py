"""A self-contained page for a browser that shows an analysis: verdict, figures and every sample, without a network.

Its data are plain basic types, which its scripts draw. They are encoded in base64, which cannot contain HTML.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.gates import MEANINGS, STATES
from pytest_autoeval.judging.items import Comparable, by_size, by_suite, item_of
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.reporting.agreement_text import agreement_data
from pytest_autoeval.reporting.analysis import Analysis
from pytest_autoeval.reporting.benchmark import benchmark
from pytest_autoeval.reporting.counterexample import history
from pytest_autoeval.reporting.row import Row
from pytest_autoeval.reporting.sent_texts import shared_texts, shortened
from pytest_autoeval.reporting.suite_summary import spread_lines
from pytest_autoeval.reporting.summary_json import (
    matrix_data,
    model_comparison_data,
    outcomes_by_code,
    readers_data,
    slice_data,
    some_of,
    suites_data,
)
from pytest_autoeval.reporting.task_figures.questions import confusion
from pytest_autoeval.reporting.whole_set import WORDS
from pytest_autoeval.text import one_line
from pytest_autoeval.written_file import PAGE, write_file

CommandOf = Callable[[Row], str]
Plain = dict[str, Any]

#: The prose of a counterexample, and how many characters of it the overview shows.
_PROSE = ("description", "answer", "error", "first_description", "first_answer")
_LONGEST = 2_000
#: Keys that only the view of a sample shows.
_IN_SAMPLE = frozenset({"blame", "calls", "measures"})
#: Keys of a suite that the overview shows elsewhere, or the samples show.
_ELSEWHERE = frozenset({"comparison"})
#: Rows in a piece: small enough to unpack without a delay, large enough to compress well.
PIECE = 250
#: Characters of a sample that a list shows, and the keys that identify it, in order of preference.
_SHORT = 140
_TITLES = ("formula", "sentence", "text", "trace", "description", "answer")
#: The largest integer that JavaScript represents exactly.
_EXACT = 2**53 - 1
#: The files of the page; libraries by their licence.
_PARTS = tomllib.loads(Path(__file__).with_name("parts.toml").read_text(encoding="utf-8"))
LIBRARIES: dict[str, list[str]] = _PARTS["libraries"]
#: The beginning of the browser tab's title.
_MARKS = {"passed": "✓", "failed": "✗"}
#: The policy allows only the page's own two blocks: nothing else is loaded, sent or run.
_POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)


class PageError(AutoevalError):
    """A page cannot be made or written. The message gives the reason and, if there is one, the file."""


def render_page(
    analysis: Analysis,
    *,
    title: str = "pytest-autoeval",
    command_of: CommandOf | None = None,
    trends: Plain | None = None,
    whole_set: Mapping[str, Any] | None = None,
) -> str:
    """The page as HTML, equal for equal analyses. ``command_of`` gives the command that reproduces a row.

    ``trends`` are those of a history, from :mod:`pytest_autoeval.reporting.trends`. ``whole_set`` is what
    `check --formulas` found out about the sentences.
    """
    style, script = "\n".join(map(_text, _PARTS["styles"])), _script()
    texts = shared_texts(analysis.rows)
    pieces = _pieces(analysis.rows, texts, command_of)
    blocks = [_block("texts", _packed({digest: text for text, digest in texts.items()}))]
    blocks += [_block(f"piece-{number}", piece) for number, piece in enumerate(pieces)]
    return Template(_text("shell.html")).substitute(
        policy=_POLICY.format(script=_digest(script), style=_digest(style)),
        title=_safe(title),
        mark=_MARKS.get(STATES[analysis.verdict], "·"),
        headline=_safe(analysis.headline[:1].upper() + analysis.headline[1:]),
        style=style,
        overview=_block("overview", _overview(analysis, title, trends, whole_set)),
        index=_block("index", _index(analysis.rows)),
        script=script,
        pieces="\n".join(blocks),
    )


def write_page(path: Path | str, analysis: Analysis, **options: Any) -> None:
    """Writes the page and the folders above it, and replaces an old page as a whole. Raises :class:`PageError`.

    ``options`` are those of :func:`render_page`.
    """
    path = Path(path)
    text = render_page(analysis, **options)
    try:
        write_file(path, [text], PAGE)
    except OSError as error:
        raise PageError(f"{path}: the page cannot be written: {error.strerror}") from None


def _script() -> str:
    """The libraries, each licence as a comment before its files, and then the scripts of the page."""
    texts = []
    for licence, libraries in LIBRARIES.items():
        texts += [f"/*\n{_text(licence)}*/\n", *map(_text, libraries)]
    # A function declared twice in one block is an error.
    return "\n".join([*texts, '(() => {\n"use strict";\n{', *map(_text, _PARTS["scripts"]), "}\n})();\n"])


def _text(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


def _digest(text: str) -> str:
    return f"'sha256-{_base64(hashlib.sha256(text.encode()).digest())}'"


def _block(name: str, data: str) -> str:
    return f'<script type="text/plain" id="{name}">{data}</script>'


def _safe(text: str) -> str:
    return html.escape(one_line(text))


def _encoded(data: Any) -> bytes:
    try:
        return json.dumps(data, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise PageError(f"the page cannot contain a value that is not JSON: {error}") from None


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _packed(data: Any) -> str:
    """The data as compressed JSON; equal data give equal text."""
    return _base64(gzip.compress(_encoded(data), compresslevel=6, mtime=0))


def _overview(analysis: Analysis, title: str, trends: Plain | None, whole_set: Mapping[str, Any] | None) -> str:
    """The data above the samples: verdict, matrix, gates, figures. Rates are fractions, None is unknown."""
    table = benchmark(analysis.rows)
    matrices = _confusions(analysis.rows)
    suites = suites_data(analysis)
    shown = {
        "title": title,
        "version": version("pytest-autoeval"),
        "seeds": sorted({row.seed for row in analysis.rows}),
        "verdict": {"outcome": STATES[analysis.verdict], "headline": analysis.headline},
        "matrix": _camel(matrix_data(analysis.matrix)),
        "meanings": MEANINGS,
        "gates": [
            some_of(gate, "suite", "model", "kind", "reason") | {"state": STATES[gate.verdict]}
            for gate in analysis.every_gate
        ],
        "suites": [
            _camel({key: value for key, value in suite.items() if key not in _ELSEWHERE})
            | {
                "luck": summary.shown_chance_level,
                "spreads": list(spread_lines(summary.repeats, summary.batches)),
                "confusion": matrices.get(summary.judgement.key),
            }
            for suite, summary in zip(suites, analysis.summaries, strict=True)
        ],
        "standing": _camel(model_comparison_data(analysis)),
        "readers": _camel(readers_data(analysis.rows)),
        "benchmark": None if table is None else _camel(asdict(table)),
        "agreement": _camel(agreement_data(analysis.sentences)),
        "comparisons": [_camel(suite["comparison"]) for suite in suites if suite["comparison"]],
        "slices": [slice_data(worse) for worse in analysis.slices],
        "counterexamples": [
            {
                "kind": example.row.kind,
                "samples": samples,
                "row": _brief(_exact(example.shown)),
                "command": example.command,
                "history": history(example),
            }
            for _, examples in analysis.smallest()
            for example, samples in examples
        ],
        "notes": list(analysis.notes),
        "trends": None if trends is None else _camel(trends),
        "wholeSet": whole_set and {**whole_set, "words": WORDS},
    }
    return _base64(_encoded(shown))


def _camel(value: Any) -> Any:
    """Plain basic types with JavaScript's names, and numbers rounded to the digits that a chart can show."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, Mapping):
        return {re.sub("_(.)", lambda found: found[1].upper(), name): _camel(part) for name, part in value.items()}
    return [_camel(part) for part in value] if isinstance(value, list | tuple) else value


def _confusions(rows: Sequence[Row]) -> dict[tuple[str, str], Plain]:
    """The matrix of each suite and model with yes-or-no questions, whole and by size, without errors."""
    asked = by_suite(row for row in rows if isinstance(row.expected, bool) and row.kind != OutcomeKind.ERROR)
    matrices = {}
    for key, some in asked.items():
        sizes = [{"size": size, **asdict(confusion(rows))} for size, rows in by_size(some).items()]
        matrices[key] = _camel({**asdict(confusion(some)), "by_size": sizes})
    return matrices


def _brief(row: Plain) -> Plain:
    """The shown part of the row, with the start of long prose: the overview is loaded before anything is shown."""
    shown = {key: value for key, value in row.items() if key not in _IN_SAMPLE}
    long = {key: text for key in _PROSE if isinstance(text := shown.get(key), str) and len(text) > _LONGEST}
    return shown | {key: f"{text[:_LONGEST]} … (the sample below has more)" for key, text in long.items()}


def _index(rows: Sequence[Row]) -> str:
    """The columns of the list of samples. Names are stored once, and samples refer to them."""
    suites, models = sorted({row.suite for row in rows}), sorted({row.model for row in rows})
    outcomes = outcomes_by_code(row.outcome for row in rows)
    places = [
        {name: number for number, name in enumerate(names)}
        for names in (suites, models, [outcome.name for outcome in outcomes])
    ]
    items = [(Comparable.of(row).suite, row.repeat, item_of(row)) for row in rows]
    numbers = {item: number for number, item in enumerate(dict.fromkeys(items))}
    asked = {(item, row.model) for item, row in zip(items, rows, strict=True)}
    return _packed(
        {
            "count": len(rows),
            "piece": PIECE,
            "suites": suites,
            "models": models,
            "outcomes": [some_of(outcome, "name", "code", "kind", "title") for outcome in outcomes],
            "suite": [places[0][row.suite] for row in rows],
            "model": [places[1][row.model] for row in rows],
            "outcome": [places[2][row.outcome] for row in rows],
            "size": [row.operators for row in rows],
            # Samples with one number asked the same question; None if no two models were asked the same.
            "item": [numbers[item] for item in items] if len(asked) > len(numbers) else None,
            "repeat": [row.repeat for row in rows],
            "text": [_title(row) for row in rows],
        }
    )


def _title(row: Row) -> str:
    text = next((str(value) for value in map(row.value, _TITLES) if value), "")
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"


def _pieces(rows: Sequence[Row], texts: Mapping[str, str], command_of: CommandOf | None = None) -> Iterator[str]:
    """The whole rows, :data:`PIECE` in each, with their commands, and digests in place of ``texts``."""
    for start in range(0, len(rows), PIECE):
        piece = rows[start : start + PIECE]
        commands = [] if command_of is None else [command_of(row) for row in piece]
        yield _packed({"rows": [_exact(shortened(row, texts, texts)) for row in piece], "commands": commands})


def _exact(row: Row) -> Plain:
    """The row as in the results file; numbers that JavaScript would round become texts."""
    data = row.to_json()
    return data | {key: str(value) for key, value in data.items() if isinstance(value, int) and abs(value) > _EXACT}
