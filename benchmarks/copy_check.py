"""Both mistakes of the check of copies: English that is called a copy, and copies that are missed.

Formulas are drawn, with synthetic and with English names. Their faithful descriptions must never be copies, and the
descriptions of `offline/echo` and `offline/code` should be. Texts with labels by hand are in tests/tasks/copies.

    python benchmarks/copy_check.py [FORMULAS]        # of each language and kind of names; 2,000 by default
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from pathlib import Path

from pytest_autoeval import language, sample_formulas
from pytest_autoeval.languages import Formula
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.models.offline.offline_models import BEHAVIOURS

GRAMMARS = {
    "propositional": "propositional",
    "first_order": "first_order",
    "past_ltl": "ltl",
    "regex": "regex",
}
SIZES = range(1, 13)
TEXTS = Path(__file__).parent.parent / "tests" / "tasks" / "copies"


def drawn(grammar: str, vocabulary: str, wanted: int) -> list[Formula]:
    """Distinct formulas of all sizes."""
    each = -(-wanted // len(SIZES))
    found: list[Formula] = []
    for size in SIZES:
        found += sample_formulas(
            grammar, operators=size, count=each, seed=size, vocabulary=vocabulary
        )
    return found[:wanted]


def main(wanted: int) -> None:
    """Prints both tables."""
    warnings.simplefilter("ignore")
    copying = [
        behaviour for name, behaviour in BEHAVIOURS.items() if name in ("echo", "code", "leak")
    ]
    describing = [behaviour for behaviour in BEHAVIOURS.values() if behaviour not in copying]
    print(
        f"{'language':14} {'names':10} {'formulas':>8}  called copies: faithful and {len(describing) - 1} faults, ",
        end="",
    )
    print(*(f"{behaviour.name:>6}" for behaviour in copying), sep="  ")
    for grammar, name in GRAMMARS.items():
        lang = language(name)
        for vocabulary in ("default", "english"):
            formulas = drawn(grammar, vocabulary, wanted)
            called: Counter[str] = Counter()
            for formula in formulas:
                texts = {behaviour.describe(formula, lang.describe) for behaviour in describing}
                called["faithful"] += sum(bool(copied(text, formula, lang)) for text in texts)
                for behaviour in copying:
                    called[behaviour.name] += bool(
                        copied(behaviour.describe(formula, lang.describe), formula, lang)
                    )
            shares = "  ".join(
                f"{called[one]:6,}"
                for one in ("faithful", *(behaviour.name for behaviour in copying))
            )
            print(f"{name:14} {vocabulary:10} {len(formulas):8,}  {shares}")
    print(f"\n{'labelled':14} {'kind':10} {'texts':>8}  {'wrong':>6}  {'near':>6}  {'wrong':>6}")
    results: Counter[tuple[str, int, bool, bool]] = Counter()
    for file in sorted(TEXTS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            lang = language(entry["language"])
            is_copy = bool(copied(entry["description"], lang.parse(entry["formula"]), lang))
            is_wrong = is_copy is not (entry["label"] == "copy")
            results[entry["language"], entry["kind"], bool(entry.get("near")), is_wrong] += 1
    for name, kind in sorted({(name, kind) for name, kind, _, _ in results}):
        cells = [
            sum(results[name, kind, near, wrong] for wrong in (False, True))
            for near in (False, True)
        ]
        wrong = [results[name, kind, near, True] for near in (False, True)]
        print(
            f"{name:14} {kind or 'English'!s:10} {cells[0]:8,}  {wrong[0]:6,}  {cells[1]:6,}  {wrong[1]:6,}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
