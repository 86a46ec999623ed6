"""Reads results files of schema version 1, which had one flat row for each sample and no line for run or suite.

The values that every row of a suite repeated become the line of its suite. Other modules see runs, suites and samples
as in a file of today, and never a row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from pytest_autoeval.record.coding import LineError
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
from pytest_autoeval.record.shared_values import SharedValues
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

#: The values of ``expected`` with which the row's ``trace`` is the answer of the model.
_WANTED_TRACES = ("satisfying", "violating")
#: The keys that say which sample of its suite a row is, and their names in a counterexample.
_NAMES_IN_COUNTEREXAMPLE = {
    "operators": "size",
    "index": "index",
    "repeat": "repeat",
    "paraphrase": "paraphrase",
}


class _SuiteKey(NamedTuple):
    """Rows with equal values of these are rows of one suite. The last two distinguish the parts of a run."""

    name: str
    model: str
    shard: str
    settings: str


class SuitesFromRows:
    """Turns rows into suites. :meth:`add` takes each row; :meth:`finish` completes what only all rows show."""

    def __init__(self) -> None:
        self._runs: dict[Run, Run] = {}
        self._first_row: Row = {}
        self._rows: dict[SuiteRecord, list[Row]] = defaultdict(list)
        self._suites: dict[_SuiteKey, SuiteRecord] = {}
        #: Long texts of messages by digest: of equal messages, only the first has the text itself.
        self._values = SharedValues()

    def add(self, line: bytes) -> SuiteRecord | None:
        """Adds a row; returns its suite; None if the row counted in no rate. Raises :class:`LineError`."""
        row = read_row(line)
        if row is None:
            return None
        run = _run(row)
        key = _SuiteKey(row["suite"], row["model"], run.shard or "", run.settings or "")
        if key not in self._suites:
            # Made of its first row alone, to have a suite for the samples. `finish` makes it again, of all rows.
            self._suites[key] = SuiteRecord(_suite([row]), self._runs.setdefault(run, run))
        suite = self._suites[key]
        self._keep_texts(row)
        suite.samples.append(_sample(row, suite))
        # Only to check these values: in `finish` it is no longer known which row is wrong.
        if "stopped_early" in row or "shrinking" in row:
            _end(suite, [row])
        self._first_row = self._first_row or row
        self._rows[suite].append(row)
        return suite

    def _keep_texts(self, row: Row) -> None:
        """Keeps the texts that messages of other rows refer to. The types of the row's calls are not checked yet."""
        for call in _list_or_empty(row["calls"]):
            messages = _list_or_empty(call.get("messages")) if isinstance(call, dict) else []
            for message in messages:
                if not isinstance(message, dict) or "content" not in message:
                    continue
                digest = message.get("digest")
                if isinstance(digest, str):
                    self._values.texts[digest] = str(message["content"])

    def finish(self, *, whole: bool) -> tuple[list[Run], list[SuiteRecord]]:
        """The runs, and the suites sorted by name.

        Unless the file is ``whole``, no suite gets an end: the lost rows may be of any suite.
        """
        suites = [suite for _, suite in sorted(self._suites.items())]
        for number, suite in enumerate(suites, 1):
            rows = self._rows[suite]
            suite.asked = replace(_suite(rows), number=number)
            # Not in `add`: the equal paraphrase, or the text of a message, may stand in a later row.
            equal = equal_paraphrases(suite.samples)
            for position, sample in enumerate(suite.samples):
                counts = "equal paraphrase" if position in equal else sample.counts
                suite.samples[position] = self._values.sample(replace(sample, counts=counts))
            if whole and not any(row.get("unfinished") for row in rows):
                suite.end = _end(suite, rows)
        planned_runs = self._planned_runs()
        for suite in suites:
            suite.run = planned_runs[suite.run]
        return list(planned_runs.values()), suites

    def _planned_runs(self) -> dict[Run, Run]:
        """The runs of the file, each with those of its suites that were planned.

        The first row says what was planned: the parts of one run have one plan. A planned suite without rows belongs
        to no run that is known. It is put into the plan of the first run.
        """
        if not self._runs:  # a file without a row
            return {}
        models_by_name = self._first_row.get("run_suites") or {}
        planned = sorted(
            (name, model) for name, models in models_by_name.items() for model in models
        )
        plans: dict[Run, list[Planned]] = {run: [] for run in self._runs}
        for key, suite in sorted(self._suites.items()):
            if (key.name, key.model) in planned:
                plans[suite.run].append(
                    Planned(number=suite.number, name=key.name, model=key.model)
                )
        present = {(key.name, key.model) for key in self._suites}
        absent = [name_and_model for name_and_model in planned if name_and_model not in present]
        first_run = next(iter(plans))
        # Their numbers follow those of the suites with rows.
        for number, (name, model) in enumerate(absent, len(self._suites) + 1):
            plans[first_run].append(Planned(number=number, name=name, model=model))
        runs = {run: replace(run, suites=tuple(plan)) for run, plan in plans.items()}
        not_collected = tuple(self._first_row.get("run_not_collected") or ())
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
    """The line of a suite, from the values that all of its rows repeated."""
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
    # In files that were merged, rows may have several values: the strictest gate counts, and the largest plan.
    for key in ("threshold", "agreement_gate", "planned"):
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
    """The test function in the name of a suite, and the test's own parameters.

    Both the variant and the parameters stand in the brackets of the name, the variant first.
    """
    function, inside = function_and_parameters(name)
    for variant in _possible_variants(suite):
        if variant and (inside == variant or inside.startswith(f"{variant}-")):
            inside = inside.removeprefix(variant).removeprefix("-")
            break
    return function, inside


