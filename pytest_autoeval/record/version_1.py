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
        if "stopped_early" in row or "shrinking" in row:
            _end(suite, [row])
        self._first = self._first or row
        self._rows[suite].append(row)
        return suite

    def _take_texts(self, row: Row) -> None:
        """Keeps the shared texts: they may stand in any row."""
        calls = row["calls"] if isinstance(row["calls"], list) else []
        sent = [
            call["messages"]
            for call in calls
            if isinstance(call, dict) and isinstance(call.get("messages"), list)
        ]
        for message in (part for messages in sent for part in messages):
            if (
                isinstance(message, dict)
                and isinstance(digest := message.get("digest"), str)
                and "content" in message
            ):
                self._texts[digest] = str(message["content"])

    def finish(self, *, whole: bool) -> tuple[list[Run], list[SuiteRecord]]:
        """The runs and suites, sorted by name. If the file is not ``whole``, no suite is known to be."""
        suites = [suite for _, suite in sorted(self._suites.items())]
        for number, suite in enumerate(suites, 1):
            rows = self._rows[suite]
            suite.asked = replace(_suite(rows), number=number)
            equal = equal_paraphrases(suite.samples)
            suite.samples[:] = [
                replace(
                    sample,
                    counts="equal paraphrase" if at in equal else sample.counts,
                    calls=with_texts(sample.calls, self._texts),
                )
                for at, sample in enumerate(suite.samples)
            ]
            if whole and not any(row.get("unfinished") for row in rows):
                suite.end = _end(suite, rows)
        plans = self._plans()
        for suite in suites:
            suite.run = plans[suite.run]
        return list(plans.values()), suites

    def _plans(self) -> dict[Run, Run]:
        """The runs of the file, each with the suites that were planned and that it has.

        The first row says what was planned: the parts of one run have one plan. What no run has is in the first.
        """
        suites = self._first.get("run_suites") or {}
        listed = sorted((name, model) for name, models in suites.items() for model in models)
        absent = [key for key in listed if key not in {key[:2] for key in self._suites}]
        plans: dict[Run, list[Planned]] = {run: [] for run in self._runs}
        for (name, model, *_), suite in sorted(self._suites.items()):
            if (name, model) in listed:
                plans[suite.run].append(Planned(number=suite.number, name=name, model=model))
        lost = tuple(self._first.get("run_not_collected") or ())
        made = {run: replace(run, suites=tuple(plan)) for run, plan in plans.items()}
        for run in list(made)[:1]:
            more = [
                Planned(number=number, name=name, model=model)
                for number, (name, model) in enumerate(absent, len(self._suites) + 1)
            ]
            made[run] = replace(made[run], suites=(*made[run].suites, *more), not_collected=lost)
        return made


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
    if (version := row.get("schema_version")) != 1:
        raise LineError(
            f"schema_version is {json.dumps(version)}; this release of pytest-autoeval reads 1 and 2"
        )
    if never_counted(row):
        return None
    row = as_rows_are_today(row)
    if missing := [key for key in (*_NEVER_NULL, *_OFTEN_NULL) if key not in row]:
        raise LineError(f"the row lacks {', '.join(missing)}")
    if null := [key for key in _NEVER_NULL if row[key] is None]:
        raise LineError(f"the row has no value for {', '.join(null)}")
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
    values = {
        _RENAMED.get(key, key): value
        for key in _OF_SUITE
        if (value := _first_of(rows, key)) is not None
    }
    for key in ("incomparable", "ungated"):
        if reasons := sorted({row[key] for row in rows if row.get(key)}):
            values[key] = "; ".join(reasons)
    values["default_model"] = any(row.get("default_model") for row in rows)
    for key in ("threshold", "agreement_gate", "planned"):  # of merged files the strictest
        if known := [value for row in rows if (value := row.get(key)) is not None]:
            values[_RENAMED.get(key, key)] = max(known)
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
    return next((value for row in rows if (value := row.get(key)) is not None), None)


def _function_and_parameters(name: str, suite: Mapping[str, Any]) -> tuple[str, str]:
    """The test function in the name of a suite, and the test's own parameters in its brackets, after the variant."""
    function, inside = function_and_parameters(name)
    interface, prompting = suite.get("interface") or "", suite.get("prompting") or "zero-shot"
    variant = suite.get("variant")
    ways = (f"{interface}-{prompting}", interface, prompting)
    reader = reader_label(suite.get("reader") or "")
    labels = (
        (*(f"{way}-{reader}" for way in ways if way and reader), reader, *ways)
        if variant is None
        else (variant,)
    )
    for label in labels:
        if label and (inside == label or inside.startswith(f"{label}-")):
            inside = inside.removeprefix(label).removeprefix("-")
            break
    return function, inside


def _sample(row: Row, suite: SuiteRecord) -> Sample:
    values = {
        _RENAMED.get(key, key): value for key in _OF_SAMPLE if (value := row.get(key)) is not None
    }
    values |= {"kind": "sample", "suite": 0, "parts": 0}
    if row.get("shrunk"):
        values["counts"] = "shrunk"
    sample = _convert(values, Sample, {SuiteRecord: suite, Parts: Parts(_parts(row))})
    if not 0 <= sample.chance < 1:
        raise LineError(f"chance is {sample.chance}, not a number ≥ 0 and below 1")
    return sample


def _parts(row: Row) -> Iterable[Part]:
    given = {key: value for key in GIVEN if (value := row.get(key)) is not None}
    if more := {key: value for key, value in row.items() if key not in _KNOWN}:
        given["more"] = more
    wrote_trace = row.get("expected") in _WANTED_TRACES and "trace" in row
    trace = given.pop("trace", None) if wrote_trace else None
    if given:
        yield _convert(given, Given)
    for name, keys in _OF_PARTS.items():
        values = {
            _RENAMED.get(key, key): row[key]
            for key in keys
            if key in row and (row[key] is not None or key in _NULL_TELLS)
        }
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
    found = [
        {
            **{name: row.get(key) or 0 for key, name in _PLACE.items()},
            "shrunk_to": row.get("shrunk_to"),
            "calls": row.get("shrinking"),
        }
        for row in rows
        if row.get("shrunk_to") or row.get("shrinking")
    ]
    values: dict[str, Any] = {"kind": "suite_end", "suite": suite.number, "counterexamples": found}
    if stopped := _first_of(rows, "stopped_early"):
        values |= {"ended": "stopped early", "stopped": stopped}
    return _convert(values, SuiteEnd)


_PLACE = {"operators": "size", "index": "index", "repeat": "repeat", "paraphrase": "paraphrase"}


def _convert(values: Any, kind: type[T], custom: Mapping[type, Any] | None = None) -> T:
    """The values as a type; raises :class:`LineError` with the key of a wrong value."""
    try:
        return msgspec.convert(
            values, whole_type(kind), dec_hook=lambda wanted, _: (custom or {})[wanted]
        )
    except msgspec.ValidationError as problem:
        said, _, path = str(problem).partition(" - at `")
        name = path.partition("`")[0].removeprefix("$").removeprefix(".")
        old = next((key for key in _keys_of(kind) if _RENAMED.get(key, key) == name), name)
        raise LineError(f"{old or 'the row'}: {said}") from None
    except (
        UnicodeEncodeError
    ):  # msgspec cannot look for half of a surrogate pair among the words that may stand there
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
