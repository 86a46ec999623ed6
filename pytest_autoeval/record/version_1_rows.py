"""The rows of results files of schema version 1: their keys, and how a line becomes a checked row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from pytest_autoeval.outcomes import OUTCOMES
from pytest_autoeval.record.coding import LineError
from pytest_autoeval.record.lines import Sample, Suite
from pytest_autoeval.record.removed_features import as_rows_are_today, never_counted
from pytest_autoeval.record.sample_parts import Part
from pytest_autoeval.record.strict_json import decoded, reason
from pytest_autoeval.record.task_parts import GIVEN
from pytest_autoeval.record.whole_types import whole_type

T = TypeVar("T")
Row = dict[str, Any]


def _keys(names: str) -> tuple[str, ...]:
    return tuple(names.split())


#: The keys of every row: those that are never null, and the others.
_NEVER_NULL = _keys(
    "suite test model grammar language vocabulary index repeat seed operators measures formula "
    "outcome code"
)
_OFTEN_NULL = _keys(
    "trivial description answer translation compliant recovered leaked witness witness_text "
    "verdict_method verdict_seconds calls error"
)
#: The keys that have another name now, and that name.
NEW_NAMES = {
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
KEYS_OF_SUITE = _keys(
    "test model reader interface way constrained variant language task form figures benchmark "
    "copies incomparable ungated default_model sizes_without_samples"
)
KEYS_OF_SAMPLE = _keys(
    "operators index repeat paraphrase seed formula measures trivial same_as description "
    "description_read answer translation outcome code chance compliant recovered leaked witness "
    "witness_text verdict_method verdict_seconds differences calls error"
)
#: The keys that become a part, by its name.
KEYS_OF_PARTS: Mapping[str, tuple[str, ...]] = {
    "answered": _keys(
        "answered problem structured similarities ranking_equivalence ranking_negation"
    ),
    "translated": _keys(
        "relation meaningful syntactically_correct lacking alignment alignment_basis le_score"
    ),
    "symbols": _keys(
        "ontology_answered matched missing surplus wrong_arity symbols_precision symbols_recall "
        "symbols_f1 arity_right"
    ),
    "phrases": _keys("scores error_kind"),
    "formalized": _keys("formalization formalization_answer paraphrased contradicted"),
    "first": _keys("first_answer first_description first_outcome"),
}
#: The other keys that mean something. What is left came from a data set of a user's own.
_OF_OTHERS = _keys(
    "schema_version suite grammar vocabulary threshold agreement_gate planned started options "
    "shard shard_settings run_suites run_not_collected unfinished stopped_early shrunk "
    "shrunk_to shrinking blame glossary"
)
KNOWN_KEYS = frozenset(
    (
        *KEYS_OF_SUITE,
        *KEYS_OF_SAMPLE,
        *_OF_OTHERS,
        *GIVEN,
        *(key for keys in KEYS_OF_PARTS.values() for key in keys),
    )
)
#: The keys whose null says something.
KEYS_WHOSE_NULL_COUNTS = frozenset({"similarities", "alignment"})


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


def read_row(line: bytes) -> Row | None:
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
    converted({key: row[key] for key in _Compared.__struct_fields__ if key in row}, _Compared)
    for name in (row["outcome"], row.get("first_outcome")):
        if name is not None and name not in OUTCOMES:
            raise LineError(f"there is no outcome {json.dumps(name)}")
    return row


def converted(values: Any, kind: type[T], custom: Mapping[type, Any] | None = None) -> T:
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
        old_name = next((key for key in _keys_of(kind) if NEW_NAMES.get(key, key) == name), name)
        raise LineError(f"{old_name or 'the row'}: {message}") from None
    except UnicodeEncodeError:
        # `msgspec` cannot look for half of a surrogate pair among the words that may stand there.
        raise LineError(
            "the row has half of a surrogate pair where only some words may stand"
        ) from None


def _keys_of(kind: type) -> tuple[str, ...]:
    """The keys of a row that become a type."""
    if kind is Suite:
        return (*KEYS_OF_SUITE, "agreement_gate")
    if kind is Sample:
        return KEYS_OF_SAMPLE
    return KEYS_OF_PARTS.get(kind.part_name, ()) if issubclass(kind, Part) else ()
