"""Reads results files of schema version 1, which had one flat row for each sample and no line for run or suite.

What stood on every row of a suite becomes its suite. Nothing behind this module knows the rows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from pytest_autoeval.outcomes import OUTCOMES
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
from pytest_autoeval.record.removed_features import as_rows_are_today, never_counted
from pytest_autoeval.record.sample_parts import Part, Parts, declared
from pytest_autoeval.record.strict_json import decoded, reason
from pytest_autoeval.record.suite_names import function_and_parameters, reader_label
from pytest_autoeval.record.task_parts import GIVEN, Answered, Formalized, Given
from pytest_autoeval.record.whole_types import whole_type

T = TypeVar("T")
Row = dict[str, Any]

#: The keys of every row that are never null, and the others.
_NEVER_NULL = (
    *("suite", "test", "model", "grammar", "language", "vocabulary", "index", "repeat", "seed"),
    *("operators", "measures", "formula", "outcome", "code"),
)
_OFTEN_NULL = (
    *(
        "trivial",
        "description",
        "answer",
        "translation",
        "compliant",
        "recovered",
        "leaked",
        "witness",
    ),
    *("witness_text", "verdict_method", "verdict_seconds", "calls", "error"),
)
#: Where a key has another name now.
_RENAMED = {
    "operators": "size",
    "way": "prompting",
    "agreement_gate": "agreement",
    "sizes_without_samples": "empty_sizes",
    "answered": "value",
    "ontology_answered": "listed",
    "symbols_precision": "precision",
    "symbols_recall": "recall",
    "symbols_f1": "f1",
    "formalization": "formula",
    "formalization_answer": "answer",
    "first_answer": "answer",
    "first_description": "description",
    "first_outcome": "outcome",
}
#: What stood on each row of a suite, with one value for all of them.
_OF_SUITE = (
    *(
        "test",
        "model",
        "reader",
        "interface",
        "way",
        "constrained",
        "variant",
        "language",
        "task",
        "form",
        "figures",
    ),
    *("benchmark", "copies", "incomparable", "ungated", "default_model", "sizes_without_samples"),
)
_OF_SAMPLE = (
    *(
        "operators",
        "index",
        "repeat",
        "paraphrase",
        "seed",
        "formula",
        "measures",
        "trivial",
        "same_as",
    ),
    *(
        "description",
        "description_read",
        "answer",
        "translation",
        "outcome",
        "code",
        "chance",
        "compliant",
    ),
    *(
        "recovered",
        "leaked",
        "witness",
        "witness_text",
        "verdict_method",
        "verdict_seconds",
        "differences",
    ),
    *("calls", "error"),
)
#: The keys that become a part, by its name.
_OF_PARTS: Mapping[str, tuple[str, ...]] = {
    "answered": (
        "answered",
        "problem",
        "structured",
        "similarities",
        "ranking_equivalence",
        "ranking_negation",
    ),
    "translated": (
        *(
            "relation",
            "meaningful",
            "syntactically_correct",
            "lacking",
            "alignment",
            "alignment_basis",
            "le_score",
        ),
    ),
    "symbols": (
        *("ontology_answered", "matched", "missing", "surplus", "wrong_arity"),
        *("symbols_precision", "symbols_recall", "symbols_f1", "arity_right"),
    ),
    "phrases": ("scores", "error_kind"),
    "formalized": ("formalization", "formalization_answer", "paraphrased", "contradicted"),
    "first": ("first_answer", "first_description", "first_outcome"),
}
#: The other keys that mean something. What is left came from a data set of a user's own.
_OF_OTHERS = (
    *(
        "schema_version",
        "suite",
        "grammar",
        "vocabulary",
        "threshold",
        "agreement_gate",
        "planned",
        "started",
    ),
    *(
        "options",
        "shard",
        "shard_settings",
        "run_suites",
        "run_not_collected",
        "unfinished",
        "stopped_early",
    ),
    *("shrunk", "shrunk_to", "shrinking", "blame", "glossary"),
)
_KNOWN = frozenset(
    (
        *_OF_SUITE,
        *_OF_SAMPLE,
        *_OF_OTHERS,
        *GIVEN,
        *(key for keys in _OF_PARTS.values() for key in keys),
    )
)
#: The keys whose null says something.
_NULL_TELLS = frozenset({"similarities", "alignment"})
#: What a model was asked to write, where the trace of the row is its answer.
_WANTED_TRACES = ("satisfying", "violating")


class _Compared(msgspec.Struct, kw_only=True):
    """The types of the keys that are compared, or belong to the suite: they are checked in every row.

    The suite is made of all its rows together, when it is no longer known which of them is wrong.
    """

    suite: str
    model: str
    grammar: str
    vocabulary: str
    operators: int
    outcome: str
    first_outcome: str | None = None
    test: str
    language: str
    reader: str | None = None
    interface: str | None = None
    way: str | None = None
    variant: str | None = None
    constrained: bool | None = None
    task: str | None = None
    form: str | None = None
    figures: str | None = None
    benchmark: str | None = None
    copies: str | None = None
    sizes_without_samples: list[int] | None = None
    shrunk_to: str | None = None
    threshold: float | None = None
    agreement_gate: float | None = None
    planned: int | None = None
    incomparable: str | None = None
    ungated: str | None = None
    run_suites: dict[str, list[str]] | None = None
    run_not_collected: list[str] | None = None


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
        row = _row(line)
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


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def run_of(line: bytes) -> Run | None:
    """The run of a row; raises :class:`LineError`."""
    row = _row(line)
    return None if row is None else _run(row)


def _row(line: bytes) -> Row | None:
    """The row of a line, without keys of removed features; None if it counts nowhere. Raises :class:`LineError`."""
    try:
        row = decoded(line)
    except (ValueError, RecursionError) as error:
        raise LineError(f"not a JSON object: {reason(error)}", torn=True) from None
    if not isinstance(row, dict):
        raise LineError(f"not a JSON object: {type(row).__name__}")
    version = row.get("schema_version")
    if version != 1:
        raise LineError(
            f"schema_version is {json.dumps(version)}; this release of pytest-autoeval reads 1 and 2"
        )
    if never_counted(row):
        return None
    row = as_rows_are_today(row)
    missing = [key for key in (*_NEVER_NULL, *_OFTEN_NULL) if key not in row]
    if missing:
        raise LineError(f"the row lacks {', '.join(missing)}")
    null = [key for key in _NEVER_NULL if row[key] is None]
    if null:
        raise LineError(f"the row has no value for {', '.join(null)}")
    # Only to check the types of these keys; the values stay in the row.
    _convert({key: row[key] for key in _Compared.__struct_fields__ if key in row}, _Compared)
    for name in (row["outcome"], row.get("first_outcome")):
        if name is not None and name not in OUTCOMES:
            raise LineError(f"there is no outcome {json.dumps(name)}")
    return row


def _run(row: Row) -> Run:
    values = {
        "kind": "run",
        "schema_version": SCHEMA_VERSION,
        "started": row.get("started"),
        "options": row.get("options") or (),
        "shard": row.get("shard"),
        "settings": row.get("shard_settings"),
    }
    return _convert(values, Run)


def _suite(rows: Sequence[Row]) -> Suite:
    """What stood on all rows of a suite."""
    values = {}
    for key in _OF_SUITE:
        value = _first_of(rows, key)
        if value is not None:
            values[_RENAMED.get(key, key)] = value
    for key in ("incomparable", "ungated"):
        reasons = {row[key] for row in rows if row.get(key)}
        if reasons:
            values[key] = "; ".join(sorted(reasons))
    values["default_model"] = any(row.get("default_model") for row in rows)
    for key in ("threshold", "agreement_gate", "planned"):  # of merged files the strictest
        numbers = _values_of(rows, key)
        if numbers:
            values[_RENAMED.get(key, key)] = max(numbers)
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
    return _convert(values, Suite)


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
    values = {_RENAMED.get(key, key): row[key] for key in _OF_SAMPLE if row.get(key) is not None}
    # Suite and parts are given below as they are: the zeros only say that there are such values.
    values |= {"kind": "sample", "suite": 0, "parts": 0}
    if row.get("shrunk"):
        values["counts"] = "shrunk"
    sample = _convert(values, Sample, {SuiteRecord: suite, Parts: Parts(_parts(row))})
    if not 0 <= sample.chance < 1:
        raise LineError(f"chance is {sample.chance}, not a number ≥ 0 and below 1")
    return sample


def _parts(row: Row) -> Iterable[Part]:
    item = {key: row[key] for key in GIVEN if row.get(key) is not None}
    of_users = {key: value for key, value in row.items() if key not in _KNOWN}
    if of_users:
        item["more"] = of_users
    # One key had both meanings: a trace that was given, and one that the model wrote.
    wrote_trace = row.get("expected") in _WANTED_TRACES
    trace = item.pop("trace", None) if wrote_trace else None
    if item:
        yield _convert(item, Given)
    for name, keys in _OF_PARTS.items():
        values = {}
        for key in keys:
            if key in row and (row[key] is not None or key in _NULL_TELLS):
                values[_RENAMED.get(key, key)] = row[key]
        if name == Answered.part_name and trace is not None:
            values["trace"] = trace
        if (
            name == Formalized.part_name
            and "formalization" in row
            and row.get("glossary") is not None
        ):
            values["glossary"] = row["glossary"]
        if values or not row.keys().isdisjoint(keys):
            yield _convert(values, _part_named(name))
    if row.get("blame") is not None:
        yield _convert(row["blame"], _part_named("blame"))


def _part_named(name: str) -> type[Part]:
    kind = declared(name)
    if kind is None:
        raise LineError(f"no part {name} is known")
    return kind


def _end(suite: SuiteRecord, rows: Sequence[Row]) -> SuiteEnd:
    counterexamples = []
    for row in rows:
        if row.get("shrunk_to") or row.get("shrinking"):
            example = {name: row.get(key) or 0 for key, name in _PLACE.items()}
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
    return _convert(values, SuiteEnd)


_PLACE = {"operators": "size", "index": "index", "repeat": "repeat", "paraphrase": "paraphrase"}


def _convert(values: Any, kind: type[T], custom: Mapping[type, Any] | None = None) -> T:
    """The values as a type; raises :class:`LineError` with the key of a wrong value."""
    own_types = custom or {}
    try:
        return msgspec.convert(
            values, whole_type(kind), dec_hook=lambda own_type, _: own_types[own_type]
        )
    except msgspec.ValidationError as problem:
        message, _, path = str(problem).partition(" - at `")
        name = path.partition("`")[0].removeprefix("$").removeprefix(".")
        # The user looks for the key in the file, where it has its old name.
        old_name = next((key for key in _keys_of(kind) if _RENAMED.get(key, key) == name), name)
        raise LineError(f"{old_name or 'the row'}: {message}") from None
    except UnicodeEncodeError:
        # `msgspec` cannot look for half of a surrogate pair among the words that may stand there.
        raise LineError(
            "the row has half of a surrogate pair where only some words may stand"
        ) from None


def _keys_of(kind: type) -> tuple[str, ...]:
    """The keys of a row that become a type."""
    if kind is Suite:
        return (*_OF_SUITE, "agreement_gate")
    if kind is Sample:
        return _OF_SAMPLE
    return _OF_PARTS.get(kind.part_name, ()) if issubclass(kind, Part) else ()
