"""What a test of a stored text says when the text has changed."""

from __future__ import annotations

import pytest
from support import snapshot
from support.snapshot import UPDATE, assert_same, assert_text_snapshot


def test_the_message_has_the_whole_command_and_a_diff() -> None:
    with pytest.raises(AssertionError) as failure:
        assert_same("one\ntwo\n", "one\nthree\n", "a page")
    head, *diff = str(failure.value).splitlines()
    assert head == f"a page has changed. If it is right: {UPDATE}=1 pytest tests/test_snapshots.py"
    assert diff == ["--- a page", "+++ now", "@@ -1,2 +1,2 @@", " one", "-two", "+three"]


def test_a_line_end_that_is_missing_is_a_line_of_the_diff() -> None:
    with pytest.raises(AssertionError, match=r"\+\(no line end\)"):
        assert_same("one\n", "one", "a page")


def test_a_snapshot_that_does_not_exist_is_a_change_and_the_command_makes_it(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(UPDATE, raising=False)
    monkeypatch.setattr(snapshot, "_FOLDER", tmp_path)
    with pytest.raises(AssertionError, match=r"snapshots/new.txt has changed(?s:.*)\+one"):
        assert_text_snapshot("new.txt", "one\n")
    monkeypatch.setenv(UPDATE, "1")
    assert_text_snapshot("new.txt", "one\n")
    monkeypatch.delenv(UPDATE)
    assert_text_snapshot("new.txt", "one\n")
