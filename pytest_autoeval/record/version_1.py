"""Reads results files of schema version 1, which had one flat row for each sample and no line for run or suite.

What stood on every row of a suite becomes its suite. Nothing behind this module knows the rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from pytest_autoeval.record.coding import LineError, with_texts
from pytest_autoeval.record.lines import (
    SCHEMA_VERSION,
    Planned,
    Run,
    Sample,
    Suite,
    SuiteEnd,
    SuiteRecord,
)
from pytest_autoeval.record.paraphrases import equal_paraphrases
from pytest_autoeval.record.sample_parts import Part, Parts, declared
from pytest_autoeval.record.suite_names import function_and_parameters, reader_label
from pytest_autoeval.record.task_parts import GIVEN, Answered, Formalized, Given
from pytest_autoeval.record.version_1_rows import (
    KEYS_OF_PARTS,
    KEYS_OF_SAMPLE,
    KEYS_OF_SUITE,
    KEYS_WHOSE_NULL_COUNTS,
    KNOWN_KEYS,
    NEW_NAMES,
    Row,
    converted,
    read_row,
)

#: What a model was asked to write, where the trace of the row is its answer.
_WANTED_TRACES = ("satisfying", "violating")
#: The keys that say which sample of its suite a row is, and their names today.
_KEYS_OF_SAMPLE_NUMBERS = {
    "operators": "size",
    "index": "index",
    "repeat": "repeat",
    "paraphrase": "paraphrase",
}


class Rows:
    """Turns rows into suites. All rows with one name of a suite and one model are one suite of their run or part."""

    def __init__(self) -> None:
        self._runs: dict[Run, Run] = {}
        self._first: Row = {}
        self._rows: dict[SuiteRecord, list[Row]] = defaultdict(list)
        self._suites: dict[tuple[str, str, str, str], SuiteRecord] = {}
        #: Long texts of messages by digest. Only the first message with the text has it.
        self._texts: dict[str, str] = {}

    def add(self, line: bytes) -> SuiteRecord | None:
        """Adds a row; returns its suite, None if the row counts nowhere. Raises :class:`LineError`."""
        row = read_row(line)
        if row is None:
            return None
        run = _run(row)
        key = row["suite"], row["model"], run.shard or "", run.settings or ""
        if key not in self._suites:
            self._suites[key] = SuiteRecord(_suite([row]), self._runs.setdefault(run, run))
        suite = self._suites[key]
        self._take_texts(row)
        suite.samples.append(_sample(row, suite))
        # Only to check them: in `finish` it is no longer known which row is wrong.
        if "stopped_early" in row or "shrinking" in row:
            _end(suite, [row])
        self._first = self._first or row
        self._rows[suite].append(row)
        return suite

    def _take_texts(self, row: Row) -> None:
        """Keeps the shared texts: they may stand in any row. The types of the row's calls are not checked yet."""
        for call in _list(row["calls"]):
            messages = _list(call.get("messages")) if isinstance(call, dict) else []
            for message in messages:
                if not isinstance(message, dict) or "content" not in message:
                    continue
                digest = message.get("digest")
                if isinstance(digest, str):
                    self._texts[digest] = str(message["content"])

    def finish(self, *, whole: bool) -> tuple[list[Run], list[SuiteRecord]]:
        """The runs and suites, sorted by name. If the file is not ``whole``, no suite is known to be."""
        suites = [suite for _, suite in sorted(self._suites.items())]
        for number, suite in enumerate(suites, 1):
            rows = self._rows[suite]
            suite.asked = replace(_suite(rows), number=number)
            # Only now: a paraphrase or a text may stand in a row below.
            equal = equal_paraphrases(suite.samples)
            for position, sample in enumerate(suite.samples):
                counts = "equal paraphrase" if position in equal else sample.counts
                calls = with_texts(sample.calls, self._texts)
                suite.samples[position] = replace(sample, counts=counts, calls=calls)
            if whole and not any(row.get("unfinished") for row in rows):
                suite.end = _end(suite, rows)
        planned_runs = self._planned_runs()
        for suite in suites:
            suite.run = planned_runs[suite.run]
        return list(planned_runs.values()), suites

    def _planned_runs(self) -> dict[Run, Run]:
        """The runs of the file, each with the suites that were planned and that it has.

        The first row says what was planned: the parts of one run have one plan. What no run has is in the first.
        """
        suites = self._first.get("run_suites") or {}
        planned = sorted((name, model) for name, models in suites.items() for model in models)
        present = {(name, model) for name, model, *_ in self._suites}
        absent = [key for key in planned if key not in present]
        plans: dict[Run, list[Planned]] = {run: [] for run in self._runs}
        for (name, model, *_), suite in sorted(self._suites.items()):
            if (name, model) in planned:
                plans[suite.run].append(Planned(number=suite.number, name=name, model=model))
        if not plans:  # a file without a row
            return {}
        first_run = next(iter(plans))
        for number, (name, model) in enumerate(absent, len(self._suites) + 1):
            plans[first_run].append(Planned(number=number, name=name, model=model))
        runs = {run: replace(run, suites=tuple(plan)) for run, plan in plans.items()}
        not_collected = tuple(self._first.get("run_not_collected") or ())
        runs[first_run] = replace(runs[first_run], not_collected=not_collected)
        return runs


def run_of(line: bytes) -> Run | None:
    """The run of a row; raises :class:`LineError`."""
    row = read_row(line)
    return None if row is None else _run(row)


