"""How the suites of two runs differ that are compared: what was asked otherwise, and what has no partner."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_autoeval.judging.item_groups import Paired
from pytest_autoeval.outcomes import Outcome, OutcomeKind
from pytest_autoeval.record.calls import Call
from pytest_autoeval.record.figure_sentences import joined, number, sentence
from pytest_autoeval.record.figures import Figure, Sentence
from pytest_autoeval.record.lines import Sample, Suite, SuiteRecord
from pytest_autoeval.record.suite_names import shown_prompts
from pytest_autoeval.text import one_line, shorten

#: Characters of a value in a sentence about two runs; a longer one is cut.
_LONGEST_VALUE = 60
#: How a suite was asked, by what is said if it differs. None is the default. Files of older releases do not say it.
_SETTINGS: dict[str, Callable[[Suite], object]] = {
    "the temperature differs": lambda suite: suite.temperature,
    "the length limit differs": lambda suite: suite.max_tokens,
    "the parameters differ": lambda suite: (
        _as_typed(suite.parameters_sent) if suite.parameters_sent else None
    ),
}


#: The endings of suites of which not all was asked.
_CUT_OFF = ("interrupted", "limit reached", "nothing verified")


def suites_in(record: SuiteRecord) -> list[SuiteRecord]:
    """The suites that the samples are of: several, if several runs are one baseline."""
    return list(dict.fromkeys(sample.suite for sample in record.samples))


def was_cut_off(suite: SuiteRecord) -> bool:
    """Whether the run of a suite ended before it had asked all of it."""
    return suite.end is None or suite.end.ended in _CUT_OFF


def _seeds(record: SuiteRecord) -> set[str]:
    return {str(sample.seed) for sample in record.regular}


def _grammars(record: SuiteRecord) -> set[str]:
    return {suite.asked.source for suite in suites_in(record)}


def _vocabularies(record: SuiteRecord) -> set[str]:
    return {suite.asked.vocabulary for suite in suites_in(record)}


#: What the formulas of a suite were drawn from. A seed changes all formulas, so it comes first.
DRAWN_FROM: Mapping[str, Callable[[SuiteRecord], set[str]]] = {
    "seed": _seeds,
    "grammar": _grammars,
    "vocabulary": _vocabularies,
}


def _asked(value_of: Callable[[Suite], str | None]) -> Callable[[SuiteRecord], set[str]]:
    """The values of a suite; none if a file of an older release does not say them."""

    def values_of(record: SuiteRecord) -> set[str]:
        suites = suites_in(record)
        is_known = all(suite.run.release for suite in suites)
        return {value_of(suite.asked) or "none" for suite in suites} if is_known else set()

    return values_of


_OTHER_PROMPTS = "other prompts"
#: By what a baseline may be one of another run, and how its suites say it. The verdict on the run names it.
_OF_ANOTHER_RUN: Mapping[str, Callable[[SuiteRecord], set[str]]] = {
    "another seed": _seeds,
    _OTHER_PROMPTS: _asked(lambda suite: shown_prompts(suite.prompts)),
    "another prompting": _asked(lambda suite: suite.prompting),
    "another interface": _asked(lambda suite: suite.form_of_prompt),
    "another reader": _asked(lambda suite: suite.reader),
}


def stopped_early(record: SuiteRecord) -> bool:
    """Whether a suite ended because its results had decided a gate."""
    return any(
        suite.end is not None and suite.end.ended == "stopped early" for suite in suites_in(record)
    )


def differences(
    now: SuiteRecord, before: SuiteRecord, pairs: Sequence[Paired]
) -> Iterator[Sentence]:
    """How the suites of two runs differ: what was asked otherwise comes first."""
    yield from _asked_otherwise(now, before)
    if now.asked.constrained != before.asked.constrained:
        answers = f"the answers of this run are {_form(now)}, those of the baseline {_form(before)}"
        yield Sentence(f"{answers}: the difference is what syntax costs")
    # A pair without an answer explains no difference of the rates.
    pairs = [pair for pair in pairs if pair.answered]
    changed = sum(_has_other_prompts(pair) for pair in pairs)
    if changed:
        yield sentence(
            "the prompts differ for {changed} of {formulas}",
            changed=number(changed, name="other prompts"),
            formulas=number(len(pairs), "formula"),
        )
    repeats_now = _repeats(pair.now for pair in pairs)
    repeats_before = _repeats(pair.before for pair in pairs)
    if repeats_now != repeats_before:
        yield _unlike("the repeats differ", _numbers(repeats_now), _numbers(repeats_before))
    for whose, suite in (("", now), (" of the baseline", before)):
        errors = sum(sample.kind == OutcomeKind.ERROR for sample in suite.regular)
        if errors:
            text = f"{{errors}}{whose} ended in an error, at worst as lost and at best as kept"
            yield sentence(text, errors=number(errors, "sample", name="errors"))
    undecided_now = _undecided(pair.now for pair in pairs)
    undecided_before = _undecided(pair.before for pair in pairs)
    if undecided_now or undecided_before:
        yield _unlike(
            "undecided, at worst as lost and at best as kept",
            number(undecided_now, name="undecided"),
            number(undecided_before, name="undecided"),
        )


def _form(suite: SuiteRecord) -> str:
    return "constrained" if suite.asked.constrained else "free"


def _undecided(items: Iterable[Sequence[Sample]]) -> int:
    """How many samples of some items are undecided."""
    return sum(sample.outcome == Outcome.UNDECIDED for samples in items for sample in samples)


def _unlike(
    difference: str, now: Figure | Sentence | str, before: Figure | Sentence | str
) -> Sentence:
    return sentence(f"{difference}: {{ours}} (baseline: {{theirs}})", ours=now, theirs=before)


def other_run(
    compared: Iterable[tuple[SuiteRecord, SuiteRecord]],
    *,
    lacks_suites: bool = False,
    of_equal_prompts: Container[int] = (),
) -> Sentence | None:
    """That the suites of a baseline are of another model, seed or variant, or of a run that was cut off.

    None if they are not. Each of these changes what a comparison means, and holds for all suites. So the run says it,
    and no suite. ``lacks_suites``: the run of the baseline was cut off before it asked other suites.
    ``of_equal_prompts`` are the numbers of the suites whose calls had equal prompts, whatever folder they name.
    """
    suites = list(compared)
    parts: list[Sentence] = []
    models = {before.model for now, before in suites if now.model != before.model}
    if models:
        parts.append(sentence("of another model ({model})", model=_text(models)))
    for what, values_of in _OF_ANOTHER_RUN.items():
        asked_otherwise = suites
        if what == _OTHER_PROMPTS:
            asked_otherwise = [pair for pair in suites if pair[0].number not in of_equal_prompts]
        other = _of_other(what, values_of, asked_otherwise, len(suites))
        if other is not None:
            parts.append(other)
    # Of several runs, all must have been cut off: else one of them may have what another lacks.
    is_partial = any(all(map(was_cut_off, suites_in(before))) for _, before in suites)
    if lacks_suites or is_partial:
        parts.append(Sentence("of a run that was cut off"))
    if not parts:
        return None
    return sentence("the baseline is {differences}", differences=joined(parts, " and "))


def _of_other(
    what: str,
    values_of: Callable[[SuiteRecord], set[str]],
    suites: Sequence[tuple[SuiteRecord, SuiteRecord]],
    of_all: int,
) -> Sentence | None:
    """That suites of the baseline were asked with other values: ``of another seed (1; this run: 0)``.

    ``of_all`` is the number of all suites that are compared.
    """
    ours, theirs = set[str](), set[str]()
    others = 0
    for now, before in suites:
        values_now, values_before = values_of(now), values_of(before)
        # A baseline of several seeds has the formulas of this run among its own.
        if values_now and values_before and values_now - values_before:
            others += 1
            ours |= values_now
            theirs |= values_before
    if not others:
        return None
    where = "" if others == of_all else " in {some} of {suites}"
    return sentence(
        f"of {what}{where} ({{theirs}}; this run: {{ours}})",
        theirs=_text(theirs),
        ours=_text(ours),
        some=number(others, name=f"suites of {what}"),
        suites=number(of_all, "suite"),
    )


def _asked_otherwise(now: SuiteRecord, before: SuiteRecord) -> Iterator[Sentence]:
    """What the two runs asked otherwise, without what `other_run` says."""
    if now.model == before.model:
        # A server that names no version says nothing about a change of it.
        version_now, version_before = _versions(now), _versions(before)
        if version_now and version_before and version_now != version_before:
            yield _unlike(
                "the version of the model differs", _text(version_now), _text(version_before)
            )
    for name, values_of in DRAWN_FROM.items():
        values_now, values_before = values_of(now), values_of(before)
        is_said_once = name == "seed" and bool(values_now - values_before)
        if values_now != values_before and not is_said_once:
            yield _unlike(f"the {name} differs", _text(values_now), _text(values_before))
    for difference, value_of in _SETTINGS.items():
        set_now, set_before = _settings(now, value_of), _settings(before, value_of)
        if set_now and set_before and set_now != set_before:
            yield _unlike(difference, set_now, set_before)


def _as_typed(parameters: dict[str, Any]) -> str:
    return json.dumps(parameters, ensure_ascii=False, sort_keys=True)


def _settings(record: SuiteRecord, value_of: Callable[[Suite], object]) -> str:
    """The values of a setting; empty if a file of an older release does not say it."""
    suites = suites_in(record)
    if not all(suite.run.release for suite in suites):
        return ""
    values = [value_of(suite.asked) for suite in suites]
    return _text("default" if value is None else str(value) for value in values)


def _versions(record: SuiteRecord) -> set[str]:
    """The versions of the model, as the server names them."""
    return {
        call.model for sample in record.regular for call in sample.calls if call.model is not None
    }


def why_not_comparable(now: SuiteRecord, before: SuiteRecord) -> Sentence | None:
    """Why two runs cannot be compared because of how they asked or treated equal answers; None if they can."""
    for which, record in (("this run", now), ("the baseline", before)):
        reasons = sorted(
            {suite.asked.incomparable for suite in suites_in(record) if suite.asked.incomparable}
        )
        if reasons:
            return sentence(
                f"{which} is of an older release: {{reasons}}", reasons="; ".join(reasons)
            )
    # Equal answers that copy the formula may pass in one run and fail in the other.
    copies_now, copies_before = _treated_copies(now), _treated_copies(before)
    if copies_now and copies_before and copies_now != copies_before:
        text = "this run has copies={ours}, and the baseline copies={theirs} (--autoeval-copies)"
        return sentence(
            text, ours="/".join(sorted(copies_now)), theirs="/".join(sorted(copies_before))
        )
    return None


def _treated_copies(record: SuiteRecord) -> set[str]:
    """What descriptions that copy the formula are; empty if no description was examined."""
    examined = [sample for sample in record.regular if sample.leaked is not None]
    # Suites of older releases do not say it: then equal answers counted as any other.
    return {sample.suite.asked.copies or "count" for sample in examined}


def _has_other_prompts(pair: Paired) -> bool:
    """Whether the prompts of an item differ from those of a run of the baseline."""
    # Reversed, so that the first sample of each run stays in the dict.
    of_runs = {sample.suite: sample for sample in reversed(pair.before)}
    return any(_prompts_differ(pair.now[0], sample) for sample in of_runs.values())


def sent_equal_prompts(pairs: Iterable[Paired]) -> bool:
    """Whether the calls show that both runs asked a suite with equal prompts.

    A run with one folder of prompts names it for each suite, also for one that has no prompt in it. False if a kind of
    call cannot be compared, such as the second calls if all descriptions differ.
    """
    stages, compared_stages = set[str](), set[str]()
    for pair in pairs:
        if not pair.answered:
            continue
        now, before = pair.now[0], pair.before[0]
        stages |= {call.stage for call in now.calls}
        for call_now, call_before in _comparable_calls(now, before):
            if _sent_differently(call_now, call_before):
                return False
            if call_now.prompt_digest and call_before.prompt_digest:
                compared_stages.add(call_now.stage)
    return bool(stages) and stages <= compared_stages


def _prompts_differ(now: Sample, before: Sample) -> bool:
    """Whether the prompts differed."""
    return any(
        _sent_differently(call_now, call_before)
        for call_now, call_before in _comparable_calls(now, before)
    )


def _comparable_calls(now: Sample, before: Sample) -> Iterator[tuple[Call, Call]]:
    """The calls of two samples of one item whose prompts can be compared.

    The second calls contain the answers to the first, so they are compared only if these answers are equal.
    """
    same_text = now.description is not None and now.description == before.description
    both_have_two = len(now.calls) == len(before.calls) == 2
    # Of more calls, such as those of a correction, nobody knows which of one run is that of the other.
    comparable = 2 if same_text and both_have_two else 1
    return zip(now.calls[:comparable], before.calls[:comparable], strict=False)


def _sent_differently(now: Call, before: Call) -> bool:
    """Whether two calls sent different messages. A call without a digest counts as equal."""
    if now.stage != before.stage:
        return True
    digests = now.prompt_digest, before.prompt_digest
    return all(digests) and digests[0] != digests[1]


def _repeats(items: Iterable[Sequence[Sample]]) -> list[int]:
    return sorted({len(samples) for samples in items})


def _numbers(counts: Sequence[int]) -> Sentence:
    return joined((sentence("{repeats}", repeats=number(n, name="repeats")) for n in counts), ", ")


def _text(values: Iterable[str]) -> str:
    return shorten(one_line(", ".join(sorted(set(values)))), _LONGEST_VALUE)
