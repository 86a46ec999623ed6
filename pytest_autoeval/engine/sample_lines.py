"""Makes the sample of a trial, as it stands in the results: what was asked, what came back, how it ended.

The facts of its item are a part of it, beside those that a task or a feature added.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from contextlib import suppress
from typing import Any, cast

import msgspec
from msgspec import UNSET

from pytest_autoeval.engine.bodies import TrialResult, plain_text
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import Sample as Drawn
from pytest_autoeval.languages import Formula, language
from pytest_autoeval.languages.base import NoFormula, VerdictOutcome
from pytest_autoeval.languages.contract import trivial_kind
from pytest_autoeval.outcomes import Outcome, outcome_named
from pytest_autoeval.record.lines import Counts, Sample, SuiteRecord
from pytest_autoeval.record.sample_parts import PartError, Parts, check_part, encoding_problem
from pytest_autoeval.record.task_parts import GIVEN, Given, Translated
from pytest_autoeval.record.whole_types import whole_type
from pytest_autoeval.tasks.trial import Trial

#: The largest number of formulas that one is compared with, so that the work stays linear.
_MOST_COMPARED = 8

Spans = dict[str, tuple[tuple[int, int], ...]]


class UnwritableError(AutoevalError):
    """A value of a sample cannot be written to a results file."""


class SampleMaker:
    """Makes the samples of one suite."""

    def __init__(self, suite: SuiteRecord) -> None:
        self._suite = suite
        #: Measures and triviality of formulas by their texts.
        self._measured: dict[str, tuple[dict[str, float], str | None]] = {}

    def sample(
        self, result: TrialResult, *, same_as: str | None = None, counts: Counts = "yes"
    ) -> tuple[TrialResult, Sample]:
        """The sample of one trial, which was not added to its suite yet, with the result.

        If a part or a value cannot be written, it is left out, and the result is an error that names it.
        ``same_as`` is an earlier formula that means the same.
        """
        parts, problems = parts_of(result.trial)
        values: dict[str, Any] = {}
        for values_of in (self._of_formula, _of_verdict):
            try:
                values |= values_of(result.trial)
            except UnwritableError as problem:
                problems.append(str(problem))
        if problems:
            result = TrialResult(result.trial, Outcome.ERROR, AutoevalError("; ".join(problems)))
        trial, drawn = result.trial, result.sample
        spans = _differences(trial, drawn) if result.outcome == Outcome.DIFFERENT else {}
        if trial.chance:
            values["chance"] = trial.chance
        # An equal paraphrase asks nothing new, and its sample would count twice.
        if counts == "yes" and trial.repeats_question:
            counts = "equal paraphrase"
        sample = Sample(
            suite=self._suite,
            size=drawn.operators,
            index=drawn.index,
            repeat=trial.repeat,
            paraphrase=trial.paraphrase,
            seed=drawn.seed,
            formula=drawn.text,
            same_as=same_as,
            description=trial.description,
            description_read=trial.description_read,
            answer=trial.answer,
            translation=trial.translation,
            compared=trial.compared,
            compared_with=trial.compared_with,
            outcome=result.outcome,
            code=outcome_named(result.outcome).code,
            compliant=trial.compliant,
            recovered=trial.recovered,
            leaked=trial.leaked,
            differences=spans or None,
            calls=tuple(trial.calls),
            error=plain_text(result.raised),
            counts=counts,
            parts=parts,
            **values,
        )
        return result, sample

    def _of_formula(self, trial: Trial) -> dict[str, Any]:
        """What depends on the formula alone: its measures and its triviality."""
        drawn = cast("Drawn", trial.about)
        lang = language(drawn.language)
        if isinstance(drawn.formula, NoFormula):
            described = trial.described
            trivial = None if described is None else trivial_kind(described, lang)
            return {"measures": {"words": drawn.operators}, "trivial": trivial}
        text = drawn.text
        # Repeats ask about one formula several times.
        if text not in self._measured:
            measured = dict(lang.measure(drawn.formula))
            trivial = trivial_kind(drawn.formula, lang, drawn.vocabulary.alphabet)
            self._measured[text] = (
                _written(measured, dict[str, float], f"measures of {lang.name}"),
                trivial,
            )
        measures, trivial = self._measured[text]
        return {"measures": measures, "trivial": trivial}


def _of_verdict(trial: Trial) -> dict[str, Any]:
    verdict = trial.verdict
    if verdict is None:
        return {}
    values: dict[str, Any] = {"verdict_method": verdict.method, "verdict_seconds": verdict.seconds}
    if verdict.witness is not None:
        values["witness"] = _written(dict(verdict.witness.to_json()), dict[str, Any], "witness")
        values["witness_text"] = str(verdict.witness)
    return values


def _written(value: Any, kind: Any, description: str) -> Any:
    """The value, if it would be read again from a file; raises :class:`UnwritableError`."""
    try:
        msgspec.json.decode(msgspec.json.encode(value), type=kind)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as problem:
        raise UnwritableError(f"the {description} cannot be written: {problem}") from None
    return value


def _differences(trial: Trial, drawn: Drawn) -> Spans:
    """Where the formula that was read differs from the sample's, as spans in both texts; empty if this is not known.

    If the test compared others, the differences of these two do not count. A formula over the model's own names is
    compared under its alignment, which spans in its text cannot show.
    """
    lang, read = language(drawn.language), trial.read
    translated = trial.parts.of(Translated)
    alignment = None if translated is None else translated.alignment
    renamed = alignment not in (None, UNSET) and any(
        drawn_name != read_name for read_name, drawn_name in alignment or ()
    )
    compared_others = trial.compared is not None or trial.compared_with is not None
    if read is None or compared_others or renamed or not lang.owns(read):
        return {}
    spans = lang.differences(drawn.formula, read)
    marked = {
        name: tuple((start, end) for start, end in spans_of_text)
        for name, spans_of_text in zip(("formula", "translation"), spans, strict=True)
    }
    return marked if any(marked.values()) else {}


def given_part(facts: Mapping[str, Any]) -> Given | None:
    """What the facts of an item say, those that only a data set of your own has in ``more``; None without any.

    Raises `AutoevalError` if a fact has another type than in all data sets, or cannot be written.
    """
    if not facts:
        return None
    if not encoding_problem(dict(facts)):
        with suppress(msgspec.ValidationError, PartError):
            return _converted(facts)
    # Only now one by one, which takes ten times as long: all wrong facts are named at once.
    problems = {key: _problem_of(key, value) for key, value in facts.items()}
    named = "; ".join(f"{key}: {problem}" for key, problem in problems.items() if problem)
    raise AutoevalError(f"a fact of the sample cannot be written: {named}")


def _converted(facts: Mapping[str, Any]) -> Given:
    """The part of facts that can be encoded; raises `ValidationError` or `PartError`."""
    shared_facts = {key: value for key, value in facts.items() if key in GIVEN}
    own_facts = {key: value for key, value in facts.items() if key not in GIVEN}
    # A tuple or an enumeration stands for its plain values.
    facts_part = msgspec.convert(
        msgspec.to_builtins({**shared_facts, "more": own_facts}), whole_type(Given)
    )
    return cast("Given", check_part(facts_part))


def _problem_of(key: object, value: Any) -> str:
    """Why a fact cannot be written; empty if it can be."""
    if not isinstance(key, str):
        return "the name of a fact is a text"
    if problem := encoding_problem(value):
        return problem
    try:
        _converted({key: value})
    except msgspec.ValidationError as error:
        return str(error).replace(f" - at `$.{key}`", "").replace(f"`$.{key}", "`$")
    except PartError:
        return "the keys of a dict are texts"
    return ""


def parts_of(trial: Trial) -> tuple[Parts, list[str]]:
    """All parts of the sample of a trial, and what cannot be written and is left out.

    They are `Given`, from the facts of its item, and those that were added. A task that knows the right answer only
    itself adds a `Given` of its own, whose fields count.
    """
    facts: Mapping[str, Any] = getattr(trial.subject, "facts", {})
    problems = []
    try:
        facts_part = given_part(facts)
    except AutoevalError as problem:
        problems.append(str(problem))
        facts_part = given_part(
            {key: value for key, value in facts.items() if not _problem_of(key, value)}
        )
    if facts_part is None:
        return trial.parts, problems
    own = trial.part(Given)
    if own is not None:
        facts_part = _joined(facts_part, own)
    added_parts = [
        added_part for added_part in trial.parts.values() if not isinstance(added_part, Given)
    ]
    return Parts([facts_part, *added_parts]), problems


def _joined(item_facts: Given, own: Given) -> Given:
    """The facts of an item, with those that a task set itself."""
    unset = Given()
    # A field with its default says nothing, and must not hide a fact of the item.
    names = [name for name in Given.__struct_fields__ if getattr(own, name) != getattr(unset, name)]
    changes = {name: getattr(own, name) for name in names}
    return msgspec.structs.replace(
        item_facts, **{**changes, "more": {**item_facts.more, **own.more}}
    )


class Meanings:
    """The formulas of a suite by meaning. The order of the calls decides which of them is the first.

    Formulas with the same fingerprint are compared with a fixed amount of work. Undecided pairs count as different.
    """

    def __init__(self) -> None:
        self._firsts: defaultdict[Hashable, list[Formula]] = defaultdict(list)
        self._known: dict[str, str | None] = {}

    def earlier(self, sample: Drawn) -> str | None:
        """The first formula with the same meaning as a sample's, if it is another one."""
        if sample.text not in self._known:
            self._known[sample.text] = self._compared(sample)
        return self._known[sample.text]

    def _compared(self, sample: Drawn) -> str | None:
        lang = language(sample.language)
        firsts = self._firsts[lang.fingerprint(sample.formula)]
        for candidate in firsts[:_MOST_COMPARED]:
            if lang.decide_briefly(sample.formula, candidate).outcome == VerdictOutcome.EQUIVALENT:
                return lang.format(candidate)
        firsts.append(sample.formula)
        return None