def _possible_variants(suite: Mapping[str, Any]) -> Sequence[str]:
    """The variants that may stand in the name of a suite, longer ones first: a shorter one may be their beginning.

    In rows without a key for the variant, it was made of interface, prompting and reader. Each of them may be absent.
    """
    variant = suite.get("variant")
    if variant is not None:
        return (variant,)
    interface = suite.get("interface") or ""
    prompting = suite.get("prompting") or "zero-shot"
    without_reader = (f"{interface}-{prompting}", interface, prompting)
    reader = reader_label(suite.get("reader") or "")
    if not reader:
        return without_reader
    with_reader = [f"{label}-{reader}" for label in without_reader if label]
    return (*with_reader, reader, *without_reader)


def _sample(row: Row, suite: SuiteRecord) -> Sample:
    values = {
        NEW_NAMES.get(key, key): row[key] for key in KEYS_OF_SAMPLE if row.get(key) is not None
    }
    # The conversion replaces these zeros with the suite and the parts, which are objects already.
    values |= {"kind": "sample", "suite": 0, "parts": 0}
    if row.get("shrunk"):
        values["counts"] = "shrunk"
    sample = converted(values, Sample, {SuiteRecord: suite, Parts: Parts(_parts(row))})
    if not 0 <= sample.chance < 1:
        raise LineError(f"chance is {sample.chance}, not a number ≥ 0 and below 1")
    return sample


def _parts(row: Row) -> Iterable[Part]:
    given = {key: row[key] for key in GIVEN if row.get(key) is not None}
    # One key had both meanings: a trace that was given, and one that the model wrote.
    is_written_by_model = row.get("expected") in _WANTED_TRACES
    written_trace = given.pop("trace", None) if is_written_by_model else None
    values_of_users = {key: value for key, value in row.items() if key not in KNOWN_KEYS}
    if values_of_users:
        given["more"] = values_of_users
    if given:
        yield converted(given, Given)
    for name, keys in KEYS_OF_PARTS.items():
        values = _values_of_part(row, keys)
        if name == Answered.part_name and written_trace is not None:
            values["trace"] = written_trace
        if name == Formalized.part_name and "formalization" in row:
            glossary = row.get("glossary")
            if glossary is not None:
                values["glossary"] = glossary
        # A part of which the row has any key was there, even if all of its values are null.
        if values or not row.keys().isdisjoint(keys):
            yield converted(values, _part_named(name))
    if row.get("blame") is not None:
        yield converted(row["blame"], _part_named("blame"))


def _values_of_part(row: Row, keys: Sequence[str]) -> Row:
    """The values of those keys, under the names of today, without nulls that say nothing."""
    values = {}
    for key in keys:
        if key in row and (row[key] is not None or key in KEYS_WHOSE_NULL_COUNTS):
            values[NEW_NAMES.get(key, key)] = row[key]
    return values


def _part_named(name: str) -> type[Part]:
    kind = declared(name)
    if kind is None:
        raise LineError(f"no part {name} is known")
    return kind


def _end(suite: SuiteRecord, rows: Sequence[Row]) -> SuiteEnd:
    """The end of a suite: its counterexamples, and why it stopped early if it did."""
    counterexamples = []
    for row in rows:
        if row.get("shrunk_to") or row.get("shrinking"):
            example = {name: row.get(key) or 0 for key, name in _NAMES_IN_COUNTEREXAMPLE.items()}
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


def _list_or_empty(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
