"""A user's own English: sentences without formulas, glossaries, agreement, questions to the author, whole sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import Namespace

    from pytest_autoeval.shipped_registry import ShippedRegistry


def pytest_autoeval_register(registry: ShippedRegistry) -> None:
    from functools import partial

    from pytest_autoeval.requirements import exercises
    from pytest_autoeval.requirements.agreement_gates import AgreementDropGate, AgreementGate
    from pytest_autoeval.requirements.agreement_sections import agreement, questions
    from pytest_autoeval.requirements.collision_gate import CollisionGate
    from pytest_autoeval.requirements.collision_section import colliding_rules
    from pytest_autoeval.requirements.formula_list import formulas
    from pytest_autoeval.requirements.listed_names import prepare_sentences
    from pytest_autoeval.requirements.permission_section import permissions
    from pytest_autoeval.requirements.sentence_round_trip import SENTENCE_ROUND_TRIP

    registry.add_task(SENTENCE_ROUND_TRIP)
    registry.add_preparation("sentences", prepare_sentences)
    registry.add_suite_gate(AgreementGate())
    registry.add_suite_gate(AgreementDropGate())
    registry.add_suite_gate(CollisionGate())
    registry.add_section("agreement", agreement)
    registry.add_section("questions", questions)
    registry.add_section("permissions", permissions)
    registry.add_section("collisions", colliding_rules)
    registry.add_section("formulas", formulas)
    registry.add_command("questions", _ask_author)
    registry.add_command_option("check --set", _check_set)
    registry.add_exercise(exercises.formalize_statement, "Statements", "Sentence")
    for language, names, sentences in (
        ("ltl", "Propositions", "Requirements"),
        ("propositional", "Statements", "Sentences"),
        ("first_order", "Symbols", "Rules"),
    ):
        registry.add_exercise(partial(exercises.list_names, language), sentences)
        rewrite = partial(exercises.rewrite, language)
        registry.add_exercise(rewrite, names, "Number of sentences", "Sentence to rewrite")
        # First-order logic is not here: the study of first-order translation has this exercise.
        if language != "first_order":
            registry.add_exercise(
                partial(exercises.describe, language), names, "Formula to describe"
            )


def _ask_author(arguments: list[str]) -> int:
    from pytest_autoeval.requirements.questions_command import main

    return main(arguments)


def _check_set(args: Namespace) -> int:
    from pytest_autoeval.requirements.set_check import main

    return main(args)
