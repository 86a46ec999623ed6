"""A suite has one name, however pytest was called."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pytest_autoeval.engine.suite_files import SHIPPED_SUITES, is_shipped
from pytest_autoeval.record.suite_names import named

from .conftest import ROUND_TRIP, Rows, Run, Suite, said

ONE = ("--autoeval-operators=1", "--autoeval-samples=1", "--autoeval-results=out.jsonl")


@pytest.fixture
def elsewhere(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder beside that of two suites in a package, which can be imported."""
    package = pytester.mkpydir("package_of_suites")
    for name in ("test_one.py", "test_two.py"):
        (package / name).write_text(ROUND_TRIP.replace("{more}", ""), "utf-8")
    monkeypatch.syspath_prepend(pytester.path)
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    folder = pytester.mkdir("elsewhere")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "arguments", [("--pyargs", "package_of_suites"), ("../package_of_suites",)]
)
def test_suites_of_two_files_are_two(
    elsewhere: Path, run: Run, rows: Rows, arguments: tuple[str, ...]
) -> None:
    run(*ONE, "--rootdir=.", *arguments, apart=True)
    names = {row["suite"] for row in rows(str(elsewhere / "out.jsonl"))}
    assert names == {
        "../package_of_suites/test_one.py::test_round_trip",
        "../package_of_suites/test_two.py::test_round_trip",
    }


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
@pytest.mark.parametrize(
    "arguments", [("--pyargs", "package_of_suites.{}"), ("../package_of_suites/{}.py",)]
)
def test_two_files_whose_tests_have_one_id_are_refused(
    elsewhere: Path, run: Run, arguments: tuple[str, ...], workers: tuple[str, ...]
) -> None:
    assert elsewhere.is_dir()
    *before, module = arguments
    ran = run(
        *ONE,
        "--rootdir=.",
        *workers,
        *before,
        module.format("test_one"),
        module.format("test_two"),
        apart=True,
    )
    assert ran.ret == pytest.ExitCode.USAGE_ERROR
    assert "to tests of two files" in said(ran)


@pytest.mark.parametrize("way", ["the file", "its folder", "the module", "the package"])
def test_a_packaged_suite_has_its_name_from_any_folder(
    pytester: pytest.Pytester, run: Run, rows: Rows, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    file = SHIPPED_SUITES / "test_ksat.py"
    monkeypatch.chdir(pytester.path)
    chosen = {
        "the file": (str(file),),
        "its folder": (str(file.parent), "-k", "ksat and not judge"),
        "the module": ("--pyargs", "pytest_autoeval.suites.test_ksat"),
        "the package": ("--pyargs", "pytest_autoeval.suites", "-k", "ksat and not judge"),
    }[way]
    run(
        "--autoeval-operators=2",
        "--autoeval-samples=1",
        "--autoeval-results=out.jsonl",
        "--rootdir=.",
        *chosen,
    )
    names = {row["suite"] for row in rows("out.jsonl")}
    assert "suites/test_ksat.py::test_round_trip" in names
    assert all(name.startswith("suites/test_") for name in names)


def test_a_report_names_a_packaged_suite_by_a_path_that_exists(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pytester.path)
    run(
        "--pyargs",
        "pytest_autoeval.suites.test_ksat",
        "--autoeval-model=offline/negation-scope",
        "--autoeval-operators=5",
        "--autoeval-samples=3",
        "--autoeval-results=out.jsonl",
        "--rootdir=.",
    )
    report = pytester.run(sys.executable, "-m", "pytest_autoeval", "report", "out.jsonl")
    commands = re.findall(r"reproduce +pytest (\S+)::test_round_trip ", report.stdout.str())
    assert commands
    assert {Path(file) for file in commands} == {SHIPPED_SUITES / "test_ksat.py"}


def test_which_files_are_packaged_suites() -> None:
    assert is_shipped("suites/test_ksat.py")
    assert not is_shipped("suites/test_nothing.py")
    assert not is_shipped("test_ksat.py")


def test_a_parameter_may_have_the_name_of_a_prompting(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    folder = pytester.mkdir("with[bracket]")
    (folder / "test_params.py").write_text(
        "import pytest\n\n@pytest.mark.parametrize('tone', ['few-shot', 'zero-shot'])"
        + ROUND_TRIP.replace("{more}", ", threshold=1")
        .replace("import pytest\n", "")
        .replace("trip(sample", "trip(tone, sample"),
        "utf-8",
    )
    few = "--autoeval-prompting=few-shot"
    run(few, "--autoeval-results=old.jsonl").assert_outcomes(passed=2)
    plain = "with[bracket]/test_params.py::test_round_trip"
    assert {(row["suite"], row["variant"]) for row in rows("old.jsonl")} == {
        (f"{plain}[few-shot]", ""),
        (f"{plain}[zero-shot]", ""),
    }
    both = (
        few,
        "--autoeval-prompting=zero-shot",
        "--autoeval-baseline=old.jsonl",
        "--autoeval-fail-on=drop:90%",
    )
    compared = run(*both, "--autoeval-results=new.jsonl", "-k", "few-shot-few-shot")
    assert compared.ret == pytest.ExitCode.OK
    assert {row["suite"] for row in rows("new.jsonl")} == {f"{plain}[few-shot-few-shot]"}
    failed = run(
        few, "--autoeval-model=offline/or-for-and", "-k", "zero", "--autoeval-shrink-budget=0"
    )
    failed.stdout.fnmatch_lines(
        [f"*pytest '{plain.replace('[', '[[]')}[[]offline/or-for-and-zero-shot]'*"]
    )


def test_ids_can_be_typed_and_differ(suite: Suite, run: Run) -> None:
    suite()
    server = ("--autoeval-base-url=http://127.0.0.1:9/v1", "--collect-only", "-q")
    models = [f"--autoeval-model={name}" for name in ("lab/a b", "lab/a?b=1", "lab/a[b]=1", "模型")]
    reader = ("--autoeval-reader=offline/student?strength=0.9", "--autoeval-prompting=zero-shot")
    listed = run(*server, *models, *reader, "--autoeval-prompting=few-shot").stdout.lines
    ids = [line.partition("[")[2].removesuffix("]") for line in listed if "::" in line]
    read = "read-by-offline/student-strength-0.9"
    assert ids[:4] == [f"lab/a-b-{way}-{read}" for way in ("zero-shot", "few-shot")] + [
        f"lab/a-b-1-{way}-{read}" for way in ("zero-shot", "few-shot")
    ]
    assert ids[4:] == [
        *(f"lab/a-b-1-{way}-{read}-2" for way in ("zero-shot", "few-shot")),
        *(f"model-{way}-{read}" for way in ("zero-shot", "few-shot")),
    ]
    (again,) = (line for line in run(*server, *models, "-k", "model").stdout.lines if "::" in line)
    assert again.endswith("::test_round_trip[model]")


@pytest.mark.parametrize(
    ("suite_name", "model", "id_"),
    [
        (
            "t.py::test_a",
            "offline/student?strength=0.9",
            "t.py::test_a[offline/student-strength-0.9]",
        ),
        (
            "t[1].py::T::test_a[few-shot-x]",
            "gpt-5-mini",
            "t[1].py::T::test_a[gpt-5-mini-few-shot-x]",
        ),
    ],
)
def test_headings_name_a_suite_by_its_id(suite_name: str, model: str, id_: str) -> None:
    assert named(suite_name, model) == id_
