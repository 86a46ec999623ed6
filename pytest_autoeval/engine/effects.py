"""Which options have no effect in a run: each option declares what it needs, and each suite shows what it has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from pytest_autoeval.engine.bodies import TrialResult
from pytest_autoeval.engine.option_values import Need
from pytest_autoeval.engine.settings import OPTIONS, Settings, shown_name
from pytest_autoeval.engine.suite import Suite


def needs_met(suite: Suite, results: Sequence[TrialResult], settings: Settings) -> frozenset[Need]:
    """What a suite that has run offers to the options."""
    trials = [result.trial for result in results]
    target, source = suite.target, suite.source
    uses_prompts = any(trial.uses_prompts for trial in trials)
    is_drawn = source.can_shrink or source.default_count is not None
    # A suite with an equal value of its own counts too: here it looks like one that has the value of the option.
    has_common_threshold = suite.threshold is not None and suite.threshold == settings.threshold
    has_common_agreement = suite.agreement is not None and suite.agreement == settings.agreement
    offered: dict[Need, bool] = {
        "a round trip": any(trial.described is not None for trial in trials),
        "another model that reads the descriptions in a round trip": bool(target.reader),
        "drawn formulas": is_drawn and not settings.formula,
        "samples that are not given by --autoeval-formula": not settings.formula,
        "sentences in other words": settings.paraphrases_of(suite.task) > 0,
        "a suite that takes data from files": source.is_users_data,
        "a prompt of a task or of a round trip": uses_prompts,
        "a task or a round trip with this form of its prompt": uses_prompts
        and target.interface in settings.interface,
        "a description of a formula": any(trial.leaked is not None for trial in trials),
        "answers that can be constrained": target.constrained,
        "a suite without a threshold of its own": has_common_threshold,
        "a suite with a threshold": suite.threshold is not None,
        "a suite of sentences without an agreement of its own": has_common_agreement,
        "a verdict of the verifier": any(trial.verdict is not None for trial in trials),
        "a call to a model": any(trial.calls for trial in trials),
    }
    return frozenset(need for need, is_offered in offered.items() if is_offered)


def own_prompts(results: Iterable[TrialResult]) -> frozenset[str]:
    """The files of the user's prompts that a suite used."""
    return frozenset(str(file) for result in results for file in result.trial.own_prompts)


def without_effect(
    settings: Settings, met: Collection[Need], prompts: Collection[str]
) -> Iterator[str]:
    """The typed options that had no effect, each with what it needs.

    ``met`` is what the run has, and ``prompts`` are the files of the user's prompts that it used. An option of the ini
    file is for all runs of a project, and so may be idle in one.
    """
    for name in settings.typed:
        need = OPTIONS[name].needs
        if need == "that model in the run":
            idle = [
                model
                for model, *_ in settings.price
                if model not in (*settings.model, *settings.reader)
            ]
            yield from (f"{shown_name(name)}={model}=… (it needs {need})" for model in idle)
        elif need and need not in met:
            yield f"{shown_name(name)} (it needs {need})"
    if "prompts" in settings.typed:
        for folder in settings.prompts:
            if not any(Path(file).is_relative_to(folder) for file in prompts):
                yield f"{shown_name('prompts')}={folder.name} (none of its prompts is used)"
