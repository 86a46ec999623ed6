"""A run as Markdown for the summary of a job or a comment on a pull request: the verdict first, then the reasons.

Text from models or files must not act as Markdown. Backslashes are not enough: outside of code, a mention, an issue's
number, a commit or an address becomes a link after the Markdown was parsed. So everything that is not a plain word
becomes code.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pytest_autoeval.judging.agreement import SentenceMeanings, mean_agreements
from pytest_autoeval.judging.baseline import BaselineGate
from pytest_autoeval.judging.gates import MARKS, MEANINGS, STANDS, STATES, WORST_FIRST
from pytest_autoeval.judging.suites import AnyGate
from pytest_autoeval.record.names import named
from pytest_autoeval.report.agreement_text import (
    ALL_MODELS,
    HEADINGS,
    agreement_cells,
    disputed,
    meaning_texts,
    question_rows,
    sentence_text,
)
from pytest_autoeval.report.analysis import Analysis
from pytest_autoeval.report.benchmark import benchmark
from pytest_autoeval.report.counterexample import Counterexample, counterexample_lines
from pytest_autoeval.report.horizons import horizon_text
from pytest_autoeval.report.matrix import Cell, Matrix
from pytest_autoeval.report.matrix_lines import WORSE, mean_cell, rate_cell
from pytest_autoeval.report.readers import reader_matrices
from pytest_autoeval.report.renderers.markdown_text import block, code, prose, table_row
from pytest_autoeval.report.spending import calls_text
from pytest_autoeval.report.suite_summary import SuiteSummary
from pytest_autoeval.report.terminal import compared
from pytest_autoeval.text import (
    confidence_percent,
    count,
    rate_text,
    tally,
    threshold_text,
)

#: GitHub allows 1 MiB in the summary of a step; some space is left for what is there already.
LIMIT = 1_000_000
#: The verdict, with one line for each section without room, needs at most this many bytes.
SHORTEST = 4_000
#: Bytes of the line that says how much of a section is left out.
_NOTE = 200
_KINDS = 3
#: The sign of each state.
_SIGNS = {STATES[verdict]: sign for verdict, (sign, _) in MARKS.items()}
_WIDTH = 104
_INDENT = 4
_FORMULAS = 3

#: The lines about a suite, under its heading; left out if the text is empty.
_SAID: Mapping[str, Callable[[SuiteSummary], Iterable[str]]] = {
    "Which half lost the meaning": lambda summary: (
        [f"{tally(summary.blame)} of {count(sum(summary.blame.values()), 'failure')}"] if summary.blame else ()
    ),
    "Few samples": lambda summary: [str(summary.gate.few_samples or "")] if summary.judgement.passes else (),
    "Chance level": lambda summary: [summary.shown_chance_level],
}


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of the text. The last of its ``pieces``, each a ``thing``, can be left out; ``start`` belongs to the
    first.
    """

    start: str
    pieces: list[str]
    thing: str


def markdown(analysis: Analysis, *, title: str = "pytest-autoeval", limit: int = LIMIT) -> str:
    """The run as GitHub's Markdown, at most ``limit`` bytes (from 4,000) in UTF-8.

    If it would be longer, counterexamples are left out first, and a line says how many. Text from models is neither
    Markdown nor HTML, a link, a mention, or an invisible sign. Raises :class:`ValueError` for a smaller limit.
    """
    if limit < SHORTEST:
        raise ValueError(f"the limit must be {SHORTEST} bytes or more: {limit}")
    text = f"## {MARKS[analysis.verdict][0]} {prose(title[:200])}: {prose(analysis.headline)}\n"
    sections = [section for section in _sections(analysis) if section.pieces]
    for number, section in enumerate(sections):
        pieces = [f"{piece}\n" for piece in section.pieces]
        used = accumulate((len(piece.encode()) for piece in pieces), initial=len(f"\n{section.start}".encode()))
        # Each following section may need a line that it was cut.
        room = limit - len(text.encode()) - _NOTE * (len(sections) - number)
        fits = bisect_right(list(used)[1:], room)
        text += f"\n{section.start}{''.join(pieces[:fits])}" if fits else ""
        if missing := len(pieces) - fits:
            text += f"\n*{count(missing, section.thing)} left out: the text has no room.*\n"
    return text


