"""Rules that collide: what is found in planted sets, in small random sets against enumeration, and how long it takes.

Run with ``python benchmarks/colliding_rules.py``. It prints three tables:

1. Five sets of 40 rules with planted faults (access rules, a lift, a pump, an escrow, lending books): of the planted
   collisions, vacuous rules and exclusions, how many were found and missed, and how many others were reported.
2. Random small sets in each language against the enumeration of all small cases: how often both agree.
3. The time for 10, 40 and 100 rules.

Required: nothing is missed, nothing else is reported, no disagreement, and 40 rules within a minute on two cores.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.planted_rules import NAMES, PlantedSet, planted
from support.small_rule_sets import ATOMS, compare, random_rules

from pytest_autoeval.languages import language
from pytest_autoeval.requirements.rule_pairs import RuleFindings, examine_rules
from pytest_autoeval.requirements.whole_set import examine_formulas


def findings_of(rules: PlantedSet) -> tuple[RuleFindings, float, float]:
    """The findings, and the seconds for the whole set and for its rules."""
    lang = language(rules.language)
    formulas = [lang.parse(text) for text in rules.formulas]
    started = time.perf_counter()
    whole = examine_formulas(formulas, lang)
    between = time.perf_counter()
    numbered = dict(enumerate(formulas, start=1))
    found = examine_rules(numbered, whole.kept, whole.witness, lang)
    return found, between - started, time.perf_counter() - between


def planted_table(names: tuple[str, ...]) -> bool:
    """Prints what is found in the planted sets. Returns whether it is exactly what is planted."""
    print(
        f"{'set':<15}{'rules':>6}{'planted':>9}{'found':>7}{'missed':>8}{'others':>8}{'undecided':>11}{'seconds':>9}"
    )
    total: Counter[str] = Counter()
    for name in names:
        rules = planted(name)
        found, *seconds = findings_of(rules)
        planned = {*rules.collisions.items(), *rules.vacuous.items(), *rules.excluded.items()}
        said = {
            *((pair, one.core.numbers) for pair, one in found.collisions.items()),
            *((number, one.core.numbers) for number, one in found.vacuous.items()),
            *found.excluded.items(),
        }
        open_questions = sum(map(len, found.undecided.values()))
        values = (
            len(rules.formulas),
            len(planned),
            len(said & planned),
            len(planned - said),
            len(said - planned),
        )
        shown = "".join(
            f"{value:>{width}}" for value, width in zip(values, (6, 9, 7, 8, 8), strict=True)
        )
        print(f"{name:<15}{shown}{open_questions:>11}{sum(seconds):>9.1f}", flush=True)
        total += Counter(
            rules=values[0], planted=values[1], found=values[2], wrong=values[3] + values[4]
        )
        total += Counter(
            collisions=len(rules.collisions),
            vacuous=len(rules.vacuous),
            excluded=len(rules.excluded),
        )
    kinds = f"{total['collisions']} collisions, {total['vacuous']} vacuous rules, {total['excluded']} excluded pairs"
    print(
        f"all: {total['rules']} rules, planted {kinds}; found {total['found']}, wrong {total['wrong']}\n"
    )
    return total["found"] == total["planted"] and not total["wrong"]


def random_table(sets: int) -> bool:
    """Prints the comparison with the enumeration. Returns whether both always agree."""
    print(f"{'language':<15}{'sets':>6}  what the enumeration says of conditions (1) and pairs (2)")
    agree = True
    for name in ATOMS:
        counts: Counter[str] = Counter()
        wrong: list[str] = []
        for seed in range(sets):
            result = compare(name, random_rules(random.Random(seed), name))
            counts += Counter(result.counts)
            wrong += result.wrong
        shown = ", ".join(f"{what} {number}" for what, number in sorted(counts.items()))
        print(f"{name:<15}{sets:>6}  {shown}; wrong {len(wrong)}", flush=True)
        for line in wrong[:5]:
            print(f"    {line}")
        agree &= not wrong
    print()
    return agree


def times(sizes: tuple[int, ...]) -> None:
    print(f"{'rules':>6}{'pairs':>7}{'whole set':>11}{'its rules':>11}  (seconds, access rules)")
    for size in sizes:
        rules = planted("access rules", groups=size / 40)
        found, whole, pairs = findings_of(rules)
        asked = len(found.possible) + len(found.collisions) + len(found.excluded)
        print(f"{len(rules.formulas):>6}{asked:>7}{whole:>11.1f}{pairs:>11.1f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=2000, help="random sets of each language")
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="*",
        default=[10, 40, 100],
        help="rules of the sets that are timed",
    )
    args = parser.parse_args()
    is_right = planted_table(NAMES)
    if args.sets:
        is_right &= random_table(args.sets)
    times(tuple(args.sizes))
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
