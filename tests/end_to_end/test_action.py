"""The GitHub action: its steps run here as they do there, with a `gh` that keeps comments in a file."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.result_rows import row, write_rows

from pytest_autoeval.record.file import read_file
from pytest_autoeval.report.renderers.markdown_text import block

ACTION = Path(__file__).parents[2] / ".github" / "actions" / "autoeval"
#: Stands for `gh api`: comments are a list in a file; with FORBIDDEN set it answers as GitHub does to a fork.
GH = """\
import json, os, sys
arguments = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps(arguments) + "\\n")
path, method = arguments[1].partition("?")[0], arguments[arguments.index("--method") + 1]
if os.environ.get("FORBIDDEN") and method != "GET":
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
with open(os.environ["COMMENTS"]) as file:
    comments = json.load(file)
if method == "GET":
    print(json.dumps([comments[:2], comments[2:]] if "--slurp" in arguments else comments))
    sys.exit()
body = json.load(sys.stdin)["body"]
if method == "POST":
    assert path == "repos/octo/logic/issues/7/comments", path
    comments.append({"id": 100 + len(comments), "user": {"login": "github-actions[bot]"}, "body": body})
else:
    [comment] = [one for one in comments if path == f"repos/octo/logic/issues/comments/{one['id']}"]
    comment["body"] = body
with open(os.environ["COMMENTS"], "w") as file:
    json.dump(comments, file)
print("{}")
"""
SUITE = """
import pytest

@pytest.mark.autoeval("propositional", operators=range(3), samples=3, threshold=THRESHOLD)
def test_round_trip(sample, llm, assert_equivalent):
    description = llm.informalize(sample.formula)
    assert_equivalent(llm.autoformalize(description, like=sample), sample.formula)
