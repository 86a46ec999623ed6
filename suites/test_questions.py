"""Questions about texts, whose answer is yes or no, in your files: `--autoeval-dataset=questions.json`."""

import pytest


@pytest.mark.autoeval("questions", task="answer_question")
def test_questions(sample, perform):
    perform(sample)
