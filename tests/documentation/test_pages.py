"""Every command and every Python example of the documentation, as a reader would run them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chat_server import Answer, ChatServer, Received
from support.page_examples import Page, environment

from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.server import _completion, _embeddings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the examples are written for a Unix shell")
ROOT = Path(__file__).parents[2]
_PROVIDERS = re.compile(r"\b(?:gpt-\d|o\d-|claude-|gemini-|llama-?\d|mistral|qwen|deepseek)", re.IGNORECASE)
_FIGURE = re.compile(r"\d %|\d points|pass rate \(")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Answers for every model as the faithful one does; an output that shows figures names an offline model."""
    key = AnswerKey()

    def answered(request: Received) -> Answer:
        if request.path.endswith("/embeddings"):
            return Answer(body=_embeddings({**request.body, "model": "offline/bag-of-words"}))
        answer = _completion({**request.body, "model": "offline/faithful"}, key)
        return Answer(body=answer | {"model": request.body["model"]})

    with ChatServer(answered) as running:
        yield running.url


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page(path: Path, server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(str(folder))
    outside = environment(server)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, outside[name])
    Page(path, folder, outside).run()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_figure_stands_under_the_name_of_a_provider_s_model(path: Path) -> None:
    blocks = re.findall(r"^```.*?^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert not [block for block in blocks if _PROVIDERS.search(block) and _FIGURE.search(block)]
