"""Formulas, or sentences, ranked by how near they are to a sentence in meaning: equivalents first, negations last."""

import pytest


@pytest.mark.autoeval("fol_ranking", task="ranking_formulas")
def test_formulas(sample, perform):
    perform(sample)


@pytest.mark.autoeval("fol_ranking", task="ranking_english")
def test_english(sample, perform):
    perform(sample)
