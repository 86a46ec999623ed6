"""A server of the offline models, and OpenAI's client of it."""

from __future__ import annotations

from collections.abc import Iterator

import openai
import pytest

from pytest_autoeval.models.offline.server import OfflineServer


@pytest.fixture
def url() -> Iterator[str]:
    with OfflineServer() as base_url:
        yield base_url


@pytest.fixture
def client(url: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=url, api_key="any", max_retries=0) as built:
        yield built