"""


class Job:
    """A job on GitHub's runner: a folder, its environment, and the files that steps write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        programs = folder / "programs"
        programs.mkdir()
        for name, text in (
            ("gh", GH),
            ("python", "import os, sys; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"),
        ):
            program = programs / name
            program.write_text(f"#!{sys.executable}\n{text}", "utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        for name in ("summary", "output", "calls"):
            (folder / name).touch()
        self.comment_on()
        self.set_event({"pull_request": {"number": 7}})
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GITHUB_", "AUTOEVAL_", "PYTEST_"))
        }
        self.environment = kept | {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "CALLS": str(folder / "calls"),
            "COMMENTS": str(folder / "comments.json"),
            "GITHUB_ACTION_PATH": str(ACTION),
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_REPOSITORY": "octo/logic",
            "GITHUB_RUN_ID": "42",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        }

    def set_event(self, event: dict[str, Any]) -> None:
        (self.folder / "event.json").write_text(json.dumps(event), "utf-8")

    def comment_on(self, *comments: dict[str, Any]) -> None:
        """Sets the comments that the pull request has."""
        (self.folder / "comments.json").write_text(json.dumps(comments), "utf-8")

    def comments(self) -> list[dict[str, Any]]:
        return list(json.loads((self.folder / "comments.json").read_text("utf-8")))

    def written(self, name: str) -> str:
        return (self.folder / name).read_text("utf-8")

    def step(self, number: int, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Runs a step's script as the runner does, with the inputs in the environment that the step names."""
        step = action()["runs"]["steps"][number]
        environment = {
            name: _filled(value, inputs, self.outputs()) for name, value in step["env"].items()
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env=self.environment | environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    def outputs(self) -> dict[str, str]:
        return dict(line.partition("=")[::2] for line in self.written("output").splitlines())


RUN, UPLOAD, COMMENT, VERDICT = range(4)


def action() -> dict[str, Any]:
    return dict(yaml.safe_load((ACTION / "action.yml").read_text("utf-8")))


def _filled(expression: str, inputs: dict[str, str], outputs: dict[str, str]) -> str:
    """What a `${{ … }}` of the action comes to."""
    [(kind, name)] = re.findall(r"\$\{\{ (inputs|steps\.run\.outputs)\.([\w-]+) \}\}", expression)
    if kind != "inputs":
        return outputs.get(name, "")
    return inputs.get(name.replace("-", "_"), str(action()["inputs"][name]["default"]))


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_inputs_reach_scripts_through_the_environment_alone() -> None:
    definition = action()
    for step in definition["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"
    assert [step.get("uses", "run").partition("@")[0] for step in definition["runs"]["steps"]] == [
        *("run", "actions/upload-artifact", "run", "run")
    ]
    assert all(
        one["description"].strip()
        for one in (*definition["inputs"].values(), *definition["outputs"].values())
    )
    used = set(re.findall(r"inputs\.([\w-]+)", (ACTION / "action.yml").read_text("utf-8")))
    assert used == set(definition["inputs"])


@pytest.mark.parametrize("model", ["offline/faithful", "offline/negation-scope"])
def test_it_runs_pytest_keeps_the_files_and_the_verdict(job: Job, model: str) -> None:
    (job.folder / "test_suite.py").write_text(SUITE.replace("THRESHOLD", "0.95"), "utf-8")
    arguments = f"--autoeval-model={model} -p no:cacheprovider --autoeval-shrink-budget=0"
    ran = job.step(RUN, arguments=arguments, install="")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    code = "0" if model == "offline/faithful" else "1"
    passed = code == "0"
    assert job.outputs() == {
        "exit-code": code,
        "verdict": "passed" if passed else "failed",
        "reason": f"the suite {'passed' if passed else 'failed'}",
        "results": "autoeval-report/results.jsonl",
        "html": "autoeval-report/report.html",
    }
    assert {path.name for path in (job.folder / "autoeval-report").iterdir()} == {
        *("results.jsonl", "report.html", "summary.md", "junit.xml")
    }
    assert job.written("summary") == job.written("autoeval-report/summary.md") != ""
    verdict = job.step(VERDICT)
    assert verdict.returncode == int(code)
    assert verdict.stdout == ("" if passed else "::error title=pytest-autoeval::the suite failed\n")
    if not passed:
        assert job.step(COMMENT).returncode == 0
        [comment] = job.comments()
        assert "the suite failed" in comment["body"]
    # What a run prints is no order to the runner: it is bracketed by a word that nobody knows before.
    token = re.findall(r"^::stop-commands::(\w+)$", ran.stdout, re.MULTILINE)[-1]
    assert ran.stdout.rstrip().endswith(f"::{token}::")


def results(path: Path, *indices: int, **more: Any) -> None:
    """A results file with these samples, all of which passed."""
    write_rows(
        path, [row(index=index, operators=1, formula=f"p{index}", **more) for index in indices]
    )


def test_it_reports_on_the_results_of_other_jobs(job: Job) -> None:
    results(job.folder / "shards" / "one" / "results.jsonl", 0, 1)
    results(job.folder / "shards" / "two\n::error::and a half" / "results.jsonl", 2)
    ran = job.step(
        RUN,
        results="shards/**/*.jsonl\n",
        arguments="--threshold 99% --gate interval --title 'the whole'",
        install="",
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("::stop-commands::")  # before the names of the files
    assert job.outputs()["exit-code"] == "10"
    assert job.written("summary").startswith("## ? the whole: the suite is inconclusive\n")
    assert len(read_file(job.folder / "autoeval-report/results.jsonl").samples) == 3
    assert job.step(VERDICT).returncode == 10
    warned = job.step(VERDICT, inconclusive="warn")
    assert warned.returncode == 0
    assert (
        warned.stdout
        == "::warning title=pytest-autoeval::inconclusive: the suite is inconclusive\n"
    )
    (job.folder / "output").write_text("exit-code=1\n", "utf-8")
    assert job.step(VERDICT, inconclusive="warn").returncode == 1


def test_the_check_is_red_where_a_part_left_no_results(job: Job) -> None:
    for number in (1, 3):
        results(
            job.folder / f"shards/{number}/results.jsonl",
            number,
            shard=f"{number}/3",
            planned=3,
            threshold=0.5,
        )
    assert job.step(RUN, results="shards/*/results.jsonl", install="").returncode == 0
    assert job.outputs()["exit-code"] == "2"
    assert "`part 2/3 is missing`: 2 of 3 samples ran; 1 suite could not be judged" in job.written(
        "summary"
    )
    assert job.step(VERDICT).returncode == 2


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"inconclusive": "ignore"}, "inconclusive: 'ignore' is neither fail nor warn"),
        ({"arguments": "-k 'open"}, "arguments: No closing quotation; quote them as in a shell"),
        ({"folder": "a\nexit-code=0"}, "folder: 'a\\nexit-code=0' has more than one line"),
        ({"results": "none/*.jsonl"}, "results: no file matches none/*.jsonl"),
    ],
)
def test_a_mistake_in_the_workflow_is_reported(
    job: Job, inputs: dict[str, str], message: str
) -> None:
    ran = job.step(RUN, install="", **inputs)
    assert ran.returncode == 1
    assert ran.stdout == f"::error title=pytest-autoeval::{message}\n"
    assert job.outputs() == {}


