"""The next suite's samples start while the last ones of this suite finish, where nobody can see the difference."""

from __future__ import annotations

import re

import pytest

from .conftest import Rows, Run, Suite, marked

#: Each suite waits in its last sample until a sample of the next suite has run, or gives up.
TWO_SUITES = """
import threading
import pytest

STARTED = threading.Event()

{conftest}

@pytest.mark.autoeval("propositional", operators=[1], samples=3, threshold=1.0)
def test_first(sample{first}):
    assert STARTED.wait({patience})

{mark}
@pytest.mark.autoeval("propositional", operators=[1], samples=3, verified=False)
def test_second(sample{more}):
    STARTED.set()
"""


BROKEN_MODEL = """
class Broken:
    def complete(self, messages, *, repeat=0):
        raise ValueError("broken")

def pytest_autoeval_register(registry):
    registry.add_model("broken", Broken)
"""


def written(
    suite: Suite,
    *,
    patience: str,
    conftest: str = "",
    mark: str = "",
    first: str = "",
    more: str = "",
) -> None:
    texts = {"patience": patience, "conftest": conftest, "mark": mark, "first": first, "more": more}
    source = TWO_SUITES
    for name, text in texts.items():
        source = source.replace(f"{{{name}}}", text)
    suite(source)


TAKES = {
    "conftest": "@pytest.fixture(scope='session', autouse=True)\ndef number(): return 7",
    "mark": "@pytest.mark.parametrize('name', ['a'])",
    "more": ", number, name, llm, round_trip",
}


@pytest.mark.parametrize(
    ("texts", "plugins"),
    [({}, ()), (TAKES, ()), ({}, ("-panyio", "-phypothesispytest", "-pxdist"))],
    ids=[
        "the suite",
        "with parameters, and session fixtures that are made",
        "beside the plugins of our dependencies",
    ],
)
def test_the_next_suite_starts_early(
    suite: Suite, run: Run, texts: dict[str, str], plugins: tuple[str, ...]
) -> None:
    written(suite, patience="30", **texts)
    run(*plugins).assert_outcomes(passed=2)


@pytest.mark.parametrize(
    "texts",
    [
        {"conftest": "@pytest.fixture(autouse=True)\ndef number(): return 7"},
        {"conftest": "@pytest.fixture\ndef number(): return 7", "more": ", number"},
        {
            "conftest": "@pytest.fixture(scope='session')\ndef number(): return 7",
            "more": ", number",
        },
        {"conftest": "@pytest.fixture(scope='module')\ndef llm(): return 7", "more": ", llm"},
        {"conftest": "def setup_function(): pass"},
        {"mark": "@pytest.mark.skipif(False, reason='never')"},
        {"more": ", request"},
        {"mark": "@pytest.mark.filterwarnings('error')"},
        {"mark": "@pytest.mark.of_somebody_else"},
        {"conftest": "pytestmark = pytest.mark.filterwarnings('ignore')"},
        # What the first suite takes must not be seen by the second.
        {"conftest": "@pytest.fixture\ndef number(): return 7", "first": ", number"},
        {
            "conftest": "@pytest.fixture(scope='module')\ndef number(): return 7",
            "first": ", number",
        },
    ],
)
def test_it_waits_for_what_its_own_set_up_makes(
    suite: Suite, run: Run, texts: dict[str, str]
) -> None:
    written(suite, patience="0.2", **texts)
    run("--autoeval-shrink-budget=0").assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize("option", ["-x", "--maxfail=2", "--stepwise"])
def test_nothing_is_spent_on_the_next_suite_where_this_may_be_the_last(
    suite: Suite, run: Run, option: str
) -> None:
    written(suite, patience="0.2")
    result = run(option, "--autoeval-shrink-budget=0", cache=True)
    assert result.parseoutcomes()["failed"] == 1


def test_a_suite_that_started_early_is_judged_like_any_other(
    suite: Suite, run: Run, rows: Rows
) -> None:
    body = "if number == 3:\n    raise RuntimeError('in one suite')\nTRIP"
    five = '@pytest.mark.parametrize("number", range(5))'
    suite(
        marked(
            '"propositional", operators=[1, 2], samples=3, threshold=1.0',
            body,
            "sample, number",
            five,
        )
    )
    result = run("--autoeval-results=out.jsonl")
    result.assert_outcomes(passed=4, failed=1)
    assert len(rows("out.jsonl")) == 30
    assert sum(row["outcome"] == "error" for row in rows("out.jsonl")) == 6


