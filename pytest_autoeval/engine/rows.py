"""Makes the row of a sample: what was asked, what came back, how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pytest_autoeval.engine.bodies import TrialResult, plain_text
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.sources import settings_digest
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.generation.drawing import trivial_kind
from pytest_autoeval.generation.samples import Sample
from pytest_autoeval.languages import language
from pytest_autoeval.languages.base import NoFormula
from pytest_autoeval.outcomes import Outcome, outcome_named
from pytest_autoeval.reporting.row import Call, Row
from pytest_autoeval.tasks.trial import Trial

#: The keys of a row that only the run may write.
_OF_THE_RUN = (
    *("shrunk", "shrunk_to", "planned", "unfinished", "stopped_early", "same_as"),
    *("shard", "shard_settings", "reader", "constrained", "agreement_gate"),
    *("sizes_without_samples", "differences", "started", "incomparable", "ungated", "run_suites", "run_not_collected"),
)


class RowMaker:
    """Makes the rows of one suite. ``empty_sizes`` are requested sizes without any sample."""

    def __init__(self, suite: Suite, test: str, settings: Settings) -> None:
        self.empty_sizes: Sequence[int] = ()
        self._suite, self._settings = suite, settings
        self._facts: dict[str, dict[str, Any]] = {}
        self._alike: dict[str, Any] = {
            "suite": suite.name,
            "test": test,
            "variant": suite.target.label,
            "default_model": not settings.model_named,
        }
        if suite.target.constrained:
            self._alike["constrained"] = True
        if suite.agreement is not None:
            self._alike["agreement_gate"] = suite.agreement
        if settings.shard is not None:
            self._alike |= {"shard": settings.part, "shard_settings": settings_digest(settings)}

    def row(self, result: TrialResult, *, without: Iterable[str] = (), **more: Any) -> Row:
        """The row of one trial, ``without`` some facts. docs/reference/results.md describes every key."""
        trial, sample = result.trial, result.sample
        facts = {**getattr(sample, "facts", {}), **trial.findings()}
        for key in (*_OF_THE_RUN, *without):
            facts.pop(key, None)
        facts |= {key: getattr(sample, key) for key in ("grammar", "language", "index", "seed", "operators")}
        facts |= self._of_formula(sample) | self._alike | more
        if isinstance(sample.formula, NoFormula) and trial.described is not None:
            facts["trivial"] = trivial_kind(trial.described, language(sample.language))
        if self.empty_sizes:
            facts["sizes_without_samples"] = list(self.empty_sizes)
        if trial.reader is not None:
            facts["reader"] = trial.reader.name
        if result.outcome == Outcome.DIFFERENT and (spans := _differences(trial, sample)):
            facts["differences"] = spans
        facts |= {
            "model": trial.model.name,
            "vocabulary": sample.vocabulary_name,
            "repeat": trial.repeat,
            "formula": sample.text,
            "outcome": result.outcome,
            "code": outcome_named(result.outcome).code,
            "way": trial.prompts.prompting,
            "calls": tuple(Call(**call) for call in trial.calls),
            "error": plain_text(result.raised),
        }
        return Row.of(facts)

    def _of_formula(self, sample: Sample) -> dict[str, Any]:
        """The part of a row that depends on the formula alone: its measures and its triviality."""
        if isinstance(sample.formula, NoFormula):
            return {"measures": {"words": sample.operators}, "trivial": None}
        if sample.text not in self._facts:
            lang = language(sample.language)
            trivial = trivial_kind(sample.formula, lang, sample.vocabulary.alphabet)
            self._facts[sample.text] = {"measures": dict(lang.measure(sample.formula)), "trivial": trivial}
        return self._facts[sample.text]


def _differences(trial: Trial, sample: Sample) -> dict[str, list[list[int]]]:
    """Where the formula that was read differs from the sample's, as spans in both texts; empty if this is not known.

    A formula over the model's own names is compared under its alignment, which spans in its text cannot show.
    """
    lang, read = language(sample.language), trial.read
    renamed = any(ours != theirs for theirs, ours in trial.notes.get("alignment") or ())
    if read is None or renamed or not lang.owns(read):
        return {}
    spans = lang.differences(sample.formula, read)
    marked = {key: [list(span) for span in some] for key, some in zip(("formula", "translation"), spans, strict=True)}
    return marked if any(marked.values()) else {}
