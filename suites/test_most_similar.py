"""Which of several formulas, or of several sentences, means what a sentence says? All but one differ by a single edit."""

import pytest


@pytest.mark.autoeval("fol_most_similar", task="most_similar_formulas")
def test_formulas(sample, perform):
    perform(sample)


@pytest.mark.autoeval("fol_most_similar", task="most_similar_english")
def test_english(sample, perform):
    perform(sample)