def test_no_input_becomes_a_command(job: Job) -> None:
    evil = "$(touch evil) `touch evil`; touch evil\n|| touch evil # \"'\"' && touch evil"
    for name in ("arguments", "results", "inconclusive", "folder"):
        job.step(RUN, **({"install": "", "arguments": "--version"} | {name: evil}))
    job.step(COMMENT, folder=evil, comment_name=evil, comment_author=evil, token=evil)
    job.step(VERDICT, inconclusive=evil)
    assert not (job.folder / "evil").exists()


SUMMARY = "## ✗ the suite failed\n\n| a |\n| --- |\n| b |\n"


@pytest.fixture
def finished(job: Job) -> Job:
    """A job whose run left a summary."""
    (job.folder / "autoeval-report").mkdir()
    (job.folder / "autoeval-report" / "summary.md").write_text(SUMMARY, "utf-8")
    return job


def test_one_comment_is_posted_and_later_updated(finished: Job) -> None:
    other = {
        "id": 1,
        "user": {"login": "someone"},
        "body": "<!-- pytest-autoeval: autoeval --> mine",
    }
    ghost = {"id": 2, "user": None, "body": "<!-- pytest-autoeval: autoeval -->"}
    quoted = {
        "id": 3,
        "user": {"login": "github-actions[bot]"},
        "body": "> <!-- pytest-autoeval: autoeval -->",
    }
    finished.comment_on(other, ghost, quoted)
    assert finished.step(COMMENT).returncode == 0
    *before, ours = finished.comments()
    assert before == [other, ghost, quoted]
    assert ours["body"] == (
        f"<!-- pytest-autoeval: autoeval -->\n{SUMMARY.strip()}\n\n"
        "[The run, its page and its results](https://github.example/octo/logic/actions/runs/42)\n"
    )
    (finished.folder / "autoeval-report" / "summary.md").write_text(
        "## ✓ the suite passed\n", "utf-8"
    )
    assert finished.step(COMMENT).returncode == 0
    *before, ours = finished.comments()
    assert before == [other, ghost, quoted]
    assert "✓ the suite passed" in ours["body"]
    assert finished.step(COMMENT, comment_name="nightly 2.0").returncode == 0
    assert len(finished.comments()) == 5


def test_a_fork_is_warned_and_does_not_fail(finished: Job) -> None:
    finished.environment["FORBIDDEN"] = "1"
    ran = finished.step(COMMENT)
    assert ran.returncode == 0
    assert ran.stdout == (
        "::warning title=pytest-autoeval::no comment: gh: Resource not accessible by integration (HTTP 403) (a job "
        "that comments needs the permission pull-requests: write; forks have none)\n"
    )


def test_where_there_is_no_pull_request_there_is_no_comment(finished: Job) -> None:
    finished.set_event({"issue": {"number": 3}})
    ran = finished.step(COMMENT)
    assert ran.returncode == 0
    assert "no comment: this job does not run for a pull request" in ran.stdout
    assert finished.written("calls") == ""


def test_a_name_that_would_end_the_marker_is_refused(finished: Job) -> None:
    ran = finished.step(COMMENT, comment_name="-->")
    assert ran.returncode == 1
    assert ran.stdout.startswith("::error title=pytest-autoeval::comment-name: ")
    assert finished.comments() == []


def test_a_long_summary_is_cut_between_blocks() -> None:
    spec = importlib.util.spec_from_file_location("autoeval_comment", ACTION / "comment.py")
    assert spec is not None
    assert spec.loader is not None
    comment = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(comment)
    pieces = ["## ✗ failed", *(block(["a", "", "```", "", f"b{number}"]) for number in range(30))]
    text = "\n\n".join(pieces) + "\n"
    assert comment.cut(text, len(text)) == text
    for room in range(40, len(text), 7):
        kept, note = comment.cut(text, room).rsplit("\n\n", 1)
        assert note == "*The rest stands in the summary of the job.*\n"
        assert len(kept) <= room
        assert kept == "\n\n".join(pieces[: kept.count("````text") + 1])


def test_the_examples_give_the_action_what_it_takes() -> None:
    text = (ACTION.parents[2] / "docs" / "how-to" / "gate-a-release.md").read_text("utf-8")
    examples = [
        yaml.safe_load(example)
        for example in re.findall(r"^```yaml[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]
    used = [
        step["with"]
        for example in examples
        for job in example["jobs"].values()
        for step in job["steps"]
        if "actions/autoeval" in step.get("uses", "")
    ]
    assert len(used) == 3
    *_, matrix = examples
    # Of a suite that broke in every part before its first sample there are no results.
    assert matrix["jobs"]["report"]["steps"][-1] == {
        "if": "${{ needs.ask.result != 'success' }}",
        "run": "exit 1",
    }
    for given in used:
        assert set(given) <= set(action()["inputs"])
    for name in action()["inputs"]:
        assert f"| `{name}` |" in text
