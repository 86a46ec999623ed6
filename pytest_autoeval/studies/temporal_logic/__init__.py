"""Six tasks about temporal logic: propositions, well-formed strings, translation, and traces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    from pytest_autoeval.datasets.catalogue import ShippedDataSet
    from pytest_autoeval.studies.temporal_logic import (
        exercises,
        figures,
        propositions,
        questions,
        translation,
    )

    registry.add_task(propositions.PROPOSITIONS)
    registry.add_task(questions.WELL_FORMED)
    registry.add_task(questions.JUDGE_TRACE)
    registry.add_task(questions.WRITE_TRACE)
    registry.add_task(translation.TRANSLATE)
    registry.add_task(translation.TRANSLATE_PAST)
    registry.add_task(translation.TRANSLATE_SENTENCE)

    registry.add_figures(figures.extraction, "extraction")
    registry.add_figures(figures.translations, "translation")
    registry.add_figures(figures.judged_traces, "judged traces")
    registry.add_figures(figures.well_formedness, "well-formedness")
    registry.add_figures(figures.written_traces, "written traces")

    registry.add_exercise(exercises.find_propositions, "Sentence")
    registry.add_exercise(exercises.judge_string, "String")
    registry.add_exercise(exercises.translate, "Propositions", "Sentence")
    registry.add_exercise(exercises.translate_sentence, "Requirement")
    registry.add_exercise(exercises.judge_trace, "Formula", "Trace")
    registry.add_exercise(exercises.write_trace, "Formula", "Wanted")

    requirement = "the columns sentence, formula, propositions"
    for name, needs, file in (
        (
            "ltl_future",
            f"{requirement}, and no operator of the past in the formula",
            "ltl_future.jsonl",
        ),
        (
            "ltl_past",
            f"{requirement}, and an operator of the past in the formula",
            "ltl_past.jsonl",
        ),
        ("ltl_propositions", "the columns sentence, propositions", "ltl_propositions.jsonl"),
        ("ltl_well_formedness", "the columns text, well_formed", ""),
        ("ltl_traces", "the columns formula, trace, satisfies", ""),
        ("ltl_trace_writing", "only the column formula, in temporal logic", ""),
    ):
        described = ShippedDataSet(
            needs=needs,
            read="pytest_autoeval.datasets.temporal_rows:read_rows",
            make="pytest_autoeval.studies.temporal_logic.data_sets:written_set",
            draw="" if file else "pytest_autoeval.studies.temporal_logic.data_sets:drawn_set",
            file=file,
            by_language=True,
        )
        registry.add_shipped_data_set(name, described)
