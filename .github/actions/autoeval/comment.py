"""Posts the summary as one comment on the pull request, or updates the one that is there.

What goes wrong here is a warning and no failure: a pull request from a fork may not comment, and its verdict stands.
"""

# ruff: noqa: INP001, S603, S607  (a script, not a module; gh is called with a list, and no shell sees it)
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

#: GitHub takes 65,536 characters in a comment.
_LONGEST = 60_000


class NoCommentError(Exception):
    """There is nothing to comment on, or no leave to."""


def main() -> int:
    """Comments; always returns 0 but for a mistake in the workflow."""
    name = os.environ.get("AUTOEVAL_COMMENT_NAME") or "autoeval"
    if not re.fullmatch(r"\w[\w. ]*", name, re.ASCII):
        _say("error", f"comment-name: {name!r} is more than letters, digits, `_`, `.` and spaces")
        return 1
    marker = f"<!-- pytest-autoeval: {name} -->"
    try:
        repository, number = os.environ["GITHUB_REPOSITORY"], _pull_request()
        body = _body(marker, Path(os.environ["AUTOEVAL_FOLDER"]) / "summary.md")
        ours = _our_comment(repository, number, marker)
        if ours is None:
            _api(f"repos/{repository}/issues/{number}/comments", "POST", {"body": body})
        else:
            _api(f"repos/{repository}/issues/comments/{ours}", "PATCH", {"body": body})
    except NoCommentError as problem:
        _say("warning", f"no comment: {problem}")
    return 0


def cut(text: str, room: int) -> str:
    """The text's first paragraphs and blocks within a number of characters, no block of code broken in two."""
    if len(text) <= room:
        return text
    kept, fence, used = 0, "", 0
    for line in text.splitlines(keepends=True):
        used += len(line)
        if used > room:
            break
        ticks = re.match("`{3,}", line)
        if ticks:
            fence = "" if fence and line.strip() == fence else fence or ticks[0]
        elif not line.strip() and not fence:
            kept = used
    return f"{text[:kept].rstrip()}\n\n*The rest stands in the summary of the job.*\n"


def _body(marker: str, summary: Path) -> str:
    try:
        text = summary.read_text("utf-8").strip()
    except OSError:
        text = ""
    if not text:
        raise NoCommentError("the run left no summary")
    where = os.environ
    run = f"{where['GITHUB_SERVER_URL']}/{where['GITHUB_REPOSITORY']}/actions/runs/{where['GITHUB_RUN_ID']}"
    return f"{marker}\n{cut(text, _LONGEST)}\n\n[The run, its page and its results]({run})\n"


def _pull_request() -> int:
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    number = (event.get("pull_request") or {}).get("number")
    if not isinstance(number, int):
        raise NoCommentError("this job does not run for a pull request")
    return number


def _our_comment(repository: str, number: int, marker: str) -> int | None:
    """The comment that this job wrote before: anybody can write the marker, so that its author counts too."""
    author = os.environ.get("AUTOEVAL_COMMENT_AUTHOR") or "github-actions[bot]"
    pages: list[list[dict[str, Any]]] = _api(
        f"repos/{repository}/issues/{number}/comments?per_page=100",
        "GET",
        None,
        "--paginate",
        "--slurp",
    )
    return next(
        (
            int(comment["id"])
            for page in pages
            for comment in page
            if (comment["user"] or {}).get("login") == author and comment["body"].startswith(marker)
        ),
        None,
    )


def _api(path: str, method: str, content: dict[str, str] | None, *options: str) -> Any:
    """A call of GitHub's interface; raises :class:`NoCommentError` where it is refused."""
    sent = ["--input", "-"] if content is not None else []
    try:
        done = subprocess.run(
            ["gh", "api", path, "--method", method, *options, *sent],
            input=json.dumps(content) if content is not None else None,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    except OSError as problem:
        raise NoCommentError(f"gh cannot be run: {problem.strerror}") from None
    if done.returncode:
        why = done.stderr.strip() or f"gh ended with exit code {done.returncode}"
        raise NoCommentError(
            f"{why} (a job that comments needs the permission pull-requests: write; forks have none)"
        )
    return json.loads(done.stdout or "null")


def _say(kind: str, text: str) -> None:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    sys.stdout.write(f"::{kind} title=pytest-autoeval::{escaped}\n")


if __name__ == "__main__":
    sys.exit(main())
