"""Your own sentences, in each language: `--autoeval-dataset=requirements.md`, and name the test of your language."""

import pytest


@pytest.mark.autoeval("sentences_ltl", task="sentence_round_trip")
def test_ltl(sample, perform):
    perform(sample)


@pytest.mark.autoeval("sentences_propositional", task="sentence_round_trip")
def test_propositional(sample, perform):
    perform(sample)


@pytest.mark.autoeval("sentences_first_order", task="sentence_round_trip")
def test_first_order(sample, perform):
    perform(sample)
