"""Typos in the phrases of a glossary: named with the word that was meant, and no other form of a word is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.datasets.phrase_typos import likely_typos
from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet

SENTENCES = ["The lift never moves with an open door.", "If the button is pressed, the door opens."]


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("the dor is open", "'door'"),  # a letter too few
        ("the doorr is open", ""),  # at the end: it could be another form
        ("the dooor is open", "'door'"),  # too many
        ("the boor is open", "'door'"),  # another letter
        ("the roof is open", ""),  # two slips, so perhaps another word
        ("the buttno is pressed", "'button'"),  # two letters swapped
        ("the lift moves", ""),
        ("the lift moved", ""),
        ("the doors are open", ""),
        ("the bell rings", ""),
    ],
)
def test_a_slip_is_named_and_another_word_is_not(phrase: str, meant: str) -> None:
    lines = list(likely_typos({"p": phrase, "q": "the lift moves"}, SENTENCES, "r.toml"))
    assert [line.partition("Did you mean ")[2] for line in lines] == (
        [f"{meant}?"] if meant else []
    )
    if phrase == "the dor is open":
        assert lines == [
            "r.toml: no sentence has the word 'dor', in the phrase of p. Did you mean 'door'?"
        ]


def test_a_word_of_several_phrases_and_a_parameter_are_no_slips() -> None:
    glossary = {"p": "the dor opens", "q": "the dor moves", "Doos(doorx)": "doorx is small"}
    assert not list(likely_typos(glossary, SENTENCES, "r.toml"))


def test_a_run_says_so(tmp_path: Path) -> None:
    (tmp_path / "r.md").write_text("".join(f"- {text}\n" for text in SENTENCES), "utf-8")
    glossary = tmp_path / "r.toml"
    glossary.write_text('open = "the dor is open"\n', "utf-8")
    problems = PlainSentenceSet("sentences", "ltl", [tmp_path / "r.md"]).shortfalls
    assert problems == (
        f"{glossary}: no sentence has the word 'dor', in the phrase of open. Did you mean 'door'?",
    )
