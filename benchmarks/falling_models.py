"""Models whose pass rate falls with size, for the simulations of the horizon, and runs of them in several processes."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import inf, log, pi
from multiprocessing import get_context
from typing import Any, Literal

# One thread for each process: several processes share the cores.
for library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import numpy as np  # noqa: E402
from scipy.optimize import brentq  # noqa: E402
from scipy.special import expit  # noqa: E402


@dataclass(frozen=True, slots=True)
class Model:
    """A model that passes at guess + (1 − lapse − guess) · F(size), where F falls from 1 to 0.

    F is logistic over the size or its logarithm, the mean of a steep and a shallow logistic curve ("mixed"), a Gompertz
    curve (its fall begins slowly and ends fast), or two stairs (two kinds of formula, of which one fails from half the
    ``middle`` on, and the other from one and a half). It may be a Weibull curve with the exponent ``width``, a straight
    line from ``middle`` − ``width`` to ``middle`` + ``width``, or a Cauchy curve, which has heavy tails.
    A task of ``chance`` 0 has no guesses: ``guess`` is then luck that no curve knows of.
    """

    middle: float
    width: float
    lapse: float = 0.0
    guess: float = 0.0
    chance: float = 0.0
    fall: Literal["logistic", "log", "mixed", "Gompertz", "stairs", "Weibull", "line", "Cauchy"] = (
        "logistic"
    )

    def rate(self, sizes: np.ndarray) -> np.ndarray:
        """The probability to pass at each size."""
        if self.fall == "Gompertz":
            share = np.exp(-np.exp(np.minimum((sizes - self.middle) / self.width, 50)))
        elif self.fall == "log":
            share = expit((np.log1p(self.middle) - np.log1p(sizes)) / self.width)
        elif self.fall == "stairs":
            stairs = [expit((part * self.middle - sizes) / self.width) for part in (0.5, 1.5)]
            share = (stairs[0] + stairs[1]) / 2
        elif self.fall == "Weibull":
            share = np.exp(-log(2) * (sizes / self.middle) ** self.width)
        elif self.fall == "line":
            share = np.clip((self.middle + self.width - sizes) / (2 * self.width), 0, 1)
        elif self.fall == "Cauchy":
            share = 0.5 - np.arctan((sizes - self.middle) / self.width) / pi
        elif self.fall == "mixed":
            share = (
                expit((self.middle - sizes) / self.width)
                + expit((self.middle - sizes) / (6 * self.width))
            ) / 2
        else:
            share = expit((self.middle - sizes) / self.width)
        return np.asarray(self.guess + (1 - self.lapse - self.guess) * share)

    def horizon(self, level: float, largest: float) -> float:
        """The true horizon; -inf or inf where it lies outside the sizes 0…``largest``."""
        fall = 1 - self.lapse - self.guess
        return (
            _crossing(self, self.guess + level * fall if self.chance else level, largest)
            if fall > 0
            else -inf
        )


@cache
def _crossing(model: Model, rate: float, largest: float) -> float:
    def above(size: float) -> float:
        return float(model.rate(np.array([size]))[0]) - rate

    if above(0.0) < 0 or above(largest) > 0:
        return inf if above(largest) > 0 else -inf
    return float(brentq(above, 0.0, largest))


def random_of(*names: object) -> np.random.Generator:
    """Random numbers that depend on the names alone: the same whatever the number of processes."""
    return np.random.default_rng([*"/".join(map(str, names)).encode()])


def arguments(description: str, *more: str) -> Namespace:
    """RUNS, ``--jobs N`` and what ``more`` names, each with a default: from the command line."""
    parser = ArgumentParser(description=description)
    parser.add_argument("runs", nargs="?", type=int, default=1000)
    for name in more:
        parser.add_argument(f"--{name}", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return parser.parse_args(sys.argv[1:])


def run_all(
    run: Callable[[Any], Any], todo: Iterable[tuple[str, int]], jobs: int
) -> Iterator[tuple[str, list[Any]]]:
    """The results of ``run((name, number))`` for each name and so many numbers, as soon as all of a name are there."""
    with get_context("fork" if sys.platform == "linux" else "spawn").Pool(jobs) as pool:
        for name, runs in todo:
            yield name, pool.map(run, [(name, number) for number in range(runs)], chunksize=5)
