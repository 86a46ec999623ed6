"""What runs the documentation's pages finds each sort of mistake on them."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest
from support.page_examples import Page, environment, left_out, workflow_commands
from support.snapshot import UPDATE

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the examples are written for a Unix shell"
)
GOOD = """
```toml title="a/b.toml"
key = 1
```

```console
$ cat a/b.toml; \\
  echo "took 1.5 s"
key = 1
took 0.3 s
$ seq 5
1
…
5
$ false # exit code 1
```

```bash
cat a/b.toml
```

```python
text = "the page's"
```

```pycon
>>> for word in text.split():
...     print(word)
the
page's
```

<!-- not run: it would be slow -->
```bash
exit 3
```
"""


def run(text: str, folder: Path) -> str:
    """Runs a page in a folder; its text afterwards."""
    path = folder / "page.md"
    path.write_text(dedent(text), "utf-8")
    Page(path, folder, environment("http://127.0.0.1:1/v1")).run()
    return path.read_text("utf-8")


def test_a_page_that_is_right_passes_and_an_update_leaves_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(GOOD, tmp_path)
    monkeypatch.setenv(UPDATE, "1")
    assert run(GOOD, tmp_path) == GOOD


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("…\n5", "…\n6", "any more:\n6\nbut:\n1"),
        ("key = 1\ntook", "key = 2\ntook", r"line 7 .*(?s:.*)-key = 2\n\+key = 1"),
        ("code 1", "code 2", "exit code 1"),
        ("cat a/b.toml\n```", "cat a/c.toml\n```", "No such file"),
        ("\nthe\n", "\na\n", r"-a\n\+the"),
        ("not run: it", "not running", "line 35: a block needs a title"),
    ],
)
def test_a_mistake_is_found(
    right: str, wrong: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(UPDATE, raising=False)
    text = GOOD.replace(right, wrong).replace("```bash\nexit", "```sh\nexit")
    assert text.count(wrong) == 1
    with pytest.raises(AssertionError, match=message):
        run(text, tmp_path)


def test_a_command_with_an_output_reaches_no_provider(tmp_path: Path) -> None:
    run(
        "```console\n$ echo ${OPENAI_BASE_URL-none} ${OPENAI_API_KEY-none}\nnone none\n```\n",
        tmp_path,
    )
    run("```bash\ntest $OPENAI_BASE_URL\n```\n```console\n$ test $OPENAI_BASE_URL\n```\n", tmp_path)


def test_an_update_writes_what_is_printed_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(UPDATE, "1")
    page = run("```console\n$ seq 3\nold\n```\n\n```pycon\n>>> 1 + 1\n3\n```\n", tmp_path)
    assert page == "```console\n$ seq 3\n1\n2\n3\n```\n\n```pycon\n>>> 1 + 1\n2\n```\n"


def test_an_update_leaves_out_what_was_left_out() -> None:
    printed = ["head", "one", "two", "sum 7", "more", "end"]
    assert left_out(printed, ["…", "sum 6", "less", "…", "end"]) == [
        "…",
        "sum 7",
        "more",
        "…",
        "end",
    ]
    with pytest.raises(AssertionError, match="any more:\nabc"):
        left_out(printed, ["…", "abc"])


def test_the_commands_of_a_workflow_are_those_of_its_first_part() -> None:
    workflow = """
    jobs:
      one:
        strategy: {matrix: {part: [1, 2]}}
        steps:
          - run: pip install x
          - run: >
              pytest tests
              --autoeval-shard=${{ matrix.part }}/2
    """
    assert list(workflow_commands(dedent(workflow))) == ["pytest tests --autoeval-shard=1/2"]
