"""Every option: what it does, its ini key, and what a mistake in it says."""

from __future__ import annotations

import dataclasses
import re
from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from pytest_autoeval.engine.option_values import rate
from pytest_autoeval.engine.settings import OPTIONS, Settings
from pytest_autoeval.models.offline.offline_models import offline_models
from pytest_autoeval.running.options import ACTIONS, settings_of

from .conftest import Rows, Run, Suite, said

SERVER = "--autoeval-base-url=http://127.0.0.1:9/v1"
MISTAKES = [
    ("samples", "0", "'0' is not an integer ≥ 1"),
    ("seed", "-1", "'-1' is not an integer ≥ 0"),
    ("operators", "a:b", "'a:b' is not a list of sizes; write 0:13 for 0 to 12"),
    ("threshold", "95", "'95' is not a rate from 0 to 1; did you mean 95%?"),
    ("threshold", "150%", "'150%' is not a rate from 0 to 1"),
    ("max-cost", "0", "'0' is not a number > 0"),
    ("price", "gpt-5-mini=1", "write MODEL=INPUT/OUTPUT"),
    ("temperature", "nan", "'nan' is not a number ≥ 0"),
    ("parameters", "{top_p", "not JSON"),
    ("parameters", "[1]", "not a JSON object"),
    ("parameters", '{"model": "other"}', "cannot set model: the plugin does"),
    ("results", " ", "give a path: this one is empty"),
    ("alpha", "0.7", "'0.7' is not an error rate: write a rate above 0 and below 0.5"),
    ("fail-on", "5%", "'5%' is not a drop above 0 and below 100%; write drop:5%"),
    ("fail-on", "drop:5", "agreement:5%. Did you mean drop:5%?"),
    ("fail-on", "suite-dorp:5%", "Did you mean suite-drop:5%?"),
    ("fail-on", "drop:0", "'drop:0' is not a drop above 0 and below 100%"),
    ("fail-on", "drop:3%,sute-drop:10%", "'sute-drop:10%' is not a drop above 0 and below 100%"),
    ("fail-on", "drop:3%,drop:10%", "'drop:3%,drop:10%' has 'drop' twice; give one of them"),
    *(
        ("shard", text, "is not a part; write K/N, such as 2/5")
        for text in ("0/3", "4/3", "a", "1", "1/2/3", "-1/2", "1/9999999")
    ),
    ("batch", "0", "'0' is not a number of hours > 0, or submit"),
    *(("max-tokens", text, "an integer ≥ 1, or none") for text in ("0", "-1", "many", "")),
    ("fail-on", "horizon:10%", "horizon:… was removed in release"),
    *(("reader", text, "give a name") for text in ("", " ")),
    *(("model", text, "give a name, such as gpt-5-mini or offline/faithful") for text in ("", " ")),
    ("base-url", "", "give the address of a server"),
    ("base-url", "localhost:8000/v1", "has no scheme; did you mean http://localhost:8000/v1?"),
]


@pytest.mark.parametrize(("name", "value", "complaint"), MISTAKES)
def test_a_mistake_is_told_in_a_line(name: str, value: str, complaint: str) -> None:
    with pytest.raises(ArgumentTypeError, match=re.escape(complaint)):
        OPTIONS[name.replace("-", "_")].type(value)