def _run(row: Row) -> Run:
    values = {
        "kind": "run",
        "schema_version": SCHEMA_VERSION,
        "started": row.get("started"),
        "options": row.get("options") or (),
        "shard": row.get("shard"),
        "settings": row.get("shard_settings"),
    }
    return converted(values, Run)


def _suite(rows: Sequence[Row]) -> Suite:
    """What stood on all rows of a suite."""
    values = {}
    for key in KEYS_OF_SUITE:
        value = _first_of(rows, key)
        if value is not None:
            values[NEW_NAMES.get(key, key)] = value
    for key in ("incomparable", "ungated"):
        reasons = {row[key] for row in rows if row.get(key)}
        if reasons:
            values[key] = "; ".join(sorted(reasons))
    values["default_model"] = any(row.get("default_model") for row in rows)
    for key in ("threshold", "agreement_gate", "planned"):  # of merged files the strictest
        numbers = _values_of(rows, key)
        if numbers:
            values[NEW_NAMES.get(key, key)] = max(numbers)
    function, parameters = _function_and_parameters(rows[0]["suite"], values)
    values |= {
        "kind": "suite",
        "number": 0,
        "name": rows[0]["suite"],
        "function": function,
        "parameters": parameters,
        "source": ", ".join(sorted({str(row["grammar"]) for row in rows})),
        "vocabulary": ", ".join(sorted({str(row["vocabulary"]) for row in rows})),
        "sizes": sorted({row["operators"] for row in rows}),
    }
    return converted(values, Suite)


def _first_of(rows: Iterable[Row], key: str) -> Any:
    return next(iter(_values_of(rows, key)), None)


def _values_of(rows: Iterable[Row], key: str) -> list[Any]:
    """The values of a key that are not null, in the order of the rows."""
    values = (row.get(key) for row in rows)
    return [value for value in values if value is not None]


def _function_and_parameters(name: str, suite: Mapping[str, Any]) -> tuple[str, str]:
    """The test function in the name of a suite, and the test's own parameters in its brackets, after the variant."""
    function, inside = function_and_parameters(name)
    for label in _possible_variants(suite):
        if label and (inside == label or inside.startswith(f"{label}-")):
            inside = inside.removeprefix(label).removeprefix("-")
            break
    return function, inside


def _possible_variants(suite: Mapping[str, Any]) -> Sequence[str]:
    """The variants that may stand in the name of a suite, the longest first: one may begin another.

    Rows without a key for the variant have one that was made of interface, prompting and reader.
    """
    variant = suite.get("variant")
    if variant is not None:
        return (variant,)
    interface = suite.get("interface") or ""
    prompting = suite.get("prompting") or "zero-shot"
    promptings = (f"{interface}-{prompting}", interface, prompting)
    reader = reader_label(suite.get("reader") or "")
    if not reader:
        return promptings
    with_reader = [f"{label}-{reader}" for label in promptings if label]
    return (*with_reader, reader, *promptings)


def _sample(row: Row, suite: SuiteRecord) -> Sample:
    values = {
        NEW_NAMES.get(key, key): row[key] for key in KEYS_OF_SAMPLE if row.get(key) is not None
    }
    # Suite and parts are given below as they are: the zeros only say that there are such values.
    values |= {"kind": "sample", "suite": 0, "parts": 0}
    if row.get("shrunk"):
        values["counts"] = "shrunk"
    sample = converted(values, Sample, {SuiteRecord: suite, Parts: Parts(_parts(row))})
    if not 0 <= sample.chance < 1:
        raise LineError(f"chance is {sample.chance}, not a number ≥ 0 and below 1")
    return sample


def _parts(row: Row) -> Iterable[Part]:
    item = {key: row[key] for key in GIVEN if row.get(key) is not None}
    of_users = {key: value for key, value in row.items() if key not in KNOWN_KEYS}
    if of_users:
        item["more"] = of_users
    # One key had both meanings: a trace that was given, and one that the model wrote.
    wrote_trace = row.get("expected") in _WANTED_TRACES
    trace = item.pop("trace", None) if wrote_trace else None
    if item:
        yield converted(item, Given)
    for name, keys in KEYS_OF_PARTS.items():
        values = {}
        for key in keys:
            if key in row and (row[key] is not None or key in KEYS_WHOSE_NULL_COUNTS):
                values[NEW_NAMES.get(key, key)] = row[key]
        if name == Answered.part_name and trace is not None:
            values["trace"] = trace
        if (
            name == Formalized.part_name
            and "formalization" in row
            and row.get("glossary") is not None
        ):
            values["glossary"] = row["glossary"]
        if values or not row.keys().isdisjoint(keys):
            yield converted(values, _part_named(name))
    if row.get("blame") is not None:
        yield converted(row["blame"], _part_named("blame"))


def _part_named(name: str) -> type[Part]:
    kind = declared(name)
    if kind is None:
        raise LineError(f"no part {name} is known")
    return kind


def _end(suite: SuiteRecord, rows: Sequence[Row]) -> SuiteEnd:
    counterexamples = []
    for row in rows:
        if row.get("shrunk_to") or row.get("shrinking"):
            example = {name: row.get(key) or 0 for key, name in _KEYS_OF_SAMPLE_NUMBERS.items()}
            example |= {"shrunk_to": row.get("shrunk_to"), "calls": row.get("shrinking")}
            counterexamples.append(example)
    values: dict[str, Any] = {
        "kind": "suite_end",
        "suite": suite.number,
        "counterexamples": counterexamples,
    }
    stopped = _first_of(rows, "stopped_early")
    if stopped:
        values |= {"ended": "stopped early", "stopped": stopped}
    return converted(values, SuiteEnd)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
