"""The tasks of the paper on sentences in first-order logic."""

from pytest_autoeval import autoeval


@autoeval("fol_translation", task="logical_translation")
def test_translation(sample, perform):
    perform(sample)


@autoeval("fol_most_similar", task="most_similar_english")
def test_most_similar_english(sample, perform):
    perform(sample)


@autoeval("fol_most_similar", task="most_similar_formulas")
def test_most_similar_formulas(sample, perform):
    perform(sample)


@autoeval("fol_ranking", task="ranking_english")
def test_ranking_english(sample, perform):
    perform(sample)


@autoeval("fol_ranking", task="ranking_formulas")
def test_ranking_formulas(sample, perform):
    perform(sample)
