"""What the plugin itself does for one sample costs: reading, measures, marks of differences, copies, prompts.

    python benchmarks/parts_of_a_sample.py [--against CHECKOUT] [--rounds 5] [--only REGEX]

Milliseconds of processor time for one, the median of five rounds. With another checkout of the project, both take
turns, each in a process of its own, and the last column is how many times faster this one is.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

LANGUAGES = {
    "propositional": "propositional",
    "first_order": "first_order",
    "past_ltl": "ltl",
    "regex": "regex",
}
SIZES = (5, 20, 50)
#: Formulas of each language and size.
FORMULAS = 16


def parts() -> Iterator[tuple[str, list[Callable[[], object]]]]:
    """The lines: a name, and the calls whose mean is shown."""
    from pytest_autoeval import language, sample_formulas
    from pytest_autoeval.languages.copies import copied
    from pytest_autoeval.models.offline.offline_models import BEHAVIOURS

    for grammar, name in LANGUAGES.items():
        lang = language(name)
        for size in SIZES:
            formulas = sample_formulas(grammar, operators=size, count=FORMULAS, seed=3)
            answers = [(lang.format(formula), lang.symbols(formula)) for formula in formulas]
            yield (
                f"reading: {name} {size}",
                [partial(lang.read, text, vocabulary=names) for text, names in answers],
            )
            yield f"measures: {name} {size}", [partial(lang.measure, one) for one in formulas]
            pairs = zip(formulas[::2], formulas[1::2], strict=True)
            yield (
                f"marks, unrelated: {name} {size}",
                [partial(lang.differences, one, other) for one, other in pairs],
            )
            changed = [(one, next(lang.edits(one, lang.symbols(one)), one)) for one in formulas]
            yield (
                f"marks, one place: {name} {size}",
                [partial(lang.differences, one, other) for one, other in changed],
            )
            for behaviour in ("faithful", "code"):
                texts = [
                    (BEHAVIOURS[behaviour].describe(formula, lang.describe), formula)
                    for formula in formulas
                ]
                calls: list[Callable[[], object]] = [partial(copied, *pair, lang) for pair in texts]
                yield f"copies, {behaviour}: {name} {size}", calls
    yield from prompts()


def prompts() -> Iterator[tuple[str, list[Callable[[], object]]]]:
    """The two prompts of a round trip, as the trials of a run get them."""
    from pytest_autoeval.tasks.trial import PromptChoice

    choice = PromptChoice()
    for stage in ("informalize", "autoformalize"):
        yield (
            f"prompt: {stage}",
            [partial(choice.templates.load, stage, "first_order", (), "", ())] * 100,
        )


def measure(only: str) -> None:
    """Prints the milliseconds of each line as JSON."""
    warnings.simplefilter("ignore")
    gc.set_threshold(200_000, 50, 50)  # as in a run
    found = {}
    for name, calls in parts():
        if not re.search(only, name):
            continue
        calls[0]()
        started = time.process_time()
        for call in calls:
            call()
        found[name] = (time.process_time() - started) / len(calls) * 1000
    print(json.dumps(found))


def measured(checkout: Path, only: str) -> dict[str, float]:
    """The figures of a checkout."""
    command = [sys.executable, __file__, "--measure", "--only", only]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--against", type=Path, help="another checkout, such as one from before a change"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each checkout")
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="the lines to print, by their names"
    )
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.only)
        return
    checkouts = [Path(__file__).parents[1], *([asked.against] if asked.against else [])]
    rounds = [
        [measured(checkout.resolve(), asked.only) for checkout in checkouts]
        for _ in range(asked.rounds)
    ]
    print(f"| milliseconds for one | this |{' other | times |' if asked.against else ''}")
    print(f"|---|---|{'---|---|' if asked.against else ''}")
    for name in rounds[0][0]:
        figures = [
            statistics.median(turn[side][name] for turn in rounds) for side in range(len(checkouts))
        ]
        cells = [f"{figure:.3f}" for figure in figures]
        if asked.against:
            cells.append(
                f"{statistics.median(turn[1][name] / turn[0][name] for turn in rounds):.1f}"
            )
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
