"""What the keywords of a pass-rate test may say."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import fields
from math import inf
from typing import Any

from pytest_autoeval.engine.option_values import sizes
from pytest_autoeval.engine.suite import MarkerError, PassRateTest
from pytest_autoeval.errors import unknown_name

#: The keywords in the order in which they are documented.
KEYWORDS = (
    *("task", "operators", "depth", "samples", "threshold", "horizon", "vocabulary", "language", "quantifiers"),
    *("variable_probability", "vacuous_quantifiers", "copies", "trivial", "exclude", "verified"),
)
#: Those that are not options of drawing.
_OWN = {field.name for field in fields(PassRateTest)} | {"operators", "depth"}


def read_test(source: str, given: Mapping[str, Any]) -> PassRateTest:
    """The test that a source and the keywords of its marker describe. Raises `MarkerError`."""
    if unknown := [keyword for keyword in given if keyword not in KEYWORDS]:
        raise MarkerError(unknown_name("marker keyword", unknown[0], KEYWORDS))
    if "operators" in given and "depth" in given:
        raise MarkerError("operators and depth both give the size; give only one")
    samples, threshold = given.get("samples"), given.get("threshold")
    if samples is not None and not (isinstance(samples, int) and samples >= 1):
        raise MarkerError(f"samples={samples!r} is not an integer ≥ 1")
    if threshold is not None and not (isinstance(threshold, int | float) and 0 <= threshold <= 1):
        raise MarkerError(f"threshold={threshold!r} is not a rate from 0 to 1")
    copies = given.get("copies")
    if copies not in (None, "fail", "count"):
        raise MarkerError(f'copies={copies!r} is neither "fail" nor "count"')
    if not isinstance(verified := given.get("verified", True), bool):
        raise MarkerError(f"verified={verified!r} is neither True nor False")
    trivial = given.get("trivial")
    if trivial not in (None, True, False):
        raise MarkerError(f"trivial={trivial!r} is not True or False")
    return PassRateTest(
        source=source,
        sizes=_sizes(given.get("operators", given.get("depth"))),
        samples=samples,
        threshold=threshold,
        horizon=_horizon(given.get("horizon")),
        vocabulary=given.get("vocabulary"),
        language=given.get("language"),
        task=given.get("task"),
        copies=copies,
        verified=verified,
        trivial=trivial,
        drawing={name: value for name, value in given.items() if name not in _OWN},
    )


def _horizon(wanted: Any) -> dict[float, float]:
    if wanted is None:
        return {}
    numbers = isinstance(wanted, Mapping) and all(_is_number(one) for pair in wanted.items() for one in pair)
    if not numbers or not wanted or not all(0 < level < 1 and 0 <= size < inf for level, size in wanted.items()):
        raise MarkerError(
            f"horizon={wanted!r} is not a dict from rates between 0 and 1 to sizes ≥ 0, such as {{0.9: 10}}"
        )
    return {float(level): float(size) for level, size in wanted.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sizes(wanted: Any) -> tuple[int, ...] | None:
    if wanted is None:
        return None
    if isinstance(wanted, str):
        try:
            return sizes(wanted)
        except argparse.ArgumentTypeError as problem:
            raise MarkerError(f"operators: {problem}") from None
    listed = tuple(wanted) if isinstance(wanted, Iterable) else (wanted,)
    if not listed or not all(isinstance(size, int) and size >= 0 for size in listed):
        raise MarkerError(f"operators={wanted!r} is not a list of sizes; give an integer, a range or a list of them")
    return listed