def _sections(analysis: Analysis) -> Iterator[_Section]:
    yield from _matrix(analysis)
    gates = sorted(analysis.every_gate, key=lambda gate: WORST_FIRST.index(gate.verdict))
    # Differences to the baseline have a table of their own.
    why = [_why(gate) for gate in gates if gate.kind != "baseline" and gate.verdict not in STANDS]
    yield _Section("### Why\n\n", why, "reason")
    yield _Section("", [f"{prose(calls_text(analysis.spent))}"] if analysis.spent else [], "line")
    yield _said(analysis, "Errors", "kind of error", _errors)
    yield _said(analysis, "Figures of the tasks", "suite", lambda summary: ["; ".join(summary.figures)])
    yield from _agreement(analysis.sentences)
    yield from _comparisons(analysis)
    if table := benchmark(analysis.samples):
        headings = ("task", "data set", *(f"{code(column.model)} {column.form}" for column in table.columns))
        rows = [[prose(line.task), code(line.data_set), *line.texts] for line in table.lines]
        yield _table("### Scores by form\n\n", headings, rows, "task", words=2)
    for kind, heading in (("level", "Worse than on other formulas of their size"), ("baseline", "Worse than before")):
        slices = [
            f"- {code(named(worse.suite, worse.model))}: {prose(worse.text)}"
            for worse in analysis.slices
            if worse.kind == kind
        ]
        yield _Section(f"### {heading}\n\n", slices, "sort of formula")
    for heading, said in _SAID.items():
        yield _said(analysis, heading, "suite", said)
    for matrix in reader_matrices(analysis.suites):
        rows = [
            [code(name), *(rate_text(rate) if rate and rate.total else "–" for rate in row)]
            for name, row in zip(matrix.describers, matrix.rates, strict=True)
        ]
        headings = ("describer", *map(code, matrix.readers))
        section = _table(f"### Readers: {code(matrix.suite)}\n\n", headings, rows, "line", words=1)
        section.pieces.extend(f"\n{prose(str(finding))}" for finding in matrix.findings)
        yield section
    yield _Section("### Notes\n\n", [f"- {prose(str(note))}" for note in analysis.notes], "note")
    # For each suite and model the smallest failure of the most frequent kind, then of the second kind, and so on.
    smallest = [examples for _, examples in analysis.smallest()]
    ranked = [examples[rank] for rank in range(_KINDS) for examples in smallest if rank < len(examples)]
    yield _Section("### Smallest counterexamples\n\n", [_example(*entry) for entry in ranked], "counterexample")


def _said(analysis: Analysis, heading: str, thing: str, said: Callable[[SuiteSummary], Iterable[str]]) -> _Section:
    """A section of what is said of each suite; an empty text is left out."""
    texts = [(summary.gate.name, text) for summary in analysis.summaries for text in said(summary) if text]
    return _Section(f"### {heading}\n\n", [f"- {code(name)}: {prose(text)}" for name, text in texts], thing)


def _errors(summary: SuiteSummary) -> Iterable[str]:
    return (f"{times:,} × {message}" for message, times in list(summary.errors.items())[:_KINDS])


def _matrix(analysis: Analysis) -> Iterator[_Section]:
    """Suites down, models across; a single model has its numbers in columns of their own."""
    matrix = analysis.matrix
    thresholds = {
        gate.number: "–" if gate.threshold is None else threshold_text(gate.threshold) for gate in analysis.gates
    }
    if not matrix.rows:
        return
    cells = [cell for row in matrix.rows for cell in row.cells if cell is not None]
    legend = [f"{_SIGNS[state]} {state}: {meaning}" for state, meaning in MEANINGS.items()]
    states = {cell.state for cell in cells}
    said = [line for line, state in zip(legend, MEANINGS, strict=True) if state in states and states != {"no gate"}]
    said += [WORSE] if any(cell.worse_than for cell in cells) else []
    if len(matrix.models) == 1:
        model = matrix.models[0]
        headings = ["", "suite", "samples", "pass rate (95 %)", "threshold", "horizon 50 % (95 %)"]
        rows = [
            [
                _SIGNS[row.state],
                code(row.suite),
                f"{cell.samples:,}",
                rate_cell(cell),
                thresholds[cell.number],
                _horizon(cell),
            ]
            for row, cell in zip(matrix.rows, cells, strict=True)
        ]
        rows += [["", _all_suites(matrix), "", mean_cell(mean), "", ""] for mean in matrix.means]
        if all(cell.horizon is None for cell in cells):
            headings, rows = headings[:-1], [row[:-1] for row in rows]
        yield _Section("", [f"model {code(model)}"], "line")
        yield _table("", headings, rows, "suite", words=2)
    else:
        rows = [[code(row.suite), *map(_cell, row.cells)] for row in matrix.rows]
        rows += [[_all_suites(matrix), *map(mean_cell, matrix.means)]] if matrix.means else []
        yield _table("", ("suite", *map(code, matrix.models)), rows, "suite", words=1)
    notes = () if analysis.model_comparison is None else analysis.model_comparison.notes
    yield _Section("", [f"- {prose(str(text))}" for text in (*said, *notes)], "note")


