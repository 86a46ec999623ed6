"""Premises and a conclusion, in formulas and in English: is it True, False or Uncertain?"""

import pytest


@pytest.mark.autoeval("fol_entailment", task="entailment_formulas")
def test_formulas(sample, perform):
    perform(sample)


@pytest.mark.autoeval("fol_entailment", task="entailment_english")
def test_english(sample, perform):
    perform(sample)
