"""The automata of drawn regular expressions: ``python benchmarks/automata.py [COUNT]``, for COUNT of each depth.

Prints how many expressions of depth 1 to 40 have a smallest automaton of more than 7 states (or edges), by the way in
which they are drawn. In the data of ∀uto∃∨∧L fewer than 10 % have. Automata are complete: a state that accepts nothing
counts.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from pytest_autoeval import language, sample_formulas
from pytest_autoeval.generation.counting import Chance, Choices
from pytest_autoeval.generation.drawing_errors import FewerFormulasWarning
from pytest_autoeval.languages import Formula

DEPTHS = range(1, 41)
MOST = 7
REGEX = language("regex")

#: The grammar as it is printed in the paper.
PRINTED = """
// language: regex
start: "(" start ")" _k | start SYMBOL _k | SYMBOL _k
_k: "*" |
SYMBOL: /[01]/
"""
#: The shipped grammar with more ways to make a starred group, so that groups are drawn more often.
STARRED = """
// language: regex
start: SYMBOL | compound
compound: SYMBOL "*" | start SYMBOL | start SYMBOL "*" | {ways}
{rules}
SYMBOL: /[01]/
"""


def starred(times: int) -> str:
    ways = [f"group{number}" for number in range(1, times + 1)]
    rules = "\n".join(f'{way}: "(" compound ")" "*"' for way in ways)
    return STARRED.format(ways=" | ".join(ways), rules=rules)


#: The alternatives of the printed grammar that go on, with their weights: ``(S)``, ``(S)*``, a symbol and a starred
#: symbol are equally likely.
STEPS = Choices([("()", 2), ("()*", 2), ("0", 1), ("1", 1), ("0*", 1), ("1*", 1)])
ENDS = Choices.evenly(["0", "1", "0*", "1*"])


def walked(depth: int, chance: Chance) -> str:
    """A random walk through the printed grammar, which ends at this depth of its tree."""
    text = chance(ENDS)
    for _ in range(depth - 1):
        step = chance(STEPS)
        text = f"({text}){step.removeprefix('()')}" if step.startswith("()") else text + step
    return text


def by_walking(count: int) -> Iterator[Formula]:
    chance = Chance("walk")
    for depth in DEPTHS:
        yield from (REGEX.parse(walked(depth, chance)) for _ in range(count))


def from_grammar(grammar: str | Path, **options: object) -> Callable[[int], Iterator[Formula]]:
    def drawn(count: int) -> Iterator[Formula]:
        for depth in DEPTHS:
            yield from sample_formulas(grammar, depth, count, **options)  # type: ignore[arg-type]

    return drawn


def line(name: str, drawn: Iterator[Formula]) -> str:
    measured = [REGEX.measure(formula) for formula in drawn]
    # An automaton that is too large to be counted has many states.
    states = [found.get("states", float("inf")) for found in measured]
    edges = [found.get("edges", float("inf")) for found in measured]
    above = [
        sum(number > MOST for number in numbers) / len(measured) for numbers in (states, edges)
    ]
    return f"{name:<44}{len(measured):>9}{above[0]:>10.1%}{above[1]:>10.1%}{median(states):>8g}{max(states):>8g}"


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    # There are few expressions of depth 1 and 2.
    warnings.simplefilter("ignore", FewerFormulasWarning)
    print(
        f"{'drawn from':<44}{'formulas':>9}{'states>7':>10}{'edges>7':>10}{'median':>8}{'most':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:

        def written(name: str, text: str) -> Path:
            path = Path(folder) / f"{name}.lark"
            path.write_text(text, encoding="utf-8")
            return path

        ways: dict[str, Callable[[int], Iterator[Formula]]] = {
            "regex": from_grammar("regex"),
            "regex, nothing trivial": from_grammar("regex", exclude=None),
            "the printed grammar": from_grammar(written("printed", PRINTED)),
            "a random walk through the printed grammar": by_walking,
            "groups twice as likely": from_grammar(written("twice", starred(2))),
            "groups three times as likely": from_grammar(written("three", starred(3))),
            "regex, measures={'states': (1, 7)}": from_grammar(
                "regex", measures={"states": (1, MOST)}
            ),
            "regex, measures={'states': (2, 7)}": from_grammar(
                "regex", measures={"states": (2, MOST)}
            ),
        }
        for name, drawn in ways.items():
            print(line(name, drawn(count)), flush=True)


if __name__ == "__main__":
    main()