def _agreement(sentences: Sequence[SentenceMeanings]) -> Iterator[_Section]:
    means = mean_agreements(sentences)
    if not means:
        return
    cells = [[code(one.suite), code(one.model) if one.model else ALL_MODELS, *agreement_cells(one)] for one in means]
    title = "### Agreement of the answers to each sentence\n\n"
    yield _table(title, ("suite", "model", *HEADINGS), cells, "model", words=2)
    yield _Section("", list(map(_disputed, disputed(sentences))), "sentence")
    yield _Section("### Questions for the author\n\n", questions_markdown(sentences), "question")


def _disputed(one: SentenceMeanings) -> str:
    place = f"{code(one.place)}: " if one.place else ""
    texts = [
        f"    - {number} {code(formula)}, {prose(who)}" for number, formula, who in meaning_texts(one, every=False)
    ]
    return "\n".join([f"- {place}{prose(one.sentence)} ({prose(sentence_text(one))})", *texts])


def questions_markdown(sentences: Iterable[SentenceMeanings]) -> list[str]:
    """Each question to the author, numbered, with the formulas that yes and no stand for."""
    return [
        f"{number}. {prose(row['question'])}\n"
        + (f"    - place: {code(row['place'])}\n" if row["place"] else "")
        + f"    - yes: {code(row['yes_means'])}, read by {prose(row['yes_read_by'])}\n"
        + f"    - no: {code(row['no_means'])}, read by {prose(row['no_read_by'])}"
        for number, row in enumerate(question_rows(sentences), start=1)
    ]


def _all_suites(matrix: Matrix) -> str:
    return f"mean of {count(len(matrix.all_suites.suites), 'suite')}" if matrix.all_suites else ""


def _cell(cell: Cell | None) -> str:
    """A model on a suite: sign, pass rate and horizon with intervals, and whether it is significantly worse."""
    if cell is None:
        return "–"
    horizon = "" if cell.horizon is None else f", horizon {_horizon(cell)}"
    star = r" \*" if cell.worse_than else ""
    return f"{_SIGNS[cell.state]} {rate_cell(cell)}{horizon}{star}"


def _horizon(cell: Cell) -> str:
    if cell.horizon is None:
        return "–"
    guessed = "" if cell.horizon.rate is None or not cell.horizon.known else " above guessing"
    return f"{horizon_text(cell.horizon)}{guessed}"


def _comparisons(analysis: Analysis) -> Iterator[_Section]:
    gates = sorted(analysis.comparisons, key=lambda gate: WORST_FIRST.index(gate.verdict))
    name = f" {code(analysis.baseline_name)}" if analysis.baseline_name else ""
    confidence = confidence_percent(gates[0].confidence) if gates else ""
    head = (
        *("verdict", "suite", "model", "pairs", "won", "lost"),
        *(f"difference in points ({confidence})", "p", "p, corrected"),
    )
    rows = [
        [f"{MARKS[gate.verdict][0]} {STATES[gate.verdict]}", code(gate.suite), code(gate.model), *compared(gate, "–")]
        for gate in gates
    ]
    yield _table(f"### Compared with the baseline{name}\n\n", head, rows, "comparison", words=3)
    yield _Section("", [line for gate in gates for line in _remarks(gate)], "remark")


def _remarks(gate: BaselineGate) -> Iterator[str]:
    if gate.rules.drop is not None or gate.test is None:
        yield _why(gate)
    for flag in gate.flags:
        yield f"- {code(gate.name)}: {prose(str(flag))}"
    for where, formulas in (("this run", gate.compared.only_here), ("the baseline", gate.compared.only_there)):
        if formulas:
            some = ", ".join(map(code, formulas[:_FORMULAS])) + (", …" if len(formulas) > _FORMULAS else "")
            yield f"- {code(gate.name)}: {count(len(formulas), 'formula')} only in {where}, not compared: {some}"


def _example(example: Counterexample, samples: int) -> str:
    suite = example.sample.suite
    _, *lines = counterexample_lines(example, samples, verbose=False, width=_WIDTH)
    fields = block(line.text[_INDENT:] for line in lines)
    outcome = f"{prose(example.sample.outcome)}, {count(samples, 'sample')}"
    return f"{code(named(suite.name, suite.model))}: {outcome}\n\n{fields}\n"


def _why(gate: AnyGate) -> str:
    return f"- {MARKS[gate.verdict][0]} {code(gate.name)}: {prose(gate.reason)}"


def _table(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]], thing: str, *, words: int) -> _Section:
    """A section with a table; the first columns are ``words``, the others numbers."""
    lines = ["---"] * words + ["---:"] * (len(headings) - words)
    return _Section(f"{title}{table_row(headings)}\n{table_row(lines)}\n", list(map(table_row, rows)), thing)
