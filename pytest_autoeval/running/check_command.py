"""`python -m pytest_autoeval check`: which rows of data files can be read, and which suites can use them.

With ``--set`` or ``--formulas`` a plugin examines sentences as a set.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_autoeval.built_in import shipped
from pytest_autoeval.datasets.catalogue import check_users_file
from pytest_autoeval.datasets.checking import DataCheck, Remark, check
from pytest_autoeval.datasets.plain_sentences import is_without_formulas, sentences_in
from pytest_autoeval.engine import option_values
from pytest_autoeval.engine.suite_files import SHIPPED_SUITES
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.check_arguments import check_parser
from pytest_autoeval.running.outputs import listed_with_note, progress, tally
from pytest_autoeval.text import count, one_line, printed

#: The place of a problem in a row: the column, and the position in the text of a formula.
_POSITION = re.compile(
    r"column (['\"])(?P<column>.*?)\1: (?:line (?P<line>\d+), column (?P<character>\d+): )?"
)
_STATUS_TEXTS = {
    "reported": "left out: correct it, or do without it",
    "repaired": "only one meaning was possible",
    "odd": "read as written, but probably a mistake",
}


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = check_parser().parse_args(arguments)
    columns = tuple((args.columns or {}).items())
    if args.set and args.formulas is not None:
        raise AutoevalError(
            "--set takes the formulas of the files, --formulas=RESULTS those of a run: give one of them"
        )
    if args.set or args.formulas is not None:
        run: Callable[[argparse.Namespace], int] = shipped("command option", "check --set")
        if args.set and args.model is not None:
            raise AutoevalError(
                "--model needs --formulas=RESULTS, the results with the formulas of the sentences"
            )
        return run(args)
    for name in ("model", "timeout", "seconds", "html", "markdown"):
        if getattr(args, name) is not None:
            needed = "--formulas=RESULTS, the results with the formulas of the sentences"
            raise AutoevalError(f"--{name} needs {needed}{'' if name == 'model' else ', or --set'}")
    for file in args.files:
        check_users_file(file, columns)
    if alone := [file for file in args.files if is_without_formulas(file, columns)]:
        sentences = sentences_in(alone, columns)
        number = count(len(sentences.rows), "sentence")
        hint = "--formulas=RUN.jsonl examines them as a set, with the formulas of a run"
        summary = f"{', '.join(map(str, alone))}: {number} without formulas; {hint}"
        raise AutoevalError("\n".join((summary, *sentences.problems)))
    try:
        checked = check(
            args.files,
            candidates=args.candidates,
            seed=args.seed,
            columns=columns,
            progress=progress,
        )
    finally:
        progress("")
    if args.json:
        sys.stdout.write(json.dumps(_as_json(checked), ensure_ascii=True, indent=2) + "\n")
    else:
        printed(_report(checked, args))
    is_useless = not checked.data_sets and not checked.formulas
    # A faulty row is left out of a run. Only with --strict is it an error.
    return 1 if is_useless or (args.strict and not checked.sound) else 0


def _report(checked: DataCheck, args: argparse.Namespace) -> Iterator[str]:
    for file in checked.files:
        yield f"{one_line(str(file.path))}: {count(sum(file.rows.values()), 'row')}: {tally(file.rows)}"
        for kind, note in _STATUS_TEXTS.items():
            yield from listed_with_note(
                kind, note, list(map(str, getattr(file, kind))), verbose=args.verbose
            )
        if file.clusters:
            yield f"  {_clusters(file.clusters)}"
    for examined in checked.examined:
        yield from examined.lines(verbose=args.verbose)
    yield from listed_with_note(
        "in doubt",
        "each suite reads them in its own language",
        checked.doubts,
        verbose=args.verbose,
    )
    yield from listed_with_note(
        "left out", "though their rows could be read", checked.left_out, verbose=args.verbose
    )
    yield from _data_sets_section(checked, args)


def _clusters(clusters: Mapping[str, int]) -> str:
    """How many clusters the rows of a file form, and what that means for a run."""
    number_of_clusters = count(len(clusters), "cluster")
    rows = count(sum(clusters.values()), "row")
    largest = max(clusters.values())
    numbers = f"{number_of_clusters} of {rows}, the largest of {largest:,}"
    return f"{numbers} (rows of one cluster count as dependent: intervals get wider)"


def _data_sets_section(checked: DataCheck, args: argparse.Namespace) -> Iterator[str]:
    for name, number in checked.formulas.items():
        yield f"{count(number, 'formula')} of {name}, for round trips"
    if not checked.data_sets and not checked.formulas:
        yield "no item can be made from these rows: no suite can use them"
        return
    if checked.data_sets:
        yield "items that a run makes from these rows, by data set"
    width = max(map(len, checked.data_sets), default=0)
    for name, items in checked.data_sets.items():
        yield f"  {name:<{width}}  " + (
            "not counted (--candidates=N)" if items is None else f"{items:,}"
        )
    options = " ".join(
        f"--autoeval-dataset={shlex.quote(one_line(str(file)))}"
        for file in dict.fromkeys(args.files)
    )
    if args.columns:
        options += " " + shlex.quote(
            f"--autoeval-columns={option_values.columns_text(args.columns)}"
        )
    suites = " ".join(
        dict.fromkeys(map(_suite_argument, (*checked.data_sets, *_round_trips(checked))))
    )
    yield f"next: pytest {suites} {options} --autoeval-plan"


def _round_trips(checked: DataCheck) -> Iterator[str]:
    """The shipped suites of round trips for the formulas, named like data sets."""
    for name in checked.formulas:
        if (SHIPPED_SUITES / f"test_{name}.py").is_file():
            yield f"formulas_{name}"


def _suite_argument(data_set: str) -> str:
    """The shipped suite of a data set as an argument of pytest: its file, or its module if it is installed."""
    kind, _, task = data_set.partition("_")
    of_kind = {
        "ltl": "ltl_tasks",
        "judge": "judge",
        "sentences": "sentences",
        "questions": "questions",
    }
    name = f"test_{of_kind.get(kind, task)}"
    if SHIPPED_SUITES.parent.name == "pytest_autoeval":
        return f"--pyargs pytest_autoeval.suites.{name}"
    # In a checkout the suites are files beside the package, and are named as from the current folder.
    file = SHIPPED_SUITES / f"{name}.py"
    return shlex.quote(
        str(file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file)
    )


def _as_json(checked: DataCheck) -> dict[str, Any]:
    return {
        "sound": checked.sound,
        "files": [
            {
                "file": str(file.path),
                "rows": dict(file.rows),
                "clusters": dict(file.clusters),
                **{kind: list(map(_remark, getattr(file, kind))) for kind in _STATUS_TEXTS},
            }
            for file in checked.files
        ],
        **{
            key: value for examined in checked.examined for key, value in examined.as_json().items()
        },
        "left_out": list(checked.left_out),
        "data_sets": dict(checked.data_sets),
        "formulas_for_round_trips": dict(checked.formulas),
        "in_doubt": list(checked.doubts),
    }


def _remark(remark: Remark) -> dict[str, Any]:
    position = _POSITION.match(remark.text)
    return {
        "source": f"{remark.file.name}:{remark.place}",
        "line": int(remark.place.partition(":")[0]),
        "column": position and position["column"],
        "position": {"line": int(position["line"]), "column": int(position["character"])}
        if position and position["line"]
        else None,
        "text": remark.text,
    }
