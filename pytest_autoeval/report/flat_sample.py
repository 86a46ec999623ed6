"""A sample as one object of plain basic types, with what its suite and run asked, for the page and the summary."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from msgspec import UNSET

from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.sample_parts import Part, declared
from pytest_autoeval.record.task_parts import shipped_part_names

Plain = dict[str, Any]

#: Fields of a sample that are always there, those of its suite in front.
_ALWAYS = (
    "index",
    "repeat",
    "seed",
    "measures",
    "formula",
    "trivial",
    "description",
    "answer",
    "translation",
    "outcome",
    "code",
    "compliant",
    "recovered",
    "leaked",
    "witness",
    "witness_text",
    "verdict_method",
    "verdict_seconds",
)
#: Other fields of a sample, its suite and its run: they are left out if they say nothing.
_OF_SAMPLE = (
    *("paraphrase", "same_as", "description_read"),
    *("compared", "compared_with", "chance", "differences"),
)
_OF_SUITE = (
    "reader",
    "interface",
    "constrained",
    "prompts",
    "temperature",
    "max_tokens",
    "parameters_sent",
    "task",
    *("form", "figures", "benchmark", "copies", "empty_sizes", "planned"),
    *("agreement", "collisions", "incomparable", "ungated", "default_model"),
)
_OF_RUN = ("release", "started", "options", "shard")
_RENAMED = {"agreement": "agreement_gate", "empty_sizes": "sizes_without_samples"}


def flat_sample(sample: Sample) -> Plain:
    """The sample with its suite, its run and its parts. Fields of parts that tasks of a user's own add have the name of
    the part before them.
    """
    suite = sample.suite
    run = sample.suite.run
    settings = suite.asked
    optional_fields: Plain = {
        **_that_say_something(sample, _OF_SAMPLE),
        **_that_say_something(settings, _OF_SUITE),
        **_that_say_something(run, _OF_RUN),
        **dict(_of_parts(sample)),
    }
    if sample.counts == "shrunk":
        optional_fields["shrunk"] = True
    found_example = suite.found(sample)
    if found_example is not None:
        calls = None if found_example.calls is None else _with_all_fields(found_example.calls)
        shrunk = {"shrunk_to": found_example.shrunk_to, "shrinking": calls}
        optional_fields |= {name: value for name, value in shrunk.items() if value is not None}
    return {
        "suite": suite.name,
        "test": settings.test,
        "model": suite.model,
        "grammar": settings.source,
        "language": settings.language,
        "vocabulary": settings.vocabulary,
        "operators": sample.size,
        "way": settings.prompting,
        "variant": settings.variant,
        "threshold": settings.threshold,
        **{name: _plain(getattr(sample, name)) for name in _ALWAYS},
        "error": sample.error,
        "calls": [_call(call) for call in sample.calls],
        # In the order of their names, and not in the order in which features were added to the program.
        **{name: optional_fields[name] for name in sorted(optional_fields)},
    }


def _with_all_fields(struct: msgspec.Struct) -> Plain:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


def _that_say_something(line: msgspec.Struct, names: tuple[str, ...]) -> Plain:
    """The fields that have another value than their default."""
    defaults = _defaults(type(line))
    values = ((name, getattr(line, name)) for name in names)
    return {
        _RENAMED.get(name, name): _plain(value) for name, value in values if value != defaults[name]
    }


@cache
def _defaults(kind: type[msgspec.Struct]) -> Plain:
    fields = msgspec.structs.fields(kind)
    # A field with a factory has no default of its own.
    computed_defaults = {
        field.name: field.default_factory()
        for field in fields
        if field.default_factory is not msgspec.NODEFAULT
    }
    return {**{field.name: field.default for field in fields}, **computed_defaults}


def _of_parts(sample: Sample) -> Iterator[tuple[str, Any]]:
    """The fields of shipped parts stand beside those of the sample, unless the part stands there as one object."""
    shipped = shipped_part_names()
    for name in shipped:
        kind = declared(name) if name in sample.parts else None
        sample_part = None if kind is None else sample.part(kind)
        if sample_part is None:
            continue
        if sample_part.is_flat:
            yield from _fields_beside(sample_part)
        else:
            yield name, _plain(sample_part)
    # Two parts of users may have fields of one name, so these have the name of their part before them.
    for name, sample_part in sample.parts.items():
        if name not in shipped:
            yield from ((f"{name}.{key}", value) for key, value in _plain(sample_part).items())


def _fields_beside(sample_part: Part) -> Iterator[tuple[str, Any]]:
    """The fields of a part that say something, under their flat names."""
    for name in sample_part.__struct_fields__:
        value = getattr(sample_part, name)
        if value is None or value is UNSET:
            continue
        if name == "more":
            yield from value.items()
        else:
            yield sample_part.flat_names.get(name, name), _plain(value)


def _call(call: Call) -> Plain:
    sent = None
    if call.messages is not None:
        sent = [
            {"role": message.role, "content": message.content or ""} for message in call.messages
        ]
    return {**msgspec.structs.asdict(call), "messages": sent}


def _plain(value: Any) -> Any:
    """A value in plain basic types."""
    # Most values are plain already, and the page has every field of every sample.
    if value is None or isinstance(value, str | int | float):
        return value
    return msgspec.to_builtins(value)
