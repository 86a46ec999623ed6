"""What offline models know: first of the run's data, also of what is added later, then of the shipped data sets."""

from __future__ import annotations

from pytest_autoeval.datasets import DataSet, Item
from pytest_autoeval.models.offline.answer_key import AnswerKey, KnownSentences


class Sentences(KnownSentences):
    """The sentences of items, as often as they were added."""

    data_sets = ("ltl_past",)

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def add(self, item: Item) -> None:
        self.sentences.append(item.facts["sentence"])


class OtherSentences(Sentences):
    """Another table of the same items."""


def items(*sentences: str) -> list[Item]:
    """An item of temporal logic for each sentence."""
    data_set = DataSet.of(
        "own", "ltl", [("G p1", {"sentence": sentence}) for sentence in sentences]
    )
    return [item for size in data_set.sizes or () for item in data_set.items(size)]


def test_the_data_of_the_run_come_before_the_shipped_data_set() -> None:
    key = AnswerKey()
    key.add_meanings(items("The pump runs."))
    of_run, shipped = key.tables(Sentences)
    assert of_run.sentences == ["The pump runs."]
    assert len(shipped.sentences) > 10
    assert "The pump runs." not in shipped.sentences


def test_what_is_added_after_a_question_is_known_at_the_next_one_and_each_item_once() -> None:
    key = AnswerKey()
    assert next(key.tables(Sentences)).sentences == []
    key.add_meanings(items("The pump runs."))
    assert next(key.tables(Sentences)).sentences == ["The pump runs."]
    key.add_meanings(items("The valve is open."))
    assert next(key.tables(Sentences)).sentences == ["The pump runs.", "The valve is open."]


def test_each_kind_of_table_has_all_items() -> None:
    key = AnswerKey()
    key.add_meanings(items("The pump runs."))
    assert (
        next(key.tables(Sentences)).sentences
        == next(key.tables(OtherSentences)).sentences
        == ["The pump runs."]
    )


def test_keys_of_two_runs_share_no_sentence() -> None:
    taught, other = AnswerKey(), AnswerKey()
    taught.add_meanings(items("The pump runs."))
    assert next(taught.tables(Sentences)).sentences
    assert not next(other.tables(Sentences)).sentences
