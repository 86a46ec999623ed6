"""A user's own English: sentences without formulas, glossaries, agreement, questions to the author, whole sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_autoeval.registry import Registry


def pytest_autoeval_register(registry: Registry) -> None:
    from functools import partial

    from pytest_autoeval.requirements import exercises as exercises
    from pytest_autoeval.tasks import sentence_round_trip

    registry.add_task(sentence_round_trip.SENTENCE_ROUND_TRIP)
    registry.add_exercise(exercises.formalize_statement, "Statements", "Sentence")
    for language, names, sentences in (
        ("ltl", "Propositions", "Requirements"),
        ("propositional", "Statements", "Sentences"),
        ("first_order", "Symbols", "Rules"),
    ):
        registry.add_exercise(partial(exercises.list_names, language), sentences)
        rewrite = partial(exercises.rewrite, language)
        registry.add_exercise(rewrite, names, "Number of sentences", "Sentence to rewrite")
        if language != "first_order":  # the study of first-order translation has this exercise
            registry.add_exercise(partial(exercises.describe, language), names, "Formula to describe")
