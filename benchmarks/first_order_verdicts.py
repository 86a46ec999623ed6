"""Verdicts and times on first-order formulas: Pelletier's problems, random valid formulas, pairs and hard cases.

Run with ``python benchmarks/first_order_verdicts.py`` before and after a change of a decision procedure. No verdict may
change, except that ``undecided`` may give way to another. A valid formula is asked for twice: whether it is equivalent
to ⊤, and whether ⊤ entails it. ``--without E cvc5`` leaves out provers that are installed. ``--problems FILE`` asks
only the entailments of a file: a JSON object a line, with ``name``, ``kind``, ``left`` and ``right``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests"))

from equivalence_logic import pairs  # noqa: E402
from support.logic_formulas import parsed  # noqa: E402
from support.pelletier import PELLETIER  # noqa: E402
from support.valid_formulas import edited, valid_formulas  # noqa: E402

from pytest_autoeval.languages import language  # noqa: E402
from pytest_autoeval.languages.base import FormulaSyntaxError  # noqa: E402
from pytest_autoeval.languages.first_order import instantiating, prover  # noqa: E402
from pytest_autoeval.languages.logic.syntax import Sentence, Top  # noqa: E402

_ORDER = "(∀x. ∀y. ∀z. ((R(x, y) ∧ R(y, z)) → R(x, z))) ∧ ∀x. ¬R(x, x)"
#: Pairs that need models of some size, or have none that is finite.
HARD = {
    "two or three": ("∃x. ∃y. ¬x = y", "∃x. ∃y. ∃z. ((¬x = y ∧ ¬y = z) ∧ ¬x = z)"),
    "functions": ("∀x. f(f(x)) = x ∧ P(f(f(f(a))))", "∀y. f(f(y)) = y ∧ P(f(a))"),
    "four elements": ("∀w. ∀x. ∀y. ∀z. (w = x ∨ w = y ∨ w = z ∨ x = y ∨ x = z ∨ y = z)", "⊤"),
    **{
        f"chain of {size}": (
            f"({_ORDER}) ∧ " + " ∧ ".join(f"R(c{at}, c{at + 1})" for at in range(size - 1)),
            "⊥",
        )
        for size in range(3, 9)
    },
    "infinite": (f"(∀x. ∃y. R(x, y)) ∧ {_ORDER}", "⊥"),
}


def questions(count: int) -> Iterator[tuple[str, Sentence, Sentence]]:
    for number, text in PELLETIER.items():
        yield f"Pelletier {number}", parsed(text), Top()
    for rank in (3, 4):
        formulas = valid_formulas(rank, count, seed=23)
        yield from (
            (f"valid, rank {rank}, {at}", formula, Top()) for at, formula in enumerate(formulas, 1)
        )
        changed = ((edited(formula, seed), formula) for seed, formula in enumerate(formulas))
        yield from ((f"edited, rank {rank}, {at}", *pair) for at, pair in enumerate(changed, 1))
    for size in (5, 10, 20, 30):
        yield from (
            (f"pair of size {size}, {at}", *pair)
            for at, pair in enumerate(pairs("first_order", size, 45, 1), 1)
        )
    for name, (left, right) in HARD.items():
        yield f"hard, {name}", parsed(left), parsed(right)


def problems(file: Path) -> Iterator[tuple[str, Sentence, Sentence]]:
    """The entailments of a file, with the conclusion first as in the other questions."""
    first_order = language("first_order")
    for line in file.read_text("utf-8").splitlines():
        problem = json.loads(line)
        try:
            left, right = (
                parsed(str(first_order.parse(problem[side]))) for side in ("left", "right")
            )
        except FormulaSyntaxError:  # a problem of another language
            continue
        if problem["kind"] == "entails":
            yield f"published, {problem['name']}", right, left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="random valid formulas of each rank")
    parser.add_argument("--timeout", type=float, default=5.0, help="seconds for a question")
    parser.add_argument("--without", nargs="+", choices=["E", "cvc5"], default=[], help="provers")
    parser.add_argument("--problems", type=Path, help="entailments to ask for, and nothing else")
    arguments = parser.parse_args()
    # By setattr, since a cached function has another type.
    if "E" in arguments.without:
        setattr(prover, "prover_path", lambda: None)  # noqa: B010
    if "cvc5" in arguments.without:
        setattr(instantiating, "solver_is_installed", lambda: False)  # noqa: B010
    asked = problems(arguments.problems) if arguments.problems else questions(arguments.count)
    totals: Counter[tuple[str, str]] = Counter()
    decide = language("first_order")
    print(f"{'question':24}{'equivalence':>16}{'s':>7}  {'by':22}{'entailment':>16}{'s':>7}  by")
    for name, left, right in asked:
        print(f"{name:24}", end="")
        for relation, sides in (
            (decide.equivalent, (left, right)),
            (decide.entails, (right, left)),
        ):
            started = time.perf_counter()
            verdict = relation(*sides, arguments.timeout)
            print(
                f"{verdict.outcome:>16}{time.perf_counter() - started:>7.2f}  {verdict.method:22}",
                end="",
            )
            totals[name.split(",")[0].split(" ")[0], verdict.outcome] += 1
        print(flush=True)
    for (kind, outcome), number in sorted(totals.items()):
        print(f"{kind:12}{outcome:>16}{number:>6}")


if __name__ == "__main__":
    main()
