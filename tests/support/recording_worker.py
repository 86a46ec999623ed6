"""What the other processes of a test run: asking many prompts, recording the answers."""

from __future__ import annotations

from pathlib import Path

from pytest_autoeval.models import LimitReachedError, Message, ModelPool, ModelSettings


def record_prompts(url: str, cassettes: Path, state_dir: Path, prompts: list[str]) -> None:
    """Asks every prompt, recording, and fails where the model says anything but what its recording says."""
    settings = ModelSettings(base_url=url, cassettes=cassettes, record_mode="once", state_dir=state_dir)
    with ModelPool(settings) as pool:
        asked = {prompt: pool.chat("some-model").complete([Message("user", prompt)]).text for prompt in prompts}
    with ModelPool(ModelSettings(cassettes=cassettes, record_mode="none")) as replay:
        for prompt, text in asked.items():
            assert replay.chat("some-model").complete([Message("user", prompt)]).text == text


def spend(url: str, state_dir: Path, prompts: list[str], max_calls: int) -> None:
    """Asks as many prompts as the run's budget allows, in slots that all workers share."""
    settings = ModelSettings(base_url=url, state_dir=state_dir, max_calls=max_calls, concurrency=2)
    with ModelPool(settings) as pool:
        for prompt in prompts:
            try:
                pool.chat("some-model").complete([Message("user", prompt)])
            except LimitReachedError:
                return
