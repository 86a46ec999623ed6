"""The model as judge: do two formulas mean the same? Each formula meets one that does, and one that does not."""

import pytest


@pytest.mark.autoeval("judge_propositional", task="judge", operators=range(1, 8, 2), samples=4)
def test_propositional(sample, perform):
    perform(sample)


@pytest.mark.autoeval("judge_ksat", task="judge", operators=range(2, 12, 3), samples=4)
def test_ksat(sample, perform):
    perform(sample)


@pytest.mark.autoeval("judge_first_order", task="judge", operators=range(1, 8, 2), samples=4)
def test_first_order(sample, perform):
    perform(sample)


@pytest.mark.autoeval("judge_regex", task="judge", depth=range(3, 10, 2), samples=4)
def test_regex(sample, perform):
    perform(sample)


@pytest.mark.autoeval("judge_ltl", task="judge", operators=range(1, 8, 2), samples=4)
def test_ltl(sample, perform):
    perform(sample)


@pytest.mark.autoeval("judge_past_ltl", task="judge", operators=range(1, 8, 2), samples=4)
def test_past_ltl(sample, perform):
    perform(sample)
