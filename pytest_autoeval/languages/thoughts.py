"""Removes what is not the answer of a reply: thoughts between tags, control tokens, text after the end of the turn."""

from __future__ import annotations

import re

from pytest_autoeval.lazy_pattern import lazy_pattern

#: What each mark of :mod:`~pytest_autoeval.languages.thought_marks` has: a bracket, or the words of one without any.
_POSSIBLE_MARK = lazy_pattern(
    r"[<\[◁]|&lt;|analysis|assistantfinal|here(?:['’]s| is) my ", re.IGNORECASE
)


def without_thoughts(reply: str) -> str:
    """A reply without the thoughts of a reasoning model, control tokens, and text after the end of its turn.

    A reply without these is not changed.
    """
    if not _POSSIBLE_MARK.search(reply):
        return reply
    # Imported here: most answers have no mark, and to compile the patterns takes longer than to start a suite.
    from pytest_autoeval.languages.thought_marks import without_marked

    return without_marked(reply)
