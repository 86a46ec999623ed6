"""The samples of a results file as flat dicts: what was asked of a sample, what came back, and the fields of its parts.

A field has the name of an older release where tests still use it, such as ``operators`` for the size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pytest_autoeval.record.file import read_file
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.sample_parts import Parts, declared

#: Keys that every sample has.
_ALWAYS = frozenset(
    (
        "trivial",
        "description",
        "answer",
        "translation",
        "compliant",
        "recovered",
        "leaked",
        "witness",
        "error",
        "formalization",
        "error_kind",
    )
)
#: What differs between two equal runs.
_TIMES = ("verdict_seconds", "started", "options", "shrinking")
_TIMES_OF_CALL = ("cost", "seconds", "replayed", "repeated")


def flat_rows(path: Path | str) -> list[dict[str, Any]]:
    """A dict for each sample of a file, in the order of the file. Values that are absent are left out."""
    return [flat_row(sample) for sample in read_file(path).samples]


def lasting_rows(path: Path | str) -> list[dict[str, Any]]:
    """The samples of a file in the order of their suites' names, without what differs between two equal runs."""
    suites = sorted(
        read_file(path).suites, key=lambda suite: (suite.name, suite.model, suite.number)
    )
    return [
        without_times(sample)
        for suite in suites
        for sample in sorted(suite.samples, key=lambda one: one.key)
    ]


def without_times(sample: Sample) -> dict[str, Any]:
    """A sample as a flat dict, without what differs between two equal runs."""
    row = {key: value for key, value in flat_row(sample).items() if key not in _TIMES}
    row["calls"] = [
        {key: value for key, value in call.items() if key not in _TIMES_OF_CALL}
        for call in row["calls"]
    ]
    return row


def flat_row(sample: Sample) -> dict[str, Any]:
    """A sample as a flat dict."""
    row = {**_of_suite(sample.suite), **_of_sample(sample)}
    for name, part in sample.parts.items():
        fields = _of_part(name, _plain(part))
        row |= {key: value for key, value in fields.items() if value is not None or key not in row}
    if (found := sample.suite.found(sample)) is not None:
        row |= {"shrunk_to": found.shrunk_to, "shrinking": _plain(found.calls)}
    return {key: value for key, value in row.items() if value is not None or key in _ALWAYS}


def _of_part(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    if name == "blame":
        return {"blame": fields}
    kind = declared(name)
    flat_names = {} if kind is None else kind.flat_names
    more: dict[str, Any] = fields.get("more", {})
    named = {flat_names.get(key, key): value for key, value in fields.items() if key != "more"}
    return {**named, **more}


def _of_suite(suite: SuiteRecord) -> dict[str, Any]:
    run = suite.run
    asked = _plain_fields(suite.asked)
    asked |= {"suite": suite.name, "grammar": suite.asked.source, "way": suite.asked.prompting}
    asked |= {
        "agreement_gate": suite.asked.agreement,
        "sizes_without_samples": [*suite.asked.empty_sizes] or None,
    }
    asked |= {
        "started": run.started,
        "options": [*run.options],
        "shard": run.shard,
        "shard_settings": run.settings,
    }
    asked["unfinished"] = suite.end is None or suite.end.ended in {"interrupted", "limit reached"}
    for name in (
        "number",
        "name",
        "function",
        "parameters",
        "prompting",
        "source",
        "agreement",
        "empty_sizes",
    ):
        del asked[name]
    return asked


def _of_sample(sample: Sample) -> dict[str, Any]:
    own = _plain_fields(sample)
    return {**own, "operators": own.pop("size"), "shrunk": sample.counts == "shrunk"}


def _plain(value: Any) -> Any:
    """Plain basic types, also of fields that have their default."""
    if isinstance(value, msgspec.Struct):
        return _plain_fields(value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value


def _plain_fields(struct: msgspec.Struct) -> dict[str, Any]:
    given = {name: getattr(struct, name) for name in struct.__struct_fields__}
    return {
        name: _plain(value)
        for name, value in given.items()
        if value is not msgspec.UNSET and not isinstance(value, SuiteRecord | Parts)
    }
