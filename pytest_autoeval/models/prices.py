"""What models cost: the user's prices, and for models that are asked through LiteLLM those of its table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.names import LITELLM, base_name, is_litellm, is_local, is_offline
from pytest_autoeval.models.settings import FREE, MILLION, ModelSettings, Price


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model, None where it is not known. ``prices`` are the user's, which win over a listed one."""
    if is_offline(model) or is_local(model):
        return FREE
    given = prices.get(model, prices.get(base_name(model)))
    return _listed_price(model) if given is None and is_litellm(model) else given


def needed_price(model: str, settings: ModelSettings) -> Price | None:
    """As :func:`price_of`; raises :class:`ConfigurationError` where there is none and the cost is limited."""
    price = price_of(model, settings.prices)
    if price is None and settings.max_cost is not None:
        raise ConfigurationError(
            f"--autoeval-max-cost needs the price of {model}: add --autoeval-price={model}=INPUT/OUTPUT, "
            "in USD for a million tokens"
        )
    return price


def litellm_library() -> Any:
    """LiteLLM; raises :class:`ConfigurationError` where it is not installed."""
    # Else importing it asks the network for the newest prices.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm
    except ImportError as error:
        raise ConfigurationError(
            f"models named {LITELLM}… need LiteLLM ({error}): pip install 'pytest-autoeval[litellm]'"
        ) from None
    litellm.suppress_debug_info = True  # advice on standard output
    return litellm


def _listed_price(model: str) -> Price | None:
    """The price in LiteLLM's table, None where it has none, or is not installed."""
    with suppress(Exception):  # it raises a plain Exception for a model that it does not know
        litellm = litellm_library()
        listed = litellm.model_cost[litellm.get_model_info(model.removeprefix(LITELLM))["key"]]
        return Price(listed["input_cost_per_token"] * MILLION, listed["output_cost_per_token"] * MILLION)
    return None
