"""Every command and every Python example of the documentation, as a reader would run them.

The page of an example folder runs in a copy of that folder, any other page in an empty folder.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.page_examples import Page, environment

from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.server import _completion, _embeddings

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="the examples are written for a Unix shell"
)
ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/README.md"))
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *EXAMPLES]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Stands in for every provider, in commands whose output no page shows."""
    key = AnswerKey()

    def answered(request: Received) -> Answer:
        if request.path.endswith("/embeddings"):
            return Answer(body=_embeddings({**request.body, "model": "offline/bag-of-words"}))
        model = str(request.body["model"])
        return Answer(
            body=_completion({**request.body, "model": "offline/faithful"}, key) | {"model": model}
        )

    with ChatServer(answered) as running:
        yield running.url


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_block_of_a_page_does_what_the_page_says(
    path: Path, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    if path in EXAMPLES:
        shutil.copytree(
            path.parent, folder, ignore=shutil.ignore_patterns("__pycache__", ".*", "*.jsonl")
        )
    else:
        folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    outside = environment(server)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, outside[name])
    Page(path, folder, outside).run()
