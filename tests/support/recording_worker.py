"""What the other processes of a test run: asking many prompts, recording the answers, within the limits of a hub."""

from __future__ import annotations

from pathlib import Path

from pytest_autoeval.models import LimitReachedError, Message, ModelPool, ModelSettings
from pytest_autoeval.models.hub import Address, HubClient


def record_prompts(url: str, cassettes: Path, address: Address, prompts: list[str]) -> None:
    """Asks every prompt, recording, and fails where the model says anything but what its recording says."""
    settings = ModelSettings(base_url=url, cassettes=cassettes, record_mode="once")
    with ModelPool(settings, limits=HubClient(address)) as pool:
        asked = {prompt: pool.chat("some-model").complete([Message("user", prompt)]).text for prompt in prompts}
    with ModelPool(ModelSettings(cassettes=cassettes, record_mode="none")) as replay:
        for prompt, text in asked.items():
            assert replay.chat("some-model").complete([Message("user", prompt)]).text == text


def spend(url: str, address: Address, prompts: list[str]) -> None:
    """Asks as many prompts as the run's budget allows."""
    with ModelPool(ModelSettings(base_url=url), limits=HubClient(address)) as pool:
        for prompt in prompts:
            try:
                pool.chat("some-model").complete([Message("user", prompt)])
            except LimitReachedError:
                return
