"""Given sentences into first-order logic over a given glossary; and formulas into sentences and back."""

import pytest


@pytest.mark.autoeval("fol_translation", task="logical_translation")
def test_logical_translation(sample, perform):
    perform(sample)


@pytest.mark.autoeval("fol_translation", task="informalization")
def test_informalization(sample, perform):
    perform(sample)
