"""The model as judge: are the formula and the translation of each round trip equivalent?"""

from pytest_autoeval import autoeval


@autoeval("judge_ksat", task="judge")
def test_3sat(sample, perform):
    perform(sample)


@autoeval("judge_propositional", task="judge")
def test_propositional(sample, perform):
    perform(sample)


@autoeval("judge_first_order", task="judge")
def test_first_order(sample, perform):
    perform(sample)


@autoeval("judge_regex", task="judge")
def test_regex(sample, perform):
    perform(sample)
