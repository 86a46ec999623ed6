"""Settings out of range, and options that hold no JSON, are told with the option's name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.models import ConfigurationError, ModelSettings, Price


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"temperature": -0.1}, "--autoeval-temperature is -0.1"),
        ({"temperature": float("nan")}, "--autoeval-temperature is nan"),
        ({"max_tokens": 0}, "--autoeval-max-tokens is 0: it must be 1 or more"),
        ({"timeout": 0}, "--autoeval-timeout is 0: it must be more than 0"),
        ({"rpm": 0}, "--autoeval-rpm is 0"),
        ({"record_mode": "some", "cassettes": Path()}, "choose one of none, once, new_episodes, all"),
        ({"record_mode": "none"}, "--autoeval-record-mode=none needs a directory: set --autoeval-cassettes"),
        ({"parameters": {"stream": True, "model": "x"}}, "--autoeval-parameters cannot set model, stream"),
    ],
)
def test_a_setting_out_of_range_is_told(settings: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ModelSettings(**settings)
    assert problem in str(caught.value)


@pytest.mark.parametrize("amounts", [(1, -2), (float("nan"), 1), (float("inf"), 0)])
def test_prices_that_are_none_are_told(amounts: tuple[float, float]) -> None:
    with pytest.raises(ConfigurationError, match="--autoeval-price"):
        Price(*amounts)


def test_models_are_imported_without_client_and_recorder() -> None:
    program = "import sys, pytest_autoeval.models; assert not {'openai', 'yaml', 'filelock'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
