"""Refusals, and descriptions that begin like one."""

from __future__ import annotations

import pytest

from pytest_autoeval.models.base import Reply
from pytest_autoeval.tasks.replies import refused


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, but I can’t assist with this request.",
        "I cannot translate this formula.",
        "I must respectfully decline.",
        "As an AI language model, I cannot do this.",
        "**I cannot help with this.**",
        "I apologize, but I won't be able to complete this.",
        "<think>Should I? p1 holds.</think>\n\nI'm sorry, I can't help with that.",
    ],
)
def test_refusals_are_recognized_by_their_beginning(text: str) -> None:
    assert refused(Reply(text))


@pytest.mark.parametrize(
    "text",
    [
        "It cannot be that both p1 and p2 hold.",
        "We cannot have p1 without p2.",
        "I cannot be tall and small at once.",
        "Unfortunately p1 cannot hold.",
        "If p1 holds, I cannot help concluding p2.",
        "p1, although we are unable to say why.",
        "<think>I cannot help with this, or can I?</think>p1 holds.",
        "",
    ],
)
def test_descriptions_are_none(text: str) -> None:
    assert not refused(Reply(text))


@pytest.mark.parametrize(
    ("finish_reason", "refusal", "expected"),
    [("content_filter", "", True), ("SAFETY", "", True), ("stop", "No.", True), ("stop", "", False)],
)
def test_the_word_of_the_server_counts(finish_reason: str, refusal: str, expected: bool) -> None:
    assert refused(Reply("p1 holds.", finish_reason, refusal)) is expected
