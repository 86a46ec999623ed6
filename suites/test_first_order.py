"""First-order logic in prenex form, over made-up names and over English ones."""

import pytest


@pytest.mark.autoeval("first_order", operators=range(9), samples=5)
def test_synthetic_names(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)


@pytest.mark.autoeval("first_order", operators=range(9), samples=5, vocabulary="english")
def test_english_names(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
