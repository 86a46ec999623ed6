"""The tasks of the study on sentences in temporal logic. Generated sets have as many items as the study's."""

from pytest_autoeval import autoeval


@autoeval("ltl_propositions", task="propositions")
def test_propositions(sample, perform):
    perform(sample)


@autoeval("ltl_well_formedness", task="well_formed", operators=range(1, 11), samples=30)
def test_well_formed(sample, perform):
    perform(sample)


@autoeval("ltl_future", task="translate")
def test_future(sample, perform):
    perform(sample)


@autoeval("ltl_traces", task="judge_trace", operators=range(1, 10), samples=68)
def test_judged_trace(sample, perform):
    perform(sample)


@autoeval("ltl_trace_writing", task="write_trace", operators=range(1, 10), samples=68)
def test_written_trace(sample, perform):
    perform(sample)


@autoeval("ltl_past", task="translate_past")
def test_past(sample, perform):
    perform(sample)


@autoeval("ltl_future", task="translate_sentence")
def test_without_propositions(sample, perform):
    perform(sample)
