"""Makes the sample of a trial, as it stands in the results: what was asked, what came back, how it ended."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from pytest_autoeval.engine.bodies import TrialResult, plain_text
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.drawing import trivial_kind
from pytest_autoeval.generation.samples import Sample as Drawn
from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import NoFormula
from pytest_autoeval.outcomes import Outcome, outcome_named
from pytest_autoeval.record.lines import Counts, Sample, SuiteRecord
from pytest_autoeval.record.task_parts import Translated
from pytest_autoeval.tasks.given import parts_of
from pytest_autoeval.tasks.trial import Trial

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
        for made in (self._of_formula, _of_verdict):
            try:
                values |= made(result.trial)
            except UnwritableError as problem:
                problems.append(str(problem))
        if problems:
            result = TrialResult(result.trial, Outcome.ERROR, AutoevalError("; ".join(problems)))
        trial, drawn = result.trial, result.sample
        spans = _differences(trial, drawn) if result.outcome == Outcome.DIFFERENT else {}
        if trial.chance:
            values["chance"] = trial.chance
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
        drawn: Drawn = trial.about  # type: ignore[assignment]  # a suite's trial
        lang = language(drawn.language)
        if isinstance(drawn.formula, NoFormula):
            described = trial.described
            trivial = None if described is None else trivial_kind(described, lang)
            return {"measures": {"words": drawn.operators}, "trivial": trivial}
        if drawn.text not in self._measured:
            measures = _written(dict(lang.measure(drawn.formula)), dict[str, float], f"measures of {lang.name}")
            trivial = trivial_kind(drawn.formula, lang, drawn.vocabulary.alphabet)
            self._measured[drawn.text] = measures, trivial
        measures, trivial = self._measured[drawn.text]
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


def _written(value: Any, kind: Any, what: str) -> Any:
    """The value, if it would be read again from a file; raises :class:`UnwritableError`."""
    try:
        msgspec.json.decode(msgspec.json.encode(value), type=kind)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as problem:
        raise UnwritableError(f"the {what} cannot be written: {problem}") from None
    return value


def _differences(trial: Trial, drawn: Drawn) -> Spans:
    """Where the formula that was read differs from the sample's, as spans in both texts; empty if this is not known.

    A formula over the model's own names is compared under its alignment, which spans in its text cannot show.
    """
    lang, read = language(drawn.language), trial.read
    translated = trial.parts.of(Translated)
    alignment = None if translated is None else translated.alignment
    renamed = alignment not in (None, UNSET) and any(ours != theirs for theirs, ours in alignment or ())
    if read is None or renamed or not lang.owns(read):
        return {}
    spans = lang.differences(drawn.formula, read)
    marked = {
        name: tuple((start, end) for start, end in spans_of_text)
        for name, spans_of_text in zip(("formula", "translation"), spans, strict=True)
    }
    return marked if any(marked.values()) else {}
