"""The line of the user's own code that a message names."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_autoeval.users_code import last_line, place_of, typed_text


def fails_in_a_library() -> None:
    json.loads("{a")


def error_of(code: str, file: str, **known: object) -> BaseException:
    """What code raises that stands in a file."""
    try:
        exec(compile(code, file, "exec"), dict(known))
    except (KeyError, ValueError) as error:
        return error
    raise AssertionError(code)


def test_lines_of_libraries_are_left_out() -> None:
    error = error_of("\n\ncall()", "/project/conftest.py", call=fails_in_a_library)
    line = last_line(error)
    assert line is not None
    assert Path(line.filename).name == "test_users_code.py"
    assert place_of(error) == f" (test_users_code.py:{line.lineno})"
    assert (
        place_of(error_of("import json\njson.loads('{a')", "/project/conftest.py"))
        == " (conftest.py:2)"
    )


def test_an_installed_package_may_be_the_users_code() -> None:
    error = error_of("\nraise KeyError('colour')", "/env/site-packages/metrics/figures.py")
    error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
    assert place_of(error) == " (figures.py:2)"


def test_an_exception_that_no_line_raised_has_no_place() -> None:
    assert not place_of(KeyError("colour"))


def test_the_text_of_an_exception_may_fail() -> None:
    class OddError(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert typed_text(KeyError("colour")) == "KeyError: 'colour'"
    assert typed_text(OddError()) == "OddError: its text cannot be made (ValueError)"
