"""What the other processes of a test run: embedding many texts, recording the vectors."""

from __future__ import annotations

from pathlib import Path

from pytest_autoeval.models import LimitReachedError, ModelPool, ModelSettings


def embed_texts(url: str, cassettes: Path, state_dir: Path, texts: list[str], max_calls: int) -> None:
    """Embeds every text that the budget allows, and fails where a replay does not give the vectors of the run."""
    settings = ModelSettings(
        base_url=url, cassettes=cassettes, record_mode="new_episodes", state_dir=state_dir, max_calls=max_calls
    )
    embedded = {}
    with ModelPool(settings) as pool:
        for text in texts:
            try:
                embedded[text] = pool.embedder("embeddings/some-embedder").embed([text], "english").vectors
            except LimitReachedError:
                break
    with ModelPool(ModelSettings(cassettes=cassettes, record_mode="none")) as replay:
        for text, vectors in embedded.items():
            assert replay.embedder("embeddings/some-embedder").embed([text], "english").vectors == vectors
