"""The six temporal-logic tasks of the study, and translation without given propositions."""

import pytest


@pytest.mark.autoeval("ltl_propositions", task="propositions")
def test_propositions(sample, perform):
    perform(sample)


@pytest.mark.autoeval("ltl_well_formedness", task="well_formed", operators=range(1, 8), samples=6)
def test_well_formed(sample, perform):
    perform(sample)


@pytest.mark.autoeval("ltl_future", task="translate")
def test_future_formula(sample, perform):
    perform(sample)


@pytest.mark.autoeval("ltl_past", task="translate_past")
def test_past_formula(sample, perform):
    perform(sample)


@pytest.mark.autoeval("ltl_traces", task="judge_trace", operators=range(1, 8), samples=6)
def test_judged_trace(sample, perform):
    perform(sample)


@pytest.mark.autoeval("ltl_trace_writing", task="write_trace", operators=range(1, 8), samples=6)
def test_written_trace(sample, perform):
    perform(sample)


@pytest.mark.autoeval("ltl_future", task="translate_sentence", samples=4)
def test_sentence_alone(sample, perform):
    perform(sample)
