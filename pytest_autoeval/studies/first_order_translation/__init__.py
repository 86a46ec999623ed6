"""Translation between English and first-order logic: sentences, choices, rankings, entailment, extracted symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    from pytest_autoeval.datasets.catalogue import ShippedDataSet
    from pytest_autoeval.studies.first_order_translation import (
        choices,
        entailment,
        exercises,
        extraction,
        figures,
        questions,
        translation,
    )
    from pytest_autoeval.studies.first_order_translation.paired_tasks import both_tasks
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
    registry.add_task(questions.ANSWER_QUESTION)

    registry.add_figures(figures.choices, "choices")
    registry.add_figures(figures.entailments, "entailments")
    registry.add_figures(figures.rankings, "rankings")
    registry.add_figures(figures.ontologies, "ontologies")
    registry.add_figures(figures.scored_translations, "scored translation")
    registry.add_section("scores", scores)
    registry.add_section("both tasks", both_tasks)

    registry.add_exercise(exercises.translate, "Symbols", "Sentence")
    registry.add_exercise(exercises.describe, "Symbols", "Formula to describe")
    registry.add_exercise(exercises.translate_openly, "Statement to formalize")
    registry.add_exercise(exercises.extract, "Statement to analyse")
    for exercise, of_what in ((exercises.choose, "Options"), (exercises.rank, "Candidates")):
        registry.add_exercise(exercise, "Symbols", "Sentence", of_what)
        registry.add_exercise(exercise, "Sentence", of_what)
    registry.add_exercise(exercises.conclude, "Premises", "Conclusion")
    registry.add_exercise(questions.answer, "Context", "Question")

    study = "pytest_autoeval.studies.first_order_translation"
    for name, kind in (
        ("fol_translation", "TranslationSet"),
        ("fol_most_similar", "MostSimilarSet"),
        ("fol_ranking", "RankingSet"),
    ):
        sentences = ShippedDataSet(
            needs="the columns sentence, formula, and ontology or no propositions; or premises, premises-FOL",
            read=f"{study}.sentence_files:read_sentences",
            make=f"{study}.candidates:{kind}",
            file="blocks_world.jsonl",
            by_language=True,
        )
        registry.add_shipped_data_set(name, sentences)
    stories = ShippedDataSet(
        needs="the columns premises, premises-FOL, conclusion, conclusion-FOL, label",
        read=f"{study}.stories:read_stories",
        make=f"{study}.stories:EntailmentSet",
        file="blocks_world_stories.jsonl",
        by_language=True,
    )
    registry.add_shipped_data_set("fol_entailment", stories)
    questions_of_files = ShippedDataSet(
        needs="the columns context, question, answer (yes or no)",
        read=f"{study}.questions:read_questions",
        make=f"{study}.questions:QuestionSet",
    )
    registry.add_shipped_data_set("questions", questions_of_files)
    registry.add_examiner("sentences of first-order logic", f"{study}.file_check:ExaminedSentences")
