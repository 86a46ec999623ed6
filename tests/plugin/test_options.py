"""Every option: what it does, its ini key, and what a mistake in it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.running.option_values import rate

from .conftest import Rows, Run, Suite, said

MISTAKES = [
    ("samples", "0", "'0' is not an integer ≥ 1"),
    ("samples", "many", "'many' is not an integer ≥ 1"),
    ("seed", "-1", "'-1' is not an integer ≥ 0"),
    ("operators", "a:b", "'a:b' names no sizes; write 0:13 for 0 to 12"),
    ("operators", "3:1", "'3:1' names no sizes"),
    ("repeats", "0", "'0' is not an integer ≥ 1"),
    ("threshold", "95", "'95' is not a rate from 0 to 1; did you mean 95%?"),
    ("threshold", "1.5", "'1.5' is not a rate from 0 to 1\n"),
    ("threshold", "150%", "'150%' is not a rate from 0 to 1\n"),
    ("threshold", "high", "'high' is not a rate from 0 to 1"),
    ("concurrency", "0", "'0' is not an integer ≥ 1"),
    ("rpm", "0", "'0' is not an integer ≥ 1"),
    ("shrink-budget", "-5", "'-5' is not an integer ≥ 0"),
    ("max-calls", "1.5", "'1.5' is not an integer ≥ 1"),
    ("max-cost", "0", "'0' is not a number > 0"),
    ("price", "gpt-5-mini=1", "write MODEL=INPUT/OUTPUT"),
    ("temperature", "warm", "'warm' is not a number ≥ 0"),
    ("temperature", "nan", "'nan' is not a number ≥ 0"),
    ("max-tokens", "0", "'0' is not an integer ≥ 1"),
    ("max-retries", "-1", "'-1' is not an integer ≥ 0"),
    ("timeout", "0", "'0' is not a number > 0"),
    ("verify-timeout", "-1", "'-1' is not a number > 0"),
    ("parameters", "{top_p", "not JSON"),
    ("parameters", "[1]", "not a JSON object"),
    ("parameters", '{"model": "other"}', "cannot set model: the plugin does"),
    *((name, " ", "give a path: this one is empty") for name in ("results", "html", "baseline", "github-summary")),
    ("alpha", "0.7", "'0.7' is no level of a test: write a rate above 0 and below 0.5"),
    ("alpha", "0", "'0' is no level of a test"),
    ("fail-on", "5%", "'5%' says nothing to fail on; write drop:5%"),
    ("fail-on", "drop:5", "'5' is not a rate from 0 to 1; did you mean 5%?"),
    ("fail-on", "drop:0", "a drop lies above 0 and below 100%"),
    ("model", " ", "give a name, such as gpt-5-mini or offline/faithful"),
]


@pytest.mark.parametrize(("option", "value", "complaint"), MISTAKES)
def test_a_mistake_on_the_command_line_is_a_usage_error_that_names_the_option(
    suite: Suite, run: Run, option: str, value: str, complaint: str
) -> None:
    suite()
    result = run(f"--autoeval-{option}={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"argument --autoeval-{option}: " in said(result)
    assert complaint in said(result)
    assert "Traceback" not in said(result)


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        *(mistake for mistake in MISTAKES if mistake[1].strip()),
        ("prompting", "many-shot", "'many-shot' is none of zero-shot, few-shot"),
        ("record-mode", "never", "'never' is none of none, once, new_episodes, all"),
        ("gate", "strict", "'strict' is none of point, interval"),
        ("stop-early", "perhaps", "'perhaps' is neither true nor false"),
        ("blame", "2", "'2' is neither true nor false"),
    ],
)
def test_a_mistake_in_the_ini_file_is_a_usage_error_that_names_the_key(
    pytester: pytest.Pytester, suite: Suite, run: Run, option: str, value: str, complaint: str
) -> None:
    suite()
    key = "autoeval_" + option.replace("-", "_")
    pytester.makeini(f"[pytest]\n{key} = {value}\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"ini key {key}: " in said(result)
    assert complaint in said(result)
    assert "Traceback" not in said(result)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--autoeval-prompting=few",), "argument --autoeval-prompting: invalid choice: 'few'"),
        (("--autoeval-record-mode=never",), "argument --autoeval-record-mode: invalid choice: 'never'"),
        (("--autoeval-prompts=nowhere",), "--autoeval-prompts: there is no folder "),
        (("--autoeval-model=offline/fatihful",), "Did you mean 'offline/faithful'?"),
        (("--autoeval-model=offline/student?strength=2",), "the strength of offline/student is a number from 0 to 1"),
        (("--autoeval-model=offline/student?strenth=1",), "strenth"),
        (("--autoeval-results=.",), "--autoeval-results: "),
        (("--autoeval-results=test_suite.py/rows.jsonl",), "results cannot be written"),
        (("--autoeval-stop-early=yes",), "argument --autoeval-stop-early: ignored explicit argument 'yes'"),
        (("--autoeval-gate=strict",), "argument --autoeval-gate: invalid choice: 'strict'"),
        (("--autoeval-fail-on=drop:5%",), "--autoeval-fail-on: needs --autoeval-baseline"),
        (("--autoeval-baseline=nowhere.jsonl",), "nowhere.jsonl: there is no such file"),
        (("--autoeval-baseline=.",), "is a folder; name a file of results"),
        (("--autoeval-html=test_suite.py/page.html",), "test_suite.py is not a folder, so nothing can be written"),
        (("--autoeval-keep-counterexamples=test_suite.py/kept",), "test_suite.py is not a folder, so nothing"),
        (("--autoeval-baseline=test_suite.py", "--autoeval-results=./test_suite.py"), "would overwrite the baseline"),
        (("--autoeval-html=.",), "is a folder; write --autoeval-html=FILE"),
        (("--autoeval-github-summary", "test_suite.py"), "exists and is not a Markdown file"),
        (("--autoeval-keep-counterexamples=test_suite.py",), "test_suite.py is not a folder"),
        (("--autoeval-explain=AE999",), "there is no outcome with the code 'AE999'; known are:"),
        (("--autoeval-explain=AE999",), "AE101  different"),
    ],
)
def test_a_mistake_is_told_before_any_item_runs(
    suite: Suite, run: Run, arguments: tuple[str, ...], complaint: str
) -> None:
    suite()
    result = run(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert complaint in said(result)
    assert "Traceback" not in said(result)
    assert "test_suite.py ." not in said(result)


def test_a_mistake_is_told_as_well_with_workers(suite: Suite, run: Run) -> None:
    suite()
    result = run("-n", "2", "--autoeval-model=offline/fatihful")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said(result).count("there is no offline model") == 1
    assert "created: 2/2 workers" not in said(result)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("0:3", [0, 1, 2]), ("1:6:2", [1, 3, 5]), ("2", [2]), ("3,1", [1, 3])],
)
def test_operators_choose_the_sizes_before_the_marker_does(
    suite: Suite, run: Run, rows: Rows, text: str, sizes: list[int]
) -> None:
    suite()
    run(f"--autoeval-operators={text}", "--autoeval-samples=1", "--autoeval-results=out.jsonl")
    assert [row["operators"] for row in rows("out.jsonl")] == sizes


def test_equal_seeds_draw_equal_formulas_and_others_draw_others(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    drawn = []
    for seed in ("5", "5", "6"):
        run(f"--autoeval-seed={seed}", "--autoeval-operators=3", "--autoeval-results=out.jsonl")
        drawn.append([row["formula"] for row in rows("out.jsonl")])
        assert {row["seed"] for row in rows("out.jsonl")} == {int(seed)}
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_repeats_ask_each_formula_anew(suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    run("--autoeval-operators=4", "--autoeval-samples=2", "--autoeval-repeats=3", "--autoeval-results=out.jsonl")
    assert [(row["index"], row["repeat"]) for row in rows("out.jsonl")] == [(i, r) for i in range(2) for r in range(3)]


INI = {
    "pytest.ini": "[pytest]\n{}",
    "pyproject.toml": "[tool.pytest.ini_options]\n{}",
}


@pytest.mark.parametrize("name", INI)
def test_every_option_can_stand_in_the_ini_file(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows, name: str
) -> None:
    source = """
        import pytest

        @pytest.mark.autoeval("propositional")
        def test_open(sample, round_trip, assert_equivalent):
            assert_equivalent(round_trip(sample), sample.formula)

        @pytest.mark.autoeval("propositional", operators=1, samples=1, threshold=0)
        def test_marked(sample, round_trip, assert_equivalent):
            assert_equivalent(round_trip(sample), sample.formula)
    """
    suite(source)
    chosen = {
        "base_url": "http://127.0.0.1:9/v1",
        "samples": 3,
        "seed": 4,
        "operators": "2,3",
        "repeats": 2,
        "prompting": "few-shot",
        "threshold": 0.99,
        "record_mode": "new_episodes",
        "cassettes": "kept",
        "concurrency": 2,
        "rpm": 60000,
        "shrink_budget": 0,
        "max_calls": 1000,
        "max_cost": 5,
        "results": "out.jsonl",
        "temperature": 0.5,
        "max_tokens": 500,
        "max_retries": 1,
        "timeout": 30,
        "verify_timeout": 2,
    }
    quote = '"' if name == "pyproject.toml" else ""
    lines = [f"autoeval_{key} = {quote}{value}{quote}" for key, value in chosen.items()]
    if name == "pyproject.toml":
        lines += [
            'autoeval_model = ["offline/or-for-and", "offline/faithful"]',
            'autoeval_price = ["gpt-5-mini=0.25/2"]',
            'autoeval_prompts = ["own"]',
            "autoeval_parameters = '{\"top_p\": 0.9}'",
        ]
    else:
        lines += [
            "autoeval_model =\n    offline/or-for-and\n    offline/faithful",
            "autoeval_price = gpt-5-mini=0.25/2",
            "autoeval_prompts = own",
            'autoeval_parameters = {"top_p": 0.9}',
        ]
    (pytester.path / name).write_text(INI[name].format("\n".join(lines)) + "\n", encoding="utf-8")
    (pytester.mkdir("own") / "summarize").mkdir()
    (pytester.path / "own" / "summarize" / "regex.toml").touch()  # a folder of prompts for another task
    below = pytester.mkdir("below")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(below)  # paths of the ini file start at its folder
        result = run("-rA", "../test_suite.py")
    result.stdout.fnmatch_lines_random(
        [
            "FAILED ../test_suite.py::test_open?offline/or-for-and?*",
            "PASSED ../test_suite.py::test_open?offline/faithful?*",
            "PASSED ../test_suite.py::test_marked?offline/or-for-and?*",
        ]
    )
    found = rows("out.jsonl")
    open_rows = [row for row in found if row["suite"].endswith("test_open") and row["model"] == "offline/faithful"]
    assert len(open_rows) == 2 * 3 * 2
    assert {row["operators"] for row in open_rows} == {2, 3}
    assert {row["seed"] for row in found} == {4}
    assert list(pytester.path.glob("kept/*")), "nothing was recorded beside the ini file"


def test_what_is_typed_goes_before_the_ini_file(pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows) -> None:
    suite()
    pytester.makeini("[pytest]\nautoeval_threshold = 0\nautoeval_samples = 9\nautoeval_model = offline/faithful\n")
    result = run(
        "--autoeval-threshold=99%",
        "--autoeval-samples=1",
        "--autoeval-operators=3",
        "--autoeval-model=offline/refusal",
        "--autoeval-results=out.jsonl",
        "--autoeval-shrink-budget=0",
    )
    result.assert_outcomes(failed=1)
    assert [(row["model"], row["outcome"]) for row in rows("out.jsonl")] == [("offline/refusal", "refused or empty")]


def test_the_markers_threshold_wins_over_the_option(suite: Suite, run: Run) -> None:
    suite(more=", threshold=0.2")
    result = run("--autoeval-model=offline/or-for-and", "--autoeval-threshold=1", "--autoeval-shrink-budget=0")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["the gate passed"])


def test_a_rate_in_per_cent_is_the_very_number_that_samples_can_meet() -> None:
    assert [rate(f"{tenths / 10:.1f}%") for tenths in range(1001)] == [tenths / 1000 for tenths in range(1001)]
    assert [rate(f"{cents / 100:.2f}%") for cents in range(10001)] == [cents / 10000 for cents in range(10001)]


def test_explain_needs_no_exact_case(run: Run) -> None:
    result = run("--autoeval-explain=ae101")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["AE101 different: *", "Counts as: model failure", "What to do"])


def test_the_models_are_listed_a_line_each(run: Run) -> None:
    result = run("--autoeval-models")
    assert result.ret == 0
    lines = result.stdout.str().splitlines()
    assert lines[0].startswith("offline/faithful ")
    assert all(line.startswith("offline/") and len(line.split()) > 3 for line in lines)


def test_help_has_every_option_in_one_group_and_every_ini_key(run: Run) -> None:
    text = run("--help").stdout.str()
    _, _, group = text.partition("\nautoeval: ")
    group = group.partition("\n\n")[0]
    options = {word.split("=")[0].strip("();,") for word in group.split() if word.startswith("--autoeval-")}
    keys = {line.split()[0] for line in text.splitlines() if line.startswith("  autoeval_")}
    without_key = {"--autoeval-formula", "--autoeval-plan", "--autoeval-models", "--autoeval-explain"}
    assert keys == {name[2:].replace("-", "_") for name in options - without_key}
    assert without_key < options


def test_an_installed_plugin_that_is_turned_off_leaves_no_trace(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile("def test_it(request):\n    assert 'llm' not in request.fixturenames\n")
    result = run("-p", "no:autoeval", apart=True)
    result.assert_outcomes(passed=1)
    assert not list(Path(pytester.path).glob("cassettes"))
