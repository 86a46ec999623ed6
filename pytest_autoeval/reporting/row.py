"""One sample of the results file as a typed value. `docs/reference/results.md` describes every key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from typing import Any, Self

from pytest_autoeval.judging.gates import StoppedEarly
from pytest_autoeval.outcomes import OutcomeKind, outcome_named
from pytest_autoeval.text import count, percent

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call to a model. ``cost`` is in USD; values that the server did not report are None.

    ``replayed``: a recording answered; ``repeated``: an equal earlier call of the run, which is free, too.
    ``reasoning_tokens``, those of hidden thoughts, are part of ``completion_tokens``. ``messages`` are the sent
    messages with ``role`` and ``content``; None in rows of older releases.
    """

    stage: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    finish_reason: str | None = None
    prompt_digest: str | None = None
    replayed: bool = False
    repeated: bool = False
    messages: list[dict[str, str]] | None = None

    @property
    def asked(self) -> bool:
        """Whether the model was asked."""
        return not (self.replayed or self.repeated)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """The calls to a model, counted. ``cost`` is in USD; tokens and cost are None if no call reported any."""

    number: int
    replayed: int
    repeated: int = 0
    prompt_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    cost: float | None

    @classmethod
    def of(cls, calls: Iterable[Call]) -> Self:
        calls = list(calls)
        return cls(number=len(calls), **_sums(calls))

    @classmethod
    def total(cls, parts: Iterable[Calls]) -> Self:
        parts = list(parts)
        return cls(number=sum(part.number for part in parts), **_sums(parts))


def _sums(parts: Sequence[Call] | Sequence[Calls]) -> dict[str, Any]:
    sums: dict[str, Any] = {name: sum(getattr(part, name) for part in parts) for name in ("replayed", "repeated")}
    for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost"):
        known = [number for part in parts if (number := getattr(part, name)) is not None]
        sums[name] = sum(known[1:], known[0]) if known else None
    return sums


