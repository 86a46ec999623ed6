"""The wheel: built, installed into a fresh environment, and used from an empty folder."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
_FOREIGN = ("OPENAI_", "PYTEST_", "COV_", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}

SUITES = ("-m", "pytest", "--pyargs", "pytest_autoeval.suites", "-q", "-p", "no:cacheprovider")


@dataclass(frozen=True)
class Installed:
    """A fresh environment that holds the wheel, and an empty folder to work in."""

    python: Path
    folder: Path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs Python with these arguments in the folder."""
        return subprocess.run(
            [self.python, *arguments],
            cwd=self.folder,
            env=ENVIRONMENT,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=300,
        )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(ROOT)]
    built = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=300
    )
    assert built.returncode == 0, built.stdout + built.stderr
    [wheel] = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, installed by this environment's pip; what it requires is found in this environment too.

    That nothing is missing among the requirements shows in the README's first command, which has them alone.
    """
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-deps",
        str(wheel),
    ]
    done = subprocess.run(
        pip, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    scheme = {"base": str(home), "platbase": str(home)}
    required = Path(sysconfig.get_path("purelib", vars=scheme)) / "required.pth"
    required.write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return Installed(python, tmp_path_factory.mktemp("empty"))


def test_the_wheel_holds_what_stands_in_the_repository(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        held = {
            name
            for name in archive.namelist()
            if not name.startswith("pytest_autoeval/cassettes/.")
        }
        [metadata] = [name for name in held if name.endswith(".dist-info/METADATA")]
        described = archive.read(metadata).decode()
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "pytest_autoeval").rglob("*")
        if path.is_file()
    }
    beside = {
        f"pytest_autoeval/{path.relative_to(ROOT).as_posix()}"
        for folder in ("grammars", "suites", "data", "cassettes")
        for path in (ROOT / folder).rglob("[!.]*")
        if path.is_file()
    }
    expected = {name for name in package | beside if "__pycache__" not in name}
    assert {name for name in held if ".dist-info/" not in name} == expected
    assert {
        "pytest_autoeval/py.typed",
        "pytest_autoeval/grammars/ksat.lark",
        "pytest_autoeval/suites/__init__.py",
        "pytest_autoeval/prompts/informalize/regex.toml",
        "pytest_autoeval/studies/temporal_logic/prompts/translate/ltl.detailed.toml",
        metadata.replace("METADATA", "licenses/LICENSE"),
    } <= held
    assert "License-Expression: MIT" in described
    assert (ROOT / "README.md").read_text(encoding="utf-8") in described


def test_the_packaged_suites_are_replayed_from_an_empty_folder_and_leave_nothing_in_it(
    installed: Installed,
) -> None:
    done = installed.run(*SUITES, "--autoeval-record-mode=none", "-k", "test_judge.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(installed.folder.iterdir()) == []


def test_the_command_that_reproduces_a_failure_finds_the_packaged_suite(
    installed: Installed, tmp_path: Path
) -> None:
    """The root folder is above the environment, as where that stands in a repository."""
    results, junit = tmp_path / "r.jsonl", tmp_path / "j.xml"
    above = (
        f"--rootdir={installed.folder.parent}",
        f"--autoeval-results={results}",
        f"--junitxml={junit}",
    )
    failed = installed.run(
        *SUITES,
        *above,
        "--autoeval-model=offline/or-for-and",
        "--autoeval-samples=1",
        "-k",
        "ksat and not judge",
        "-v",
    )
    example, _, command = failed.stdout.partition(" calls")[2].partition("    reproduce ")
    [program, *arguments] = shlex.split(command.splitlines()[0])
    named = ["pytest", "--pyargs", "pytest_autoeval.suites.test_ksat::test_round_trip"]
    assert [program, *arguments[:2]] == named
    assert 'classname="pytest_autoeval.suites.test_ksat"' in junit.read_text("utf-8")
    assert " ".join(named) in installed.run("-m", "pytest_autoeval", "report", str(results)).stdout
    again = installed.run("-m", "pytest", "-p", "no:cacheprovider", "-v", *arguments)
    assert again.returncode == 1, again.stdout + again.stderr  # a typed formula must pass
    translation = next(line for line in example.splitlines() if line.startswith("    translation"))
    assert translation in again.stdout


def test_a_data_set_is_generated_by_the_command(installed: Installed) -> None:
    made = installed.run(
        "-m",
        "pytest_autoeval",
        "generate",
        "ksat",
        "--operators",
        "2:9",
        "--count",
        "3",
        "--out",
        "-",
    )
    assert made.returncode == 0, made.stderr
    rows = [json.loads(line) for line in made.stdout.splitlines()]
    assert [row["operators"] for row in rows] == [2, 2, 2, 5, 5, 5, 8, 8, 8]
