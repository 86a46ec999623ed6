"""Stores what must not change while code is moved, and compares it, in the folder `tests`.

    python -m frozen.freeze check [NAME …]    compares, and lists what differs
    python -m frozen.freeze write [NAME …]    stores what the code does now

The names are ``pairs`` (verdict and method of 100,000 pairs), ``readings`` (each recorded answer, read in each
language), ``drawn`` (2,000 formulas of each grammar, in their order) and ``reports`` (the summary as JSON of 200
results files, and of those in the tests). All of them take about two minutes; a test checks a part of them.
"""

from __future__ import annotations

import contextlib
import io
import json
import lzma
import os
import random
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import chain, islice
from math import isclose
from pathlib import Path
from typing import Any

from frozen.made_files import NUMBER, kept_files, made_files

from pytest_autoeval import language, sample_formulas
from pytest_autoeval.__main__ import main as run_command
from pytest_autoeval.generation.grammars import grammar_names
from pytest_autoeval.languages.base import Formula

FOLDER = Path(__file__).parent
CASSETTES = FOLDER.parents[1] / "cassettes"
#: The grammars of the pairs: language, sizes, and number of pairs.
PAIRS = {
    "propositional": ("propositional", range(16), 45_000),
    "ksat": ("propositional", range(2, 20, 3), 16_000),
    "regex": ("regex", range(1, 9), 30_000),
    "ltl": ("ltl", range(9), 5_000),
    "past_ltl": ("ltl", range(9), 2_000),
    "first_order": ("first_order", range(6), 2_000),
}
LANGUAGES = ("propositional", "first_order", "regex", "ltl")
_DRAWN, _SEED = 2_000, 11
#: A neighbour of a formula in the list is of nearly the same size, so that many pairs are hard to tell apart.
_NEIGHBOURS = 40

Frozen = Iterator[tuple[str, Any]]


def drawn_of(grammar: str, sizes: range, each: int) -> list[Formula]:
    """Formulas of a grammar, those of each size in the order in which they are drawn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there may be few or none of a size
        found = [sample_formulas(grammar, operators=size, count=each, seed=_SEED) for size in sizes]
    return [formula for formulas in found for formula in formulas]


def pairs(share: float = 1.0) -> Frozen:
    """Outcome and method of pairs of neighbours."""
    for grammar, (name, sizes, number) in PAIRS.items():
        formulas, lang, draw = drawn_of(grammar, sizes, 250), language(name), random.Random(5)
        for pair in range(int(number * share)):
            place = draw.randrange(len(formulas))
            other = min(
                len(formulas) - 1, max(0, place + draw.randrange(-_NEIGHBOURS, _NEIGHBOURS + 1))
            )
            verdict = lang.equivalent(formulas[place], formulas[other])
            yield f"{grammar} {pair}", f"{verdict.outcome}, {verdict.method}"


def readings(share: float = 1.0) -> Frozen:
    """What is read in each recorded answer, in each language."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    files = sorted(CASSETTES.rglob("*.yaml"))
    for path in islice(files, int(len(files) * share)):
        content = yaml.load(path.read_text("utf-8"), loader)["interactions"][0]["response"][
            "parsed_body"
        ]
        for choice in content.get("choices", ()):
            text = choice["message"]["content"] or ""
            for name in LANGUAGES:
                reading = language(name).read(text)
                said = [
                    str(getattr(reading, part, None))
                    for part in ("formula", "problem", "compliant")
                ]
                yield f"{path.parent.name}/{path.stem} {name}", _digest(said)


def drawn(share: float = 1.0) -> Frozen:
    """The formulas of each grammar."""
    for grammar in grammar_names():
        formulas = drawn_of(grammar, range(12), int(_DRAWN * share) // 12)
        for start in range(0, len(formulas), 50):
            yield (
                f"{grammar} {start}",
                _digest([str(formula) for formula in formulas[start : start + 50]]),
            )


def reports(share: float = 1.0) -> Frozen:
    """The judgement and the summary of results files."""
    started = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, options, rows, before in chain(
                kept_files(), islice(made_files(), int(NUMBER * share))
            ):
                for path, some in (("rows.jsonl", rows), ("before.jsonl", before)):
                    Path(path).write_text("".join(f"{json.dumps(row)}\n" for row in some), "utf-8")
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    code = run_command(["report", "rows.jsonl", *options, "--summary=summary.json"])
                yield f"{name} code", code
                yield f"{name} said", re.sub(r"\S*/", "", said.getvalue())
                if (summary := Path("summary.json")).exists():  # not if the file is refused
                    yield name, {**json.loads(summary.read_text("utf-8")), "created": ""}
                    summary.unlink()
        finally:
            os.chdir(started)


FROZEN: dict[str, Callable[[float], Frozen]] = {
    "pairs": pairs,
    "readings": readings,
    "drawn": drawn,
    "reports": reports,
}


def _digest(texts: list[str]) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()[:16]


def stored(name: str) -> dict[str, Any]:
    """What was stored under a name."""
    data: dict[str, Any] = json.loads(lzma.decompress((FOLDER / f"{name}.json.xz").read_bytes()))
    return data


def differences(name: str, share: float = 1.0) -> list[str]:
    """What differs from what was stored, one line each."""
    known = stored(name)
    return [
        f"{name}: {case}: {json.dumps(known.get(case))[:300]} → {json.dumps(now)[:300]}"
        for case, now in FROZEN[name](share)
        if not same(known.get(case), now)
    ]


def same(before: Any, now: Any) -> bool:
    """Whether two values are equal, numbers up to what another processor computes.

    The last digits of fitted curves depend on the processor, whose linear algebra adds up in another order.
    """
    match before, now:
        case dict(), dict():
            return before.keys() == now.keys() and all(
                same(before[key], now[key]) for key in before
            )
        case list(), list():
            return len(before) == len(now) and all(map(same, before, now))
        case float(), float():
            return isclose(before, now, rel_tol=1e-6, abs_tol=1e-9)
    return bool(before == now)


def main(arguments: list[str]) -> int:
    """Stores or compares."""
    task, *names = arguments or ["check"]
    different = 0
    for name in names or FROZEN:
        if task == "write":
            text = json.dumps(dict(FROZEN[name](1.0)), ensure_ascii=False)
            (FOLDER / f"{name}.json.xz").write_bytes(lzma.compress(text.encode()))
            sys.stdout.write(f"{name}: stored\n")
            continue
        found = differences(name)
        different += len(found)
        sys.stdout.writelines(
            f"{line}\n" for line in (*found[:50], f"{name}: {len(found)} differences")
        )
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
