"""Which options cannot be given without another one, or not together."""

from __future__ import annotations

from pytest_autoeval.engine.settings import OPTIONS, Settings


def lacking(settings: Settings, name: str) -> tuple[str, str] | None:
    """The option that a given one requires and that is not given, and what it is; None if nothing is missing."""
    required = OPTIONS[name].requires
    if required is None or not _is_set(settings, name):
        return None
    required_name, _ = required
    return None if _is_set(settings, required_name) else required


def conflict(settings: Settings, name: str) -> tuple[str, str] | None:
    """An option that a given one excludes and that is given too, and the reason; None if there is none."""
    excluded = OPTIONS[name].excludes if _is_set(settings, name) else ()
    for excluded_name, why in excluded:
        if _is_set(settings, excluded_name):
            return excluded_name, why
    # Both would set one parameter of the request.
    if name == "api_seeds" and settings.api_seeds and "seed" in (settings.parameters or {}):
        return "parameters", "they have a seed too; leave that one out"
    return None


def _is_set(settings: Settings, name: str) -> bool:
    return bool(getattr(settings, name) != OPTIONS[name].default)
