"""A counterexample of a paraphrase shows the words that the model read, above the formula that it wrote for them."""

from __future__ import annotations

from support.sentence_rows import sentence_row

from pytest_autoeval.report.counterexample import texts_of


def test_the_paraphrase_stands_between_sentence_and_formula() -> None:
    words = "The light turns red as soon as the door opens."
    sample = sentence_row("G (door_open -> red)", paraphrase=2, paraphrased=words)
    texts = list(texts_of(sample))
    assert texts[:4] == [
        ("id", "requirements-1"),
        ("sentence", "If the door opens, the light is red."),
        ("paraphrase 2", words),
        ("formula", "G (door_open -> red)"),
    ]
    assert all("paraphrase" not in name for name, _ in texts_of(sentence_row("G bell")))
