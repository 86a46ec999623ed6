"""What a run leaves in memory is searched once for reference cycles at the end, and pytest still reports what is found.

Each run is a process of its own: the fixture of these tests has frozen objects in this one.
"""

from __future__ import annotations

import pytest

SUITE = """
import pytest

@pytest.mark.autoeval("propositional", operators=1, samples=2, verified=False)
def test_round_trip(sample, round_trip):
    round_trip(sample)
"""
#: Shows when objects are frozen: in a hook after ours, and in a cleanup after that of pytest.
CONFTEST = """
import gc
import sys

{before}

def pytest_configure(config):
    config.add_cleanup(lambda: print("at the end:", gc.get_freeze_count() > 0, file=sys.stderr))

def pytest_unconfigure():
    print("then:", gc.get_freeze_count() > 0, file=sys.stderr)
"""
CYCLE = """
class Cyclic:
    def __del__(self):
        raise ValueError("found in a cycle")

def test_cycle():
    gc.disable()
    cyclic = Cyclic()
    cyclic.itself = cyclic
"""


@pytest.mark.parametrize(
    ("tests", "before", "options", "then", "end"),
    [
        (SUITE, "", [], True, False),
        (SUITE, "", ["-p", "no:unraisableexception"], False, False),
        (SUITE, "gc.freeze()", [], True, True),
        ("def test_other(): pass", "", [], False, False),
    ],
    ids=["a run", "pytest does not search", "frozen by others", "no run"],
)
def test_objects_are_frozen_between_the_searches_of_pytest(
    pytester: pytest.Pytester, tests: str, before: str, options: list[str], *, then: bool, end: bool
) -> None:
    pytester.makeconftest(CONFTEST.format(before=before))
    pytester.makepyfile(tests)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)
    assert result.ret == 0
    result.stderr.fnmatch_lines([f"then: {then}", f"at the end: {end}"])


def test_what_is_found_at_the_end_is_reported(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(f"import gc\n{SUITE}{CYCLE}")
    result = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-Werror::pytest.PytestUnraisableExceptionWarning"
    )
    assert "found in a cycle" in result.stdout.str() + result.stderr.str()
