"""Full propositional logic: conjunction, disjunction and negation, nested freely."""

import pytest


@pytest.mark.autoeval("propositional", operators=range(9), samples=5)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
