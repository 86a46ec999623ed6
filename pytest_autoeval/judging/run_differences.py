"""How the suites of two runs differ that are compared: what was asked otherwise, and what has no partner."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from pytest_autoeval.judging.items import Paired
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.figure_sentences import joined, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, Suite, SuiteRecord
from pytest_autoeval.text import one_line, shorten

_LONGEST_VALUE = 60
#: How a suite was asked, by what is said if it differs. None is the default. Files of older releases do not say it.
_SETTINGS: dict[str, Callable[[Suite], object]] = {
    "the temperature differs": lambda asked: asked.temperature,
    "the length limit differs": lambda asked: asked.max_tokens,
    "the parameters differ": lambda asked: (
        _as_typed(asked.parameters_sent) if asked.parameters_sent else None
    ),
    "the folders of prompts differ": lambda asked: ", ".join(asked.prompts) or None,
}


def suites_in(whole: SuiteRecord) -> list[SuiteRecord]:
    """The suites that the samples are of: several, if several runs are one baseline."""
    return list(dict.fromkeys(sample.suite for sample in whole.samples))


def stopped_early(whole: SuiteRecord) -> bool:
    """Whether a suite ended because its results had decided a gate."""
    return any(
        suite.end is not None and suite.end.ended == "stopped early" for suite in suites_in(whole)
    )


def differences(
    here: SuiteRecord, there: SuiteRecord, pairs: Sequence[Paired]
) -> Iterator[Sentence]:
    """How the suites of two runs differ: what was asked otherwise comes first."""
    yield from _asked_otherwise(here, there)
    if here.asked.constrained != there.asked.constrained:
        ours, theirs = (
            "constrained" if suite.asked.constrained else "free" for suite in (here, there)
        )
        answers = f"the answers of this run are {ours}, those of the baseline {theirs}"
        yield Sentence(f"{answers}: the difference is what syntax costs")
    pairs = [pair for pair in pairs if pair.answered]
    if changed := sum(_has_other_prompts(pair) for pair in pairs):
        yield sentence(
            "the prompts differ for {changed} of {formulas}",
            changed=number(changed, name="other prompts"),
            formulas=number(len(pairs), "formula"),
        )
    repeats = [_repeats(pair.here for pair in pairs), _repeats(pair.there for pair in pairs)]
    if repeats[0] != repeats[1]:
        yield _unlike("the repeats differ", *(_numbers(counts) for counts in repeats))
    for whose, suite in (("", here), (" of the baseline", there)):
        if errors := sum(sample.kind == OutcomeKind.ERROR for sample in suite.regular):
            text = f"{{errors}}{whose} ended in an error, at worst as lost and at best as kept"
            yield sentence(text, errors=number(errors, "sample", name="errors"))
    sides = zip(*((pair.here, pair.there) for pair in pairs), strict=True)
    undecided = [
        sum(sample.outcome == Outcome.UNDECIDED for tried in side for sample in tried)
        for side in sides
    ]
    if any(undecided):
        yield _unlike(
            "undecided, at worst as lost and at best as kept",
            *(number(n, name="undecided") for n in undecided),
        )


def _unlike(what: str, ours: Figure | Sentence | str, theirs: Figure | Sentence | str) -> Sentence:
    return sentence(f"{what}: {{ours}} (baseline: {{theirs}})", ours=ours, theirs=theirs)


def seeds(suite: SuiteRecord) -> set[str]:
    """The seeds that the formulas of a suite were drawn from."""
    return {str(sample.seed) for sample in suite.regular}


def _asked_otherwise(here: SuiteRecord, there: SuiteRecord) -> Iterator[Sentence]:
    """What the two runs asked otherwise."""
    if here.model != there.model:
        yield sentence("compared with another model: {model}", model=_text([there.model]))
    versions = [_versions(suite) for suite in (here, there)]
    if here.model == there.model and all(versions) and versions[0] != versions[1]:
        yield _unlike("the version of the model differs", *map(_text, versions))
    drawn: dict[str, Callable[[SuiteRecord], set[str]]] = {
        "seed": seeds,
        "grammar": lambda suite: {each.asked.source for each in suites_in(suite)},
        "vocabulary": lambda suite: {each.asked.vocabulary for each in suites_in(suite)},
    }
    for name, values_of in drawn.items():
        ours, theirs = _text(values_of(here)), _text(values_of(there))
        if ours != theirs:
            differs = _unlike(f"the {name} differs", ours, theirs)
            same_seed = Sentence("equal seeds draw equal formulas") if name == "seed" else None
            yield joined([differs, same_seed])
    for difference, value_of in _SETTINGS.items():
        ours, theirs = (_settings(suite, value_of) for suite in (here, there))
        if ours and theirs and ours != theirs:
            yield _unlike(difference, ours, theirs)


def _as_typed(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, ensure_ascii=False, sort_keys=True)


def _settings(whole: SuiteRecord, value_of: Callable[[Suite], object]) -> str:
    """The values of a setting; empty if a file of an older release does not say it."""
    suites = suites_in(whole)
    if not all(suite.run.release for suite in suites):
        return ""
    values = [value_of(suite.asked) for suite in suites]
    return _text("default" if value is None else str(value) for value in values)


def _versions(whole: SuiteRecord) -> set[str]:
    """The versions of the model, as the server names them."""
    return {
        call.model for sample in whole.regular for call in sample.calls if call.model is not None
    }


def why_not_comparable(here: SuiteRecord, there: SuiteRecord) -> Sentence | None:
    """Why two runs cannot be compared because of how they asked or treated equal answers; None if they can."""
    for which, whole in (("this run", here), ("the baseline", there)):
        reasons = sorted(
            {suite.asked.incomparable for suite in suites_in(whole) if suite.asked.incomparable}
        )
        if reasons:
            return sentence(
                f"{which} is of an older release: {{reasons}}", reasons="; ".join(reasons)
            )
    ours, theirs = _treated_copies(here), _treated_copies(there)
    if ours and theirs and ours != theirs:
        text = "this run has copies={ours}, and the baseline copies={theirs} (--autoeval-copies)"
        return sentence(text, ours="/".join(sorted(ours)), theirs="/".join(sorted(theirs)))
    return None


def _treated_copies(whole: SuiteRecord) -> set[str]:
    """What descriptions that copy the formula are; empty if no description was examined."""
    return {
        sample.suite.asked.copies or "count"
        for sample in whole.regular
        if sample.leaked is not None
    }


def _has_other_prompts(pair: Paired) -> bool:
    """Whether the prompts of an item differ from those of a run of the baseline."""
    of_runs = {sample.suite: sample for sample in reversed(pair.there)}
    return any(_prompts_differ(pair.here[0], first) for first in of_runs.values())


def _prompts_differ(here: Sample, there: Sample) -> bool:
    """Whether the prompts differed.

    The first calls show it. The second calls contain the answers to the first, so they are compared only if these
    answers are equal.
    """
    same_text = here.description is not None and here.description == there.description
    shown = 2 if same_text and len(here.calls) == len(there.calls) == 2 else 1
    return any(map(_differ, here.calls[:shown], there.calls[:shown]))


def _differ(call: Call, other: Call) -> bool:
    """Whether two calls sent different messages. A call without a digest counts as equal."""
    digests = call.prompt_digest, other.prompt_digest
    return call.stage != other.stage or (all(digests) and digests[0] != digests[1])


def _repeats(items: Iterable[Sequence[Sample]]) -> list[int]:
    return sorted({len(samples) for samples in items})


def _numbers(counts: Sequence[int]) -> Sentence:
    return joined((sentence("{repeats}", repeats=number(n, name="repeats")) for n in counts), ", ")


def _text(values: Iterable[str]) -> str:
    return shorten(one_line(", ".join(sorted(set(values)))), _LONGEST_VALUE)
