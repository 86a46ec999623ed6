"""Prices of models: the user's, and LiteLLM's table for models called through it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from pytest_autoeval.models.model_names import LITELLM, base_name, is_litellm, is_local, is_offline
from pytest_autoeval.models.model_settings import FREE, MILLION, ModelSettings, Price
from pytest_autoeval.models.protocols import ConfigurationError


def price_of(model: str, prices: Mapping[str, Price]) -> Price | None:
    """The price of a model, or None if unknown. ``prices`` are the user's, which win over LiteLLM's."""
    if is_offline(model) or is_local(model):
        return FREE
    users_price = prices.get(model, prices.get(base_name(model)))
    if users_price is None and is_litellm(model):
        return _listed_price(model)
    return users_price


def needed_price(model: str, settings: ModelSettings) -> Price | None:
    """As :func:`price_of`; raises :class:`ConfigurationError` if the cost is limited and the price unknown."""
    price = price_of(model, settings.prices)
    if price is None and settings.max_cost is not None:
        raise ConfigurationError(
            f"--autoeval-max-cost needs the price of {model}: add --autoeval-price={model}=INPUT/OUTPUT, "
            "in USD for a million tokens"
        )
    return price


def litellm_library() -> Any:
    """The module ``litellm``; raises :class:`ConfigurationError` if it is not installed."""
    # Without this, the import fetches the newest prices from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        import litellm
    except ImportError as error:
        raise ConfigurationError(
            f"models named {LITELLM}… need LiteLLM ({error}): pip install 'pytest-autoeval[litellm]'"
        ) from None
    litellm.suppress_debug_info = True  # it prints advice to standard output
    return litellm


def _listed_price(model: str) -> Price | None:
    # It is not installed, or raises a plain Exception for an unknown model.
    with suppress(Exception):
        litellm = litellm_library()
        key = litellm.get_model_info(model.removeprefix(LITELLM))["key"]
        costs = litellm.model_cost[key]
        return Price(
            costs["input_cost_per_token"] * MILLION, costs["output_cost_per_token"] * MILLION
        )
    return None