CALL_KEYS = tuple(attribute.name for attribute in fields(Call))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One sample: what was asked, what came back, and how it ended.

    Every row has the keys down to ``error``. The other attributes are keys that several modules read and only some rows
    have. ``facts`` holds all other keys of a task or a data set, by their names in the file.
    """

    suite: str
    test: str
    model: str
    grammar: str
    language: str
    vocabulary: str
    index: int
    repeat: int
    seed: int
    operators: int
    measures: Mapping[str, float]
    formula: str
    trivial: str | None = None
    description: str | None = None
    answer: str | None = None
    translation: str | None = None
    outcome: str
    code: str
    compliant: bool | None = None
    recovered: bool | None = None
    leaked: bool | None = None
    witness: Mapping[str, Any] | None = None
    witness_text: str | None = None
    verdict_method: str | None = None
    verdict_seconds: float | None = None
    calls: tuple[Call, ...] = ()
    error: str | None = None

    task: str | None = None
    interface: str | None = None
    prompting: str | None = None
    variant: str | None = None
    form: str | None = None
    figures: str | None = None
    chance: float | None = None
    benchmark: str | None = None
    item: str | None = None
    sentence: str | None = None
    text: str | None = None
    trace: str | None = None
    other: str | None = None
    same_as: str | None = None
    expected: Any = None
    answered: Any = None
    le_score: float | None = None
    threshold: float | None = None
    agreement_gate: float | None = None
    reader: str | None = None
    copies: str | None = None
    incomparable: str | None = None
    ungated: str | None = None
    constrained: bool = False
    default_model: bool = False
    planned: int | None = None
    shrunk: bool = False
    shrunk_to: str | None = None
    unfinished: bool = False
    stopped_early: StoppedEarly | None = None
    shard: str | None = None
    shard_settings: str | None = None
    shrinking: Calls | None = None
    started: str | None = None
    #: The options of the command line that a command needs to ask about this sample again, without secrets.
    options: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> OutcomeKind:
        """How the outcome counts."""
        return outcome_named(self.outcome).kind

    @property
    def passed(self) -> bool:
        """Whether the sample passed; False for an undecided one."""
        return self.kind == OutcomeKind.PASS

    def value(self, key: str) -> Any:
        """The value of a key of the results file; None if the row does not have it."""
        name = KEYS.get(key)
        return self.facts.get(key) if name is None else getattr(self, name)

    def to_json(self) -> dict[str, Any]:
        """The row as in the results file, with its keys in order."""
        more = {key: value for key, name, default in _SOMETIMES if (value := getattr(self, name)) is not default}
        more |= {key: asdict(more[key]) for key in _OBJECTS if key in more}
        if self.options:
            more["options"] = list(self.options)
        more |= self.facts
        return {
            "schema_version": SCHEMA_VERSION,
            **{key: getattr(self, key) for key in ROW_KEYS[1:]},
            "calls": [{key: getattr(call, key) for key in CALL_KEYS} for call in self.calls],
            **{key: more[key] for key in sorted(more)},
        }

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Row:
        """The row with these values, by their keys in the file. Missing keys of every row become None.

        An optional key without a value stays in the facts, so that it is written again. Raises :class:`TypeError` if a
        key that is never null is missing.
        """
        known: dict[str, Any] = {}
        facts: dict[str, Any] = {}
        for key, value in values.items():
            name = KEYS.get(key)
            if name is None or value is _DEFAULTS.get(key, MISSING):
                facts[key] = value
            elif value is not None:
                known[name] = value
        return cls(**known, facts=facts)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Row:
        """The row that :meth:`to_json` wrote; see :meth:`of`."""
        values = {key: value for key, value in data.items() if key != "schema_version"}
        values["calls"] = tuple(Call(**call) for call in data.get("calls") or ())
        if data.get("options"):
            values["options"] = tuple(data["options"])
        values |= {key: kind(**data[key]) for key, kind in _OBJECTS.items() if data.get(key) is not None}
        return cls.of(values)


_NAMES = tuple(attribute.name for attribute in fields(Row) if attribute.name != "facts")
#: The keys of every row, in this order; other keys follow in alphabetical order.
ROW_KEYS = ("schema_version", *_NAMES[: _NAMES.index("error") + 1])
#: Those of them that are never null.
NEVER_NULL = tuple(
    attribute.name for attribute in fields(Row) if attribute.default is MISSING and attribute.default_factory is MISSING
)

#: The keys that hold an object.
_OBJECTS: Mapping[str, Callable[..., Any]] = {
    "stopped_early": StoppedEarly,
    "shrinking": Calls,
}
#: The keys of only some rows, each with its attribute and the default that is not written.
_SOMETIMES = tuple(
    ("way" if attribute.name == "prompting" else attribute.name, attribute.name, attribute.default)
    for attribute in fields(Row)
    if attribute.name not in ROW_KEYS and attribute.name != "facts"
)
_DEFAULTS = {key: default for key, _, default in _SOMETIMES}
#: The attribute of each key that is not a fact.
KEYS = {**{key: key for key in ROW_KEYS[1:]}, **{key: name for key, name, _ in _SOMETIMES}}


def counted(rows: Iterable[Row]) -> list[Row]:
    """The rows that count in rates. One that shrinking made does not: its formula was chosen because it failed."""
    return [row for row in rows if not row.shrunk]


def without_times(row: Row) -> Row:
    """The row without what differs between two equal runs: times, costs, whether a recording answered, and options,
    such as the address of a server.
    """
    calls = tuple(replace(call, cost=None, seconds=None, replayed=False, repeated=False) for call in row.calls)
    return replace(row, verdict_seconds=None, calls=calls, shrinking=None, started=None, options=())


PURPOSES = ("samples", "blame", "shrinking")


def spending(rows: Sequence[Row]) -> dict[str, Calls]:
    """The calls of some rows by purpose, also of rows that do not count in rates."""
    asked = [call for row in rows for call in row.calls]
    parts = (
        Calls.of(call for call in asked if call.stage != "blame"),
        Calls.of(call for call in asked if call.stage == "blame"),
        Calls.total(row.shrinking for row in rows if row.shrinking is not None),
    )
    return {purpose: calls for purpose, calls in zip(PURPOSES, parts, strict=True) if calls.number}


def together(parts: Iterable[Mapping[str, Calls]]) -> dict[str, Calls]:
    """The calls of several suites by purpose."""
    listed = list(parts)
    listed_parts = {what: [part[what] for part in listed if what in part] for what in PURPOSES}
    return {what: Calls.total(calls) for what, calls in listed_parts.items() if calls}


def calls_text(spent: Mapping[str, Calls]) -> str:
    """The calls in words: ``80 calls, 100.0 % replayed, 16,800 tokens in, 1,120 out (900 reasoning), $0.42``.

    Replayed calls were answered by a recording, repeated ones by an equal earlier call of the run.
    """
    calls = Calls.total(spent.values())
    parts = [count(calls.number, "call") + purposes_text(spent)]
    if calls.number:
        parts.append(f"{percent(calls.replayed / calls.number)} % replayed")
    if calls.repeated:
        parts.append(f"{percent(calls.repeated / calls.number)} % repeated")
    if calls.prompt_tokens is not None:
        parts.append(f"{calls.prompt_tokens:,} tokens in")
    if calls.completion_tokens is not None:
        thoughts = f" ({calls.reasoning_tokens:,} reasoning)" if calls.reasoning_tokens else ""
        parts.append(f"{calls.completion_tokens:,} out{thoughts}")
    if calls.cost is not None:
        parts.append(f"${calls.cost:.2f}" if calls.cost >= 0.01 or not calls.cost else "less than $0.01")
    return ", ".join(parts)


def purposes_text(spent: Mapping[str, Calls]) -> str:
    """The purposes of the calls, unless all were for samples: `` (140 calls for samples, 217 for shrinking)``."""
    if spent.keys() <= {"samples"}:
        return ""
    (first, calls), *others = spent.items()
    rest = "".join(f", {other.number:,} for {purpose}" for purpose, other in others)
    return f" ({count(calls.number, 'call')} for {first}{rest})"
