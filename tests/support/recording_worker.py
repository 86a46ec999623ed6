"""What the other processes of a test run: asking many prompts, recording the answers, within the limits of a hub."""

from __future__ import annotations

from pathlib import Path

from pytest_autoeval.models import LimitReachedError, Message, ModelPool, ModelSettings
from pytest_autoeval.models.hub import Channel, HubClient


def record_prompts(channel: Channel, url: str, cassettes: str, prompts: list[str]) -> None:
    """Asks every prompt, recording, and fails where the model says anything but what its recording says."""
    settings = ModelSettings(base_url=url, cassettes=Path(cassettes), record_mode="once")
    with ModelPool(settings, limits=HubClient(channel)) as pool:
        asked = {prompt: pool.chat("some-model").complete([Message("user", prompt)]).text for prompt in prompts}
    with ModelPool(ModelSettings(cassettes=Path(cassettes), record_mode="none")) as replay:
        for prompt, text in asked.items():
            assert replay.chat("some-model").complete([Message("user", prompt)]).text == text


def spend(channel: Channel, url: str, prompts: list[str]) -> None:
    """Asks as many prompts as the run's budget allows."""
    with ModelPool(ModelSettings(base_url=url), limits=HubClient(channel)) as pool:
        for prompt in prompts:
            try:
                pool.chat("some-model").complete([Message("user", prompt)])
            except LimitReachedError:
                return


def hold(channel: Channel, number: int) -> None:
    """Takes so many places in the window, says so, and waits for one more."""
    limits = HubClient(channel)
    for _ in range(number):
        limits.acquire("remote", "m")
    limits.tell("holding", number)
    limits.acquire("remote", "m")
