"""Which of several formulas, or sentences, means what a sentence says? The others are a single edit away from it."""

import pytest


@pytest.mark.autoeval("fol_most_similar", task="most_similar_formulas")
def test_formulas(sample, perform):
    perform(sample)


@pytest.mark.autoeval("fol_most_similar", task="most_similar_english")
def test_english(sample, perform):
    perform(sample)
