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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import Any

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.judging.gates import MEANINGS, STATES
from pytest_autoeval.judging.items import Comparable, SuiteKey, by_size, item_of
from pytest_autoeval.outcomes import OutcomeKind
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.task_parts import Given
from pytest_autoeval.report.agreement_text import agreement_data
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.asked import asked_lines
from pytest_autoeval.report.benchmark import benchmark, benchmark_data
from pytest_autoeval.report.counterexample import history, trace_of
from pytest_autoeval.report.flat_sample import flat_sample
from pytest_autoeval.report.matrix import Matrix
from pytest_autoeval.report.page.shared_texts import shared_texts, with_digests
from pytest_autoeval.report.suite_summary import spread_lines
from pytest_autoeval.report.summary_json import (
    matrix_data,
    model_comparison_data,
    outcomes_by_code,
    readers_data,
    slice_data,
    some_of,
    suites_data,
)
from pytest_autoeval.report.task_figures.questions import confusion, expected_of
from pytest_autoeval.report.whole_set import WORDS
from pytest_autoeval.text import one_line
from pytest_autoeval.written_file import PAGE, write_file

CommandOf = Callable[[Sample], str]
Plain = dict[str, Any]

#: The prose of a counterexample, and how many characters of it the overview shows.
_PROSE = ("description", "answer", "error", "first_description", "first_answer")
_LONGEST = 2_000
#: Keys that only the view of a sample shows.
_IN_SAMPLE = frozenset({"blame", "calls", "measures"})
#: Keys of a suite that the overview shows elsewhere, or the samples show.
_ELSEWHERE = frozenset({"comparison", "asked"})
#: Samples in a piece: small enough to unpack without a delay, large enough to compress well.
PIECE = 250
#: Characters of a sample that a list shows.
_SHORT = 140
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
    """The page as HTML, equal for equal analyses. ``command_of`` gives the command that reproduces a sample.

    ``trends`` are those of a history, from :mod:`pytest_autoeval.report.trends`. ``whole_set`` is what
    `check --formulas` found out about the sentences.
    """
    style, script = "\n".join(map(_text, _PARTS["styles"])), _script()
    names = _names(analysis)
    texts = shared_texts(analysis.samples)
    pieces = _pieces(analysis.samples, names, texts, command_of)
    blocks = [_block("texts", _packed({digest: text for text, digest in texts.items()}))]
    blocks += [_block(f"piece-{number}", piece) for number, piece in enumerate(pieces)]
    return Template(_text("shell.html")).substitute(
        policy=_POLICY.format(script=_digest(script), style=_digest(style)),
        title=_safe(title),
        mark=_MARKS.get(STATES[analysis.verdict], "·"),
        headline=_safe(analysis.headline[:1].upper() + analysis.headline[1:]),
        style=style,
        overview=_block("overview", _overview(analysis, names, title, trends, whole_set)),
        index=_block("index", _index(analysis.samples, names)),
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


def _names(analysis: Analysis) -> dict[SuiteKey, str]:
    """The name of each suite on the page, where it stands for the row of the matrix: a number tells names that occur
    twice apart.
    """
    rows = [[cell.number for cell in row.cells if cell is not None] for row in analysis.matrix.rows]
    listed = sorted(zip(rows, analysis.matrix.rows, strict=True), key=lambda entry: min(entry[0]))
    times: Counter[str] = Counter()
    names: dict[SuiteKey, str] = {}
    for numbers, row in listed:
        times[row.suite] += 1
        name = row.suite if times[row.suite] == 1 else f"{row.suite} ({times[row.suite]})"
        names |= dict.fromkeys(numbers, name)
    return names


def _overview(
    analysis: Analysis,
    names: Mapping[SuiteKey, str],
    title: str,
    trends: Plain | None,
    whole_set: Mapping[str, Any] | None,
) -> str:
    """The data above the samples: verdict, matrix, gates, figures. Rates are fractions, None is unknown."""
    table = benchmark(analysis.samples)
    matrices = _confusions(analysis)
    suites = suites_data(analysis)
    for suite, summary in zip(suites, analysis.summaries, strict=True):
        suite["suite"] = names[summary.gate.number]
        if suite["comparison"]:
            suite["comparison"]["suite"] = suite["suite"]
    shown = {
        "title": title,
        "version": version("pytest-autoeval"),
        "seeds": sorted({sample.seed for sample in analysis.samples}),
        "asked": asked_lines(analysis.suites),
        "verdict": {"outcome": STATES[analysis.verdict], "headline": analysis.headline},
        "matrix": _camel(_matrix(analysis.matrix, names)),
        "meanings": MEANINGS,
        "gates": [
            some_of(gate, "model", "kind", "reason") | {"suite": names[judgement.key], "state": STATES[gate.verdict]}
            for judgement in analysis.judgements
            for gate in judgement.gates
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
        "standing": _camel(_standing(analysis, names)),
        "readers": _camel(readers_data(analysis.suites)),
        "benchmark": None if table is None else _camel(benchmark_data(table)),
        "agreement": _camel(agreement_data(analysis.sentences)),
        "comparisons": [_camel(suite["comparison"]) for suite in suites if suite["comparison"]],
        "slices": [slice_data(worse) | {"suite": names[worse.number]} for worse in analysis.slices],
        "counterexamples": [
            {
                "kind": example.sample.kind,
                "samples": samples,
                "row": _brief(_row(example.shown, names[example.sample.suite.number])),
                "command": example.command,
                "history": history(example),
            }
            for _, examples in analysis.smallest()
            for example, samples in examples
        ],
        "notes": [*map(str, analysis.notes)],
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


def _matrix(matrix: Matrix, names: Mapping[SuiteKey, str]) -> Plain:
    data = matrix_data(matrix)
    for row, shown in zip(matrix.rows, data["rows"], strict=True):
        shown["suite"] = next(names[cell.number] for cell in row.cells if cell is not None)
    return data


def _standing(analysis: Analysis, names: Mapping[SuiteKey, str]) -> Plain | None:
    data = model_comparison_data(analysis)
    if data is not None and analysis.model_comparison is not None:
        for suite, shown in zip(analysis.model_comparison.suites, data["suites"], strict=True):
            shown["suite"] = names[suite.models[0].number]
    return data


def _confusions(analysis: Analysis) -> dict[SuiteKey, Plain]:
    """The matrix of each suite with yes-or-no questions, whole and by size, without errors."""
    matrices = {}
    for suite in analysis.suites:
        asked = [
            sample
            for sample in suite.counted
            if isinstance(expected_of(sample), bool) and sample.kind != OutcomeKind.ERROR
        ]
        if asked:
            sizes = [{"size": size, **asdict(confusion(some))} for size, some in by_size(asked).items()]
            matrices[suite.number] = _camel({**asdict(confusion(asked)), "by_size": sizes})
    return matrices


def _brief(row: Plain) -> Plain:
    """The shown part of the row, with the start of long prose: the overview is loaded before anything is shown."""
    shown = {key: value for key, value in row.items() if key not in _IN_SAMPLE}
    long = {key: text for key in _PROSE if isinstance(text := shown.get(key), str) and len(text) > _LONGEST}
    return shown | {key: f"{text[:_LONGEST]} … (the sample below has more)" for key, text in long.items()}


def _index(samples: Sequence[Sample], names: Mapping[SuiteKey, str]) -> str:
    """The columns of the list of samples. Names are stored once, and samples refer to them."""
    numbers = {sample.suite.number for sample in samples}
    suites, models = sorted({names[number] for number in numbers}), sorted({sample.model for sample in samples})
    outcomes = outcomes_by_code(sample.outcome for sample in samples)
    places = [
        {name: number for number, name in enumerate(listed)}
        for listed in (suites, models, [outcome.name for outcome in outcomes])
    ]
    tests = {sample.suite.number: Comparable.of(sample.suite).test for sample in samples}
    items = [(tests[sample.suite.number], sample.repeat, item_of(sample)) for sample in samples]
    numbered = {item: number for number, item in enumerate(dict.fromkeys(items))}
    asked = {(item, sample.model) for item, sample in zip(items, samples, strict=True)}
    return _packed(
        {
            "count": len(samples),
            "piece": PIECE,
            "suites": suites,
            "models": models,
            "outcomes": [some_of(outcome, "name", "code", "kind", "title") for outcome in outcomes],
            "suite": [places[0][names[sample.suite.number]] for sample in samples],
            "model": [places[1][sample.model] for sample in samples],
            "outcome": [places[2][sample.outcome] for sample in samples],
            "size": [sample.size for sample in samples],
            # Samples with one number asked the same question; None if no two models were asked the same.
            "item": [numbered[item] for item in items] if len(asked) > len(numbered) else None,
            "repeat": [sample.repeat for sample in samples],
            "text": [_title(sample) for sample in samples],
        }
    )


def _title(sample: Sample) -> str:
    given = sample.part_or_empty(Given)
    texts = (sample.formula, given.sentence, given.text, trace_of(sample), sample.description, sample.answer)
    text = next(filter(None, texts), "")
    return text if len(text) <= _SHORT else text[: _SHORT - 1] + "…"


def _pieces(
    samples: Sequence[Sample],
    names: Mapping[SuiteKey, str],
    texts: Mapping[str, str],
    command_of: CommandOf | None = None,
) -> Iterator[str]:
    """The whole samples, :data:`PIECE` in each, with their commands, and digests in place of ``texts``."""
    for start in range(0, len(samples), PIECE):
        piece = samples[start : start + PIECE]
        commands = [] if command_of is None else [command_of(sample) for sample in piece]
        rows = [_row(sample, names[sample.suite.number]) for sample in piece]
        shown = [row | {"calls": with_digests(row["calls"], texts)} for row in rows]
        yield _packed({"rows": shown, "commands": commands})


def _row(sample: Sample, suite: str) -> Plain:
    """The sample as one object; numbers that JavaScript would round become texts."""
    data = flat_sample(sample) | {"suite": suite}
    return data | {key: str(value) for key, value in data.items() if isinstance(value, int) and abs(value) > _EXACT}
