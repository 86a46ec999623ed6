"""A command that shows a failure, for somebody who named no model: the default one makes no mistakes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from msgspec import structs

from pytest_autoeval.engine.reproducing import TestFile, test_words
from pytest_autoeval.engine.suite_files import file_of
from pytest_autoeval.inert import inert_in_shell
from pytest_autoeval.record.lines import Suite
from pytest_autoeval.report.blocks import Command, Document, Section

#: An offline model with a known fault in round trips of each language, the easiest to read first.
_FAULTY = {
    "propositional": "offline/negation-scope",
    "first_order": "offline/quantifier-swap",
    "ltl": "offline/globally-for-eventually",
    "regex": "offline/misplaced-star",
}


def with_first_step(
    document: Document, suites: Iterable[Suite], root: Path, folder: Path
) -> Document:
    """The document, and at its end the command that runs a round trip of the run with a model that fails it.

    ``suites`` are those that asked a model: no other model changes the answers of a body that asks none. ``root`` is
    the root folder of the run, ``folder`` the one in which pytest was started.
    """
    round_trips = {suite.language: suite for suite in suites if suite.task is None}
    language = next((language for language in _FAULTY if language in round_trips), None)
    if language is None:
        return document
    suite = structs.replace(round_trips[language], model=_FAULTY[language])
    test = test_words(suite, TestFile(file_of(suite.function, root), root, folder))
    words = ["pytest", *test, f"--autoeval-model={suite.model}"]
    # Without any threshold nothing fails.
    if suite.threshold is None:
        words.append("--autoeval-threshold=0.9")
    step = Command("see it fail", inert_in_shell(shlex.join(words)), level="default")
    section = Section(name="next steps", title="next steps", blocks=(step,))
    return structs.replace(document, sections=(*document.sections, section))
