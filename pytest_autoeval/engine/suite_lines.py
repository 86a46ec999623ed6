"""Makes the line of a suite, as it stands in the results: what is asked, of whom, and what it must reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_autoeval.by_name import added
from pytest_autoeval.engine.settings import Settings
from pytest_autoeval.engine.suite import Suite
from pytest_autoeval.engine.suite_files import shown_folder
from pytest_autoeval.outcomes import SampleOutcome
from pytest_autoeval.record import lines
from pytest_autoeval.record.own_outcomes import OwnOutcome

if TYPE_CHECKING:
    from pytest_autoeval.generation.samples import Sample


def suite_line(  # noqa: PLR0913 - a suite, and what only its run knows
    suite: Suite,
    settings: Settings,
    *,
    test: str,
    samples: Sequence[Sample] = (),
    prompts: Iterable[Path] = (),
    empty_sizes: Sequence[int] = (),
    planned: int = 0,
    looks: int = 0,
) -> lines.Suite:
    """The line of a suite with these samples.

    ``test`` is the id of its test, ``prompts`` are the folders of the user's prompts, that of the variant first,
    ``empty_sizes`` the requested sizes without a sample, ``planned`` is the number of trials of all parts, and
    ``looks`` that of planned looks.
    """
    # Imported here: what collects suites needs no model.
    from pytest_autoeval.models.redaction import masked

    target, task = suite.target, suite.task
    # Only a description of a formula can copy it.
    describes = task is None or task.takes_paraphrases
    # Typed formulas have sizes of their own, which may not be among those of the marker.
    typed_sizes = tuple(sorted({sample.operators for sample in samples}))
    return lines.Suite(
        number=suite.number,
        name=suite.name,
        function=suite.function,
        parameters=suite.parameters or "",
        variant=target.label,
        test=test,
        model=target.model,
        default_model=not settings.model_named,
        reader=target.reader or None,
        interface=target.interface or None,
        prompting=str(target.prompting),
        constrained=target.constrained,
        prompts=tuple(shown_folder(folder, settings.folder) for folder in prompts),
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        # They may have secrets, such as headers.
        parameters_sent=masked(dict(settings.parameters or {})),
        api_seeds=settings.api_seeds or (),
        language=_names(sample.language for sample in samples) or suite.source.language,
        source=_names(sample.grammar for sample in samples) or suite.source.name,
        vocabulary=_names(sample.vocabulary_name for sample in samples),
        task=None if task is None else task.name,
        form=None if task is None else task.form,
        figures=None if task is None else task.figures or None,
        benchmark=None if task is None else task.benchmark or None,
        copies=suite.copies if describes else None,
        sizes=typed_sizes if settings.formula else suite.sizes,
        empty_sizes=tuple(empty_sizes),
        planned=planned,
        given_formulas=bool(settings.formula),
        looks=looks,
        threshold=suite.threshold,
        threshold_by=suite.threshold_by,
        agreement=suite.agreement,
        collisions=suite.collisions,
        outcomes=tuple(map(_declared, added("outcome").values())),
    )


def _declared(outcome: SampleOutcome) -> OwnOutcome:
    return OwnOutcome(
        name=outcome.name,
        code=outcome.code,
        kind=str(outcome.kind),  # type: ignore[arg-type]  # no pass: `check_own_outcome`
        title=outcome.title,
        meaning=outcome.meaning,
        causes=outcome.causes,
        advice=outcome.advice,
        about=outcome.about,
        answer_read=outcome.answer_read,
    )


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))
