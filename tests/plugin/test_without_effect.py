"""An option that has no effect in a run is named, in one line with what it needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.engine.settings import OPTIONS

from .conftest import Run, Suite, marked, said

ROUND_TRIP = marked('"propositional", operators=[1], samples=2, threshold=0.5', "TRIP")
JUDGE = marked(
    '"judge_propositional", task="judge", operators=[2], samples=2', "perform()", "perform"
)
OWN = marked('"propositional", operators=[1], samples=2', "assert sample.formula")
FOLDERS = ("--autoeval-prompts=one", "--autoeval-prompts=two")
IDLE = {
    "--autoeval-threshold=70%": ROUND_TRIP,
    "--autoeval-gate=interval": OWN,
    "--autoeval-paraphrases=2": ROUND_TRIP,
    "--autoeval-interface=reasoning": ROUND_TRIP,
    "--autoeval-agreement=90%": ROUND_TRIP,
    "--autoeval-price=other=1/2": ROUND_TRIP,
    "--autoeval-reader=offline/faithful": JUDGE,
    "--autoeval-copies=count": JUDGE,
    "--autoeval-blame": JUDGE,
    "--autoeval-prompting=few-shot": OWN,
    "--autoeval-max-tokens=100": OWN,
    "--autoeval-rpm=60": OWN,
    "--autoeval-verify-timeout=1": OWN,
}
WORKING = {
    "--autoeval-threshold=70%": ROUND_TRIP.replace(", threshold=0.5", ""),
    "--autoeval-gate=point": ROUND_TRIP,
    "--autoeval-interface=reasoning": JUDGE,
    "--autoeval-price=offline/faithful=1/2": ROUND_TRIP,
    "--autoeval-reader=offline/faithful": ROUND_TRIP,
    "--autoeval-copies=count": ROUND_TRIP,
    "--autoeval-seed=3": ROUND_TRIP,
    "--autoeval-measures=depth=1:3": ROUND_TRIP,
    "--autoeval-prompting=few-shot": ROUND_TRIP,
    "--autoeval-rpm=6000": ROUND_TRIP,
    "--autoeval-verify-timeout=1": ROUND_TRIP,
}
WITHOUT = "without effect in this run: "


@pytest.mark.parametrize("option", IDLE)
def test_an_option_without_effect_is_named(suite: Suite, run: Run, option: str) -> None:
    suite(IDLE[option])
    result = run(option)
    name = option.removeprefix("--autoeval-").partition("=")[0].replace("-", "_")
    shown = f"{option.rpartition('=')[0]}=…" if name == "price" else option.partition("=")[0]
    assert f"{WITHOUT}{shown} (it needs {OPTIONS[name].needs})" in said(result)


@pytest.mark.parametrize("option", ["--autoeval-measures=depth=1:3", "--autoeval-samples=4"])
def test_what_chooses_among_samples_does_nothing_for_a_typed_formula(
    suite: Suite, run: Run, option: str
) -> None:
    suite(ROUND_TRIP)
    name = option.partition("=")[0]
    shown = said(run(option, "--autoeval-formula=p1 & p2"))
    assert f"{WITHOUT}{name} (it needs samples that are not given by --autoeval-formula)" in shown


@pytest.mark.parametrize("option", WORKING)
def test_an_option_with_effect_is_not(suite: Suite, run: Run, option: str) -> None:
    suite(WORKING[option])
    assert WITHOUT not in said(run(option))


def test_all_of_them_stand_in_one_line_also_with_workers(suite: Suite, run: Run) -> None:
    suite(ROUND_TRIP + JUDGE.replace("import pytest", "").replace("test_it", "test_other"))
    result = run(
        "--autoeval-threshold=70%", "--autoeval-paraphrases=1", "--autoeval-copies=count", "-n", "2"
    )
    assert said(result).count(WITHOUT) == 1
    assert "--autoeval-paraphrases (it needs sentences in other words)" in said(result)
    assert "--autoeval-copies" not in said(result).partition(WITHOUT)[2].partition("\n")[0]


def test_the_ini_file_is_for_all_runs_of_a_project(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    pytester.makeini("[pytest]\nautoeval_threshold = 70%\n")
    suite(ROUND_TRIP)
    assert WITHOUT not in said(run())


def write(folder: Path, *names: str) -> None:
    texts = {"informalize": "Describe ${formula}", "autoformalize": "Read ${description}"}
    for name in names:
        file = folder / f"{name}.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'user = "{texts.get(file.parent.name, "")}"', "utf-8")


def test_the_prompts_in_use_are_listed_and_folders_without_effect(
    pytester: pytest.Pytester, suite: Suite, run: Run
) -> None:
    write(pytester.path / "one", "informalize/propositional", "informalize/regex")
    write(pytester.path / "two", "informalize/regex")
    suite(ROUND_TRIP)
    result = run(*FOLDERS)
    assert "prompts of your own in use: one/informalize/propositional.toml\n" in said(
        result
    ).replace("\\", "/")
    assert f"{WITHOUT}--autoeval-prompts=two (none of its prompts is used)" in said(result)
    suite(ROUND_TRIP.replace("propositional", "ltl"))
    assert "prompts of your own in use: none" in said(run("--autoeval-prompts=two"))


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("informalize/prop", "there is no language 'prop'"),
        ("informalize/fol", "there is no language 'fol'"),
        (
            "informalize/propositional.terse",
            "the task informalize looks for propositional.toml, propositional.paper.toml",
        ),
        ("describe/propositional", "there is no task 'describe'"),
        (
            "judge/propositional",
            "looks for propositional.direct.toml, propositional.paper.toml, propositional.reasoning.toml",
        ),
    ],
)
@pytest.mark.parametrize("registered", [False, True])
def test_a_prompt_that_nothing_looks_for_is_refused(
    pytester: pytest.Pytester, suite: Suite, run: Run, name: str, problem: str, registered: bool
) -> None:
    write(pytester.path / "own", name)
    suite(ROUND_TRIP)
    if registered:
        pytester.makeconftest(
            "def pytest_autoeval_register(registry):\n    registry.add_prompts('own')\n"
        )
    result = run(*([] if registered else ["--autoeval-prompts=own"]))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "nothing looks for this prompt" in said(result)
    assert problem in said(result)