@pytest.mark.parametrize(
    ("option", "value", "complaint"),
    [
        ("threshold", "95", "'95' is not a rate from 0 to 1; did you mean 95%?"),
        ("prompting", "many-shot", "'many-shot' is not one of zero-shot, few-shot"),
        ("stop-early", "perhaps", "'perhaps' is neither true nor false"),
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
    assert f"tox.ini: {key}: {complaint}" in said(result)
    assert "Traceback" not in said(result)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--autoeval-prompting=few",), "argument --autoeval-prompting: invalid choice: 'few'"),
        (("--autoeval-copies=cuont",), "argument --autoeval-copies: invalid choice: 'cuont'"),
        (("--autoeval-prompts=nowhere",), "--autoeval-prompts: there is no folder "),
        (("--autoeval-model=offline/fatihful",), "Did you mean 'offline/faithful'? `"),
        (
            ("--autoeval-model=offline/student?strength=2",),
            "the strength of offline/student is a number from 0 to 1",
        ),
        (("--autoeval-model=offline/bag-of-word",), "Did you mean 'offline/bag-of-words'?"),
        (("--autoeval-model=local/minilm?device=cuda",), "has no option"),
        (
            ("--autoeval-model=local/minilmm",),
            "no local model 'local/minilmm'; the only one is local/minilm",
        ),
        (("--autoeval-model=embeddings/",), "'embeddings/' names no model"),
        (("--autoeval-results=test_suite.py/rows.jsonl",), "results cannot be written"),
        (("--autoeval-fail-on=drop:5%",), "--autoeval-fail-on: needs --autoeval-baseline"),
        (
            ("--autoeval-stop-early", "--autoeval-shard=1/2"),
            "cannot be combined with --autoeval-shard: parts are not",
        ),
        (("--autoeval-baseline-model=m",), "--autoeval-baseline-model: needs --autoeval-baseline"),
        (("--autoeval-baseline=nowhere.jsonl",), "nowhere.jsonl: there is no such file"),
        (
            ("--autoeval-html=test_suite.py/page.html",),
            "test_suite.py is not a folder, so nothing can be written",
        ),
        (
            ("--autoeval-baseline=test_suite.py", "--autoeval-results=./test_suite.py"),
            "would overwrite the baseline",
        ),
        (
            ("--autoeval-github-summary", "test_suite.py"),
            "exists and does not contain a summary in Markdown",
        ),
        (("--autoeval-summary", "test_suite.py"), "exists and does not contain a summary in JSON"),
        *(
            (
                ("--autoeval-shard=1/2", f"--autoeval-{given}"),
                f"--autoeval-{name}: cannot be combined with --autoeval-shard",
            )
            for name, given in (("gate", "gate=interval"), ("baseline", "baseline=old.jsonl"))
        ),
        (
            ("--autoeval-reader=offline/bag-of-words",),
            "--autoeval-reader: offline/bag-of-words is an embedding model",
        ),
        (
            ("--autoeval-reader=offline/faithfull",),
            "there is no offline model 'offline/faithfull'. Did you mean",
        ),
        ((SERVER,), "no model is named; write --autoeval-model=NAME"),
        (
            (SERVER, "--autoeval-model=m", "--autoeval-model=offline/leak"),
            "offline/leak is built in and asks no server",
        ),
        (
            (SERVER, "--autoeval-model=litellm/openai/m"),
            "--autoeval-base-url: LiteLLM does not use it; give api_base in",
        ),
        (
            (
                "--autoeval-max-cost=1",
                *(f"--autoeval-model={name}" for name in ("offline/leak", "a", "b")),
            ),
            "--autoeval-max-cost: the price of a is not known",
        ),
        (("--autoeval-explain=AE999",), "there is no outcome with the code or name 'AE999'."),
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


@pytest.mark.parametrize("key", ["autoeval_treshold", "autoeval-threshold", "autoevalthreshold"])
@pytest.mark.parametrize("more", ["", "filterwarnings = ignore\n"])
def test_an_unknown_ini_key_is_an_error_that_names_the_file_and_the_nearest_keys(
    pytester: pytest.Pytester, run: Run, key: str, more: str
) -> None:
    pytester.makeini(f"[pytest]\n{key} = 0.9\n{more}")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    complaint = f"tox.ini: there is no ini key '{key}'. Did you mean 'autoeval_threshold'"
    assert complaint in said(result)


def test_a_mistake_is_told_as_well_with_workers(suite: Suite, run: Run) -> None:
    suite()
    result = run("-n", "2", "--autoeval-model=offline/fatihful")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert said(result).count("there is no offline model") == 1
    assert "created: 2/2 workers" not in said(result)


def test_equal_seeds_draw_equal_formulas_and_others_draw_others(
    suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    drawn = []
    for seed in ("5", "5", "6"):
        run(f"--autoeval-seed={seed}", "--autoeval-operators=3:6:2", "--autoeval-results=out.jsonl")
        assert {row["operators"] for row in rows("out.jsonl")} == {3, 5}
        drawn.append([row["formula"] for row in rows("out.jsonl")])
        assert {row["seed"] for row in rows("out.jsonl")} == {int(seed)}
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


OPEN_AND_MARKED = """
import pytest

@pytest.mark.autoeval("propositional")
def test_open(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)

@pytest.mark.autoeval("propositional", operators=1, samples=1, threshold=0)
def test_marked(sample, round_trip, assert_equivalent):
    assert_equivalent(round_trip(sample), sample.formula)
"""
ALL_IN_INI = """
[tool.pytest.ini_options]
autoeval_model = ["offline/or-for-and", "offline/faithful"]
autoeval_samples = "3"
autoeval_seed = "4"
autoeval_operators = "2,3"
autoeval_repeats = "2"
autoeval_prompting = ["few-shot"]
autoeval_prompts = ["own"]
autoeval_threshold = "0.99"
autoeval_record_mode = "new_episodes"
autoeval_cassettes = "kept"
autoeval_price = ["gpt-5-mini=0.25/2"]
autoeval_max_cost = "5"
autoeval_results = "out.jsonl"
autoeval_parameters = '{"top_p": 0.9}'
"""


def test_every_option_can_stand_in_the_ini_file(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite(OPEN_AND_MARKED)
    pytester.makepyprojecttoml(ALL_IN_INI)
    # A folder of prompts for another task.
    folder = pytester.mkdir("own") / "judge"
    folder.mkdir()
    (folder / "regex.direct.toml").write_text('user = "${formula}"\n', encoding="utf-8")
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
    all_rows = rows("out.jsonl")
    rows_of_faithful = [row for row in all_rows if row["model"] == "offline/faithful"]
    open_rows = [row for row in rows_of_faithful if row["suite"].endswith("test_open")]
    assert len(open_rows) == 2 * 3 * 2
    assert {row["operators"] for row in open_rows} == {2, 3}
    assert {row["seed"] for row in all_rows} == {4}
    assert list(pytester.path.glob("kept/*")), "nothing was recorded beside the ini file"


def test_what_is_typed_goes_before_the_ini_file(
    pytester: pytest.Pytester, suite: Suite, run: Run, rows: Rows
) -> None:
    suite()
    pytester.makeini(
        "[pytest]\nautoeval_threshold = 0\nautoeval_samples = 9\nautoeval_model = offline/faithful\n"
    )
    result = run(
        "--autoeval-threshold=99%",
        "--autoeval-samples=1",
        "--autoeval-operators=3",
        "--autoeval-model=offline/refusal",
        "--autoeval-results=out.jsonl",
        "--autoeval-shrink-budget=0",
    )
    result.assert_outcomes(failed=1)
    assert [(row["model"], row["outcome"]) for row in rows("out.jsonl")] == [
        ("offline/refusal", "refused or empty")
    ]


def test_a_rate_in_per_cent_is_the_very_number_that_samples_can_meet() -> None:
    assert [rate(f"{tenths / 10:.1f}%") for tenths in range(1001)] == [
        tenths / 1000 for tenths in range(1001)
    ]
    assert [rate(f"{cents / 100:.2f}%") for cents in range(10001)] == [
        cents / 10000 for cents in range(10001)
    ]


def test_how_a_suite_ends_is_explained_too(run: Run) -> None:
    shown = run("--autoeval-explain=Inconclusive", apart=True)
    shown.stdout.fnmatch_lines(
        [
            "inconclusive: the data are too few *",
            "What to do",
            "*more samples (--autoeval-samples)*",
        ]
    )
    refused = said(run("--autoeval-explain=inconclusiv", apart=True))
    assert "Did you mean 'inconclusive'?" in refused
    assert "and how a suite ends: failed, interrupted, inconclusive, passed" in refused


def test_information_is_given_instead_of_a_run(run: Run) -> None:
    run("--autoeval-explain=ae101").stdout.fnmatch_lines(
        ["AE101 different: *", "Counts as: model failure"]
    )
    result = run("--autoeval-models")
    assert result.ret == 0
    blocks = [block.splitlines() for block in result.stdout.str().split("\n\n")]
    assert blocks[0][0] == "no fault, or errors by chance:"
    assert [line.split()[0] for block in blocks for line in block[1:]] == [
        name for name, _ in offline_models()
    ]
    assert all(heading.endswith(":") and len(models) in range(1, 12) for heading, *models in blocks)
    assert ["offline/one-or-more", "offline/misplaced-star"] in [
        [model.split()[0] for model in models] for _, *models in blocks
    ]


def test_help_has_every_option_in_one_group_and_every_ini_key(run: Run) -> None:
    text = run("--help").stdout.str()
    _, _, group = text.partition("\nautoeval: ")
    group = re.split(r"\n\n(?=\S)", group)[0]
    entries = {**OPTIONS, **ACTIONS}
    too_long = {name: len(entry.help) for name, entry in entries.items() if len(entry.help) > 60}
    assert not too_long, "the help of these options has more than 60 characters"
    headings = [entry.starts_group for entry in entries.values() if entry.starts_group]
    assert len(headings) == len(set(headings)), f"each group starts once: {headings}"
    assert re.findall(r"^ {24}([A-Z][a-z ]+):$", group, re.MULTILINE) == headings
    options = {
        word.split("=")[0].strip("();,") for word in group.split() if word.startswith("--autoeval-")
    }
    keys = {line.split()[0] for line in text.splitlines() if line.startswith("  autoeval_")}
    without_key = {
        "--autoeval-formula",
        "--autoeval-resume",
        "--autoeval-plan",
        "--autoeval-models",
        "--autoeval-explain",
    }
    assert keys == {name[2:].replace("-", "_") for name in options - without_key}
    assert without_key < options


def test_an_installed_plugin_that_is_turned_off_leaves_no_trace(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile("def test_it(request):\n    assert 'llm' not in request.fixturenames\n")
    result = run("-p", "no:autoeval", apart=True)
    result.assert_outcomes(passed=1)
    assert not list(Path(pytester.path).glob("cassettes"))


def test_there_is_a_field_for_each_option() -> None:
    fields = {field.name for field in dataclasses.fields(Settings)}
    assert fields == OPTIONS.keys() | {"model_named", "typed", "folder", "ini_file", "ini_options"}


def test_they_are_frozen_and_read_once(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig("--autoeval-seed=7")
    settings = settings_of(config)
    assert settings is settings_of(config)
    with pytest.raises(dataclasses.FrozenInstanceError):
        settings.seed = 8  # type: ignore[misc]
    config.option.autoeval_seed = 9
    assert settings_of(config).seed == 7


def test_the_command_line_wins_over_the_ini_file_which_wins_over_defaults(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini(
        "[pytest]\nautoeval_seed = 3\nautoeval_repeats = 4\nautoeval_samples = 5\nautoeval_dataset =\n    a.csv\n"
    )
    below = pytester.mkdir("below")
    monkeypatch.chdir(below)
    settings = settings_of(
        pytester.parseconfig("-c", "../tox.ini", "--autoeval-seed=2", "--autoeval-html=page.html")
    )
    assert (settings.seed, settings.repeats, settings.alpha) == (2, 4, 0.05)
    assert [settings.over_marker("samples", marked) for marked in (7, None)] == [7, 5]
    assert settings.dataset == (pytester.path / "a.csv",)
    assert settings.html == Path(below / "page.html")
    assert dict(settings.typed) == {"seed": 2, "html": Path("page.html")}
    assert settings.origin("seed") == "--autoeval-seed"
    assert settings.origin("repeats") == "tox.ini: autoeval_repeats"


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_misspelt_option_names_the_right_one(suite: Suite, run: Run, workers: str) -> None:
    suite()
    for typed, meant in (
        ("modle=m", "model"),
        ("recordmode=none", "record-mode"),
        ("sample", "samples"),
    ):
        result = run(f"--autoeval-{typed}", "-n", workers)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        name = typed.partition("=")[0]
        assert f"there is no option --autoeval-{name}. Did you mean --autoeval-{meant}?" in said(
            result
        )
    assert "unrecognized arguments: --autoeval-xyzzy" in said(run("--autoeval-xyzzy"))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("--auteoval-baseline-variant", "baseline-variant"),
        ("--autoval-modle", "model"),
        ("--autoeval_threshold", "threshold"),
    ],
)
def test_a_misspelt_prefix_names_the_right_option(run: Run, typed: str, meant: str) -> None:
    text = said(run(f"{typed}=x"))
    assert f"there is no option {typed}. Did you mean --autoeval-{meant}?" in text


@pytest.mark.parametrize("typed", ["--autoload-model=x", "--auteoval-xyzzy", "--model=x"])
def test_an_option_of_another_plugin_is_left_to_pytest(run: Run, typed: str) -> None:
    assert f"unrecognized arguments: {typed}" in said(run(typed))


def test_an_option_under_another_name_names_the_right_one(suite: Suite, run: Run) -> None:
    suite()
    result = run("--autoeval-markdown=run.md")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    asked = "there is no option --autoeval-markdown. Did you mean --autoeval-github-summary=PATH?"
    assert asked in said(result)


def test_a_guess_is_no_name_of_an_option_and_belongs_to_one() -> None:
    guesses = [
        guess for option in (*OPTIONS.values(), *ACTIONS.values()) for guess in option.guesses
    ]
    assert len(guesses) == len(set(guesses))
    assert not {guess.replace("-", "_") for guess in guesses} & {*OPTIONS, *ACTIONS}


@pytest.mark.parametrize("option", ["results", "html"])
def test_a_file_of_another_kind_is_not_overwritten(suite: Suite, run: Run, option: str) -> None:
    file = suite()
    before = file.read_bytes()
    result = run(f"--autoeval-{option}={file.name}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert f"{file} exists and does not contain" in said(result)
    assert file.read_bytes() == before
    Path("empty").touch()
    for _ in range(2):  # the second run overwrites what the first one wrote
        run(f"--autoeval-{option}=empty", "--autoeval-samples=1").assert_outcomes(passed=1)
