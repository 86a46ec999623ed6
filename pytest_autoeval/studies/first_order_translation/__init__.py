"""Translation between English and first-order logic: sentences, choices, rankings, entailment, extracted symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.registry import Registry


def pytest_autoeval_register(registry: Registry) -> None:
    from pytest_autoeval.models.offline import exercises_logic as exercises
    from pytest_autoeval.studies.first_order_translation import choices, entailment, extraction, figures, translation
    from pytest_autoeval.studies.first_order_translation.scores import scores

    registry.add_task(extraction.ONTOLOGY_EXTRACTION)
    registry.add_task(translation.LOGICAL_TRANSLATION)
    registry.add_task(translation.INFORMALIZATION)
    registry.add_task(translation.OPEN_TRANSLATION)
    registry.add_task(choices.MOST_SIMILAR_FORMULAS)
    registry.add_task(choices.MOST_SIMILAR_ENGLISH)
    registry.add_task(choices.RANKING_FORMULAS)
    registry.add_task(choices.RANKING_ENGLISH)
    registry.add_task(entailment.ENTAILMENT_FORMULAS)
    registry.add_task(entailment.ENTAILMENT_ENGLISH)

    registry.add_figures(figures.choices, "choices")
    registry.add_figures(figures.entailments, "entailments")
    registry.add_figures(figures.rankings, "rankings")
    registry.add_figures(figures.ontologies, "ontologies")
    registry.add_figures(figures.scored_translations, "scored translation")
    registry.add_blocks(scores, section="scores")

    registry.add_exercise(exercises.translate, "Symbols", "Sentence")
    registry.add_exercise(exercises.describe, "Symbols", "Formula to describe")
    registry.add_exercise(exercises.translate_openly, "Statement to formalize")
    registry.add_exercise(exercises.extract, "Statement to analyse")
    for exercise, of_what in ((exercises.choose, "Options"), (exercises.rank, "Candidates")):
        registry.add_exercise(exercise, "Symbols", "Sentence", of_what)
        registry.add_exercise(exercise, "Sentence", of_what)
    registry.add_exercise(exercises.conclude, "Premises", "Conclusion")
