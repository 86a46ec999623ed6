"""Sentences without a glossary: which symbols do they need, and which formula over the model's own symbols?"""

import pytest


@pytest.mark.autoeval("fol_translation", task="ontology_extraction")
def test_extraction(sample, perform):
    perform(sample)


@pytest.mark.autoeval("fol_translation", task="open_translation")
def test_open_translation(sample, perform):
    perform(sample)