def test_nothing_starts_early_where_a_fixture_of_the_module_ends_between(
    pytester: pytest.Pytester, run: Run
) -> None:
    module = "import pytest\nMODE = {}\n"
    marker = '@pytest.mark.autoeval("propositional", operators=[1], samples=3, threshold=1.0)\n'
    pytester.makepyfile(
        mode=module,
        test_suite=f"""
import pytest, mode

@pytest.fixture(scope="module")
def other():
    mode.MODE["on"] = True
    yield
    mode.MODE.clear()

def test_sets(other):
    pass

{marker}def test_first(sample):
    assert mode.MODE
""",
        test_then=f"""
import pytest, mode

{marker}def test_second(sample):
    assert not mode.MODE
""",
    )
    run().assert_outcomes(passed=3)


def test_who_skips_in_a_hook_is_heard_first(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    written(suite, patience="0.2")
    pytester.makeconftest(
        "import pytest\ndef pytest_runtest_setup(item):\n    if 'second' in item.name: pytest.skip('not today')"
    )
    run("--autoeval-results=out.jsonl", "--autoeval-shrink-budget=0").assert_outcomes(
        failed=1, skipped=1
    )
    assert len(rows("out.jsonl")) == 3


HOOKS = [
    f"import pytest\n@pytest.hookimpl(wrapper=True)\ndef pytest_runtest_{name}(item): return (yield)"
    for name in ("protocol", "setup", "call", "teardown")
]


@pytest.mark.parametrize("hook", [*HOOKS, "def pytest_fixture_setup(fixturedef): pass"])
def test_who_prepares_tests_or_fixtures_in_a_hook_prepares_them_first(
    pytester: pytest.Pytester, suite: Suite, run: Run, hook: str
) -> None:
    written(suite, patience="0.2")
    pytester.makeconftest(hook)
    run("--autoeval-shrink-budget=0").assert_outcomes(passed=1, failed=1)


SAYING = """
import logging, sys, threading, warnings
import pytest

STARTED = threading.Event()

@pytest.mark.autoeval("propositional", operators=[1], samples=3, threshold=1.0, verified=False)
def test_first(sample):
    print("out of first")
    assert STARTED.wait(30)

@pytest.mark.autoeval("propositional", operators=[1], samples=3, verified=False)
def test_second(sample):
    print("out of second")
    print("err of second", file=sys.stderr)
    logging.getLogger("mine").warning("log of second")
    warnings.warn("warning of second")
    STARTED.set()
"""


@pytest.mark.parametrize("capture", ["fd", "sys", "tee-sys"])
def test_output_of_a_body_that_ran_early_is_in_the_report_of_its_own_item(
    suite: Suite, run: Run, capture: str
) -> None:
    suite(SAYING)
    result = run(f"--capture={capture}", "-rA")
    result.assert_outcomes(passed=2)
    _, first, second = re.split("_ test_(?:first|second).*_\n", result.stdout.str())
    assert first.count("out of first") == 3
    assert "of second" not in first
    for word in ("out", "err", "log"):
        assert second.count(f"{word} of second") == 3
    result.stdout.fnmatch_lines(["test_suite.py::test_second*", "*UserWarning: warning of second"])
    assert (
        "test_suite.py::test_first"
        not in second.partition("warnings summary")[2].partition("Docs:")[0]
    )


def test_output_of_a_body_that_ran_early_follows_the_name_of_its_item(
    suite: Suite, run: Run
) -> None:
    suite(SAYING)
    result = run("-s", "-v", "-olog_cli=true")
    result.assert_outcomes(passed=2)
    first, second = re.split(r"::test_second.*?\] ", result.stdout.str(), maxsplit=1)
    assert first.count("out of first") == 3
    assert "of second" not in first
    assert second.count("out of second") == second.count("log of second") == 3


def test_an_item_may_be_run_twice(pytester: pytest.Pytester, suite: Suite, run: Run) -> None:
    written(suite, patience="30")
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(pyfuncitem):
            raise AssertionError("a suite is run by its item")

        @pytest.hookimpl(trylast=True)
        def pytest_itemcollected(item):
            once = item.runtest
            item.runtest = lambda: (once(), once())
        """
    )
    run().assert_outcomes(passed=2)


def test_after_an_error_that_stops_the_run_no_suite_is_begun(
    suite: Suite, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    sought: list[pytest.Item] = []
    monkeypatch.setattr("pytest_autoeval.running.suite_item.next_suite", sought.append)
    suite().with_name("conftest.py").write_text(BROKEN_MODEL, "utf-8")
    run("--autoeval-model=broken", "--autoeval-concurrency=1").assert_outcomes(failed=1)
    assert not sought
