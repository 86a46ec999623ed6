"""`python -m pytest_autoeval check`: which rows of data files can be read, and which suites can use them.

With ``--set`` or ``--formulas`` a plugin examines sentences as a set.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_autoeval.built_in import shipped
from pytest_autoeval.datasets.catalogue import check_users_file
from pytest_autoeval.datasets.checking import LACKS_PROPOSITIONS, DataCheck, Remark, check
from pytest_autoeval.datasets.columns import Columns
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.plain_sentences import (
    PlainSentence,
    is_without_formulas,
    sentences_in,
)
from pytest_autoeval.datasets.table_files import FileRows
from pytest_autoeval.engine import option_values
from pytest_autoeval.engine.suite_files import SHIPPED_SUITES
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.running.check_arguments import check_parser
from pytest_autoeval.running.outputs import listed_with_note, numbered_names, progress
from pytest_autoeval.text import count, one_line, printed

#: The place of a problem in a row: the column, and the position in the text of a formula.
_POSITION = lazy_pattern(
    r"column (['\"])(?P<column>.*?)\1: (?:line (?P<line>\d+), column (?P<character>\d+): )?"
)
#: What became of the rows with a remark, by the attribute of a checked file that lists them.
_STATUS_TEXTS = {
    "reported": "left out: correct it, or do without it",
    "repaired": "only one meaning was possible",
    "odd": "read as written, but probably a mistake",
}
#: Who else can use sentences with formulas that have no phrases for their propositions.
_ADVICE_ON_BODIES = "a test with a body of its own needs none either, in any language: it names the file in its marker"
_RESULTS_NEEDED = "--formulas=RESULTS, the results with the formulas of the sentences"


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = check_parser().parse_args(arguments)
    columns = tuple((args.columns or {}).items())
    if args.set or args.formulas is not None:
        return _examine_as_set(args)
    _refuse_options_of_sets(args)
    for file in args.files:
        try:
            check_users_file(file, columns)
        except DataSetError as problem:
            if not LACKS_PROPOSITIONS.search(str(problem)):
                raise
            advice = "\n".join((_advice_on_sets(file, args), _ADVICE_ON_BODIES))
            raise DataSetError(f"{problem}\n{advice}") from None
    files = list(dict.fromkeys(args.files))
    alone = [file for file in files if is_without_formulas(file, columns)]
    if alone == files:
        return _check_sentences(alone, columns, args)
    _refuse_sentences_alone(alone, columns)
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
    is_refused = args.strict and not checked.sound
    return 1 if is_useless or is_refused else 0


def _examine_as_set(args: argparse.Namespace) -> int:
    """Has the plugin examine the sentences as a set, and returns its exit code."""
    if args.set and args.formulas is not None:
        raise AutoevalError(
            "--set takes the formulas of the files, --formulas=RESULTS those of a run: give one of them"
        )
    if args.set and args.model is not None:
        raise AutoevalError(f"--model needs {_RESULTS_NEEDED}")
    examine: Callable[[argparse.Namespace], int] = shipped("command option", "check --set")
    return examine(args)


def _refuse_options_of_sets(args: argparse.Namespace) -> None:
    for name in ("model", "timeout", "seconds", "html", "markdown"):
        if getattr(args, name) is not None:
            # --set takes the formulas of the files, which no model wrote.
            alternative = "" if name == "model" else ", or --set"
            raise AutoevalError(f"--{name} needs {_RESULTS_NEEDED}{alternative}")


def _refuse_sentences_alone(alone: Sequence[Path], columns: Columns) -> None:
    """Refuses files of sentences without formulas beside other files: they are checked in another way."""
    if alone:
        number = count(len(sentences_in(alone, columns).rows), "sentence")
        names = ", ".join(map(str, alone))
        raise AutoevalError(f"{names}: {number} without formulas; check such files by themselves")


def _check_sentences(files: Sequence[Path], columns: Columns, args: argparse.Namespace) -> int:
    """Reports how sentences without formulas are read, before a model is asked, and returns the exit code."""
    sentences = sentences_in(files, columns)
    if args.json:
        rows = [
            {
                "item": row.item,
                "source": row.source,
                "group": row.group,
                "sentence": row.sentence,
            }
            for row in sentences.rows
        ]
        report = {
            "sound": not sentences.problems,
            "sentences": rows,
            "left_out": list(sentences.problems),
            "notes": list(sentences.notes),
        }
        sys.stdout.write(json.dumps(report, ensure_ascii=True, indent=2) + "\n")
    else:
        printed(_sentences_report(files, sentences, verbose=args.verbose))
    return 1 if args.strict and sentences.problems else 0


def _sentences_report(
    files: Sequence[Path], sentences: FileRows[PlainSentence], *, verbose: bool
) -> Iterator[str]:
    names = [one_line(str(file)) for file in files]
    yield f"{', '.join(names)}: {count(len(sentences.rows), 'sentence')} without formulas"
    note = _STATUS_TEXTS["reported"]
    yield from listed_with_note("reported", note, sentences.problems, verbose=verbose)
    yield from listed_with_note("in doubt", "read as written", sentences.notes, verbose=verbose)
    rows = [one_line(f"{row.item}: {row.sentence}") for row in sentences.rows]
    yield from listed_with_note("read", "each with its id", rows, verbose=verbose)
    yield "a test marked with @autoeval.sentences asks a model for their formulas; with its results"
    command = ["python", "-m", "pytest_autoeval", "check", *names, "--formulas=RUN.jsonl"]
    yield f"next: {shlex.join(command)}"


def _report(checked: DataCheck, args: argparse.Namespace) -> Iterator[str]:
    for file in checked.files:
        rows = count(sum(file.rows.values()), "row")
        yield f"{one_line(str(file.path))}: {rows}: {numbered_names(file.rows)}"
        for kind, note in _STATUS_TEXTS.items():
            yield from listed_with_note(
                kind, note, list(map(str, getattr(file, kind))), verbose=args.verbose
            )
        if file.lack_phrases:
            lacking = count(file.lack_phrases, "row")
            yield f"  to be read in temporal logic too, {lacking} would need the column 'propositions'"
        if file.lack_phrases or any(map(_lacks_propositions, file.reported)):
            yield f"  {_advice_on_sets(file.path, args)}"
            yield f"  {_ADVICE_ON_BODIES}"
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
    if checked.unknown_languages:
        names = one_line(", ".join(checked.unknown_languages))
        yield f"languages that are not known here: {names}"
        yield f"  a language of conftest.py is known to pytest only; this checks it: {_plan_command(args)}"
    yield from _data_sets_section(checked, args)


def _lacks_propositions(remark: Remark) -> bool:
    return LACKS_PROPOSITIONS.search(remark.text) is not None


def _advice_on_sets(file: Path, args: argparse.Namespace) -> str:
    """The command that examines the formulas of a table as a set."""
    words = ["python", "-m", "pytest_autoeval", "check", one_line(str(file)), "--set"]
    if args.columns:
        words.append(f"--columns={option_values.columns_text(args.columns)}")
    return f"the rules as a set need no propositions: {shlex.join(words)}"


def _clusters(clusters: Mapping[str, int]) -> str:
    """How many clusters the rows of a file form, and what that means for a run."""
    clusters_in_words = count(len(clusters), "cluster")
    rows = count(sum(clusters.values()), "row")
    largest = max(clusters.values())
    numbers = f"{clusters_in_words} of {rows}, the largest of {largest:,}"
    return f"{numbers} (rows of one cluster count as dependent: intervals get wider)"


def _data_sets_section(checked: DataCheck, args: argparse.Namespace) -> Iterator[str]:
    """The suites and items that the rows are good for, and the command that uses them."""
    for name, number in checked.formulas.items():
        yield f"{count(number, 'formula')} of {name}, for round trips"
    if not checked.data_sets and not checked.formulas:
        # A run may know more languages.
        if checked.unknown_languages:
            yield "no item can be made from these rows here"
        else:
            yield "no item can be made from these rows: no suite can use them"
        return
    if checked.data_sets:
        yield "items that a run makes from these rows, by data set"
    width = max(map(len, checked.data_sets), default=0)
    for name, items in checked.data_sets.items():
        number_of_items = "not counted (--candidates=N)" if items is None else f"{items:,}"
        yield f"  {name:<{width}}  {number_of_items}"
    yield f"next: {_next_command(checked, args)}"


def _next_command(checked: DataCheck, args: argparse.Namespace) -> str:
    """The command that plans a run of all suites that can use the files."""
    suites = " ".join(
        dict.fromkeys(map(_suite_argument, (*checked.data_sets, *_round_trips(checked))))
    )
    return _plan_command(args, suites)


def _plan_command(args: argparse.Namespace, suites: str = "") -> str:
    """The command that plans a run over the files: of the ``suites``, or of the user's own."""
    options = " ".join(
        f"--autoeval-dataset={shlex.quote(one_line(str(file)))}"
        for file in dict.fromkeys(args.files)
    )
    if args.columns:
        options += " " + shlex.quote(
            f"--autoeval-columns={option_values.columns_text(args.columns)}"
        )
    return " ".join(filter(None, ("pytest", suites, options, "--autoeval-plan")))


def _round_trips(checked: DataCheck) -> Iterator[str]:
    """The shipped suites of round trips for the formulas, named like data sets: a kind, ``_``, and the suite."""
    for name in checked.formulas:
        # Not every language of formulas has a shipped suite.
        if (SHIPPED_SUITES / f"test_{name}.py").is_file():
            yield f"formulas_{name}"


def _suite_argument(data_set: str) -> str:
    """The shipped suite of a data set as an argument of pytest: its file, or its module if it is installed."""
    kind, _, task = data_set.partition("_")
    # One file has the suites of all data sets of such a kind. The other files are named for their task.
    files_by_kind = {
        "ltl": "ltl_tasks",
        "judge": "judge",
        "sentences": "sentences",
        "questions": "questions",
    }
    name = f"test_{files_by_kind.get(kind, task)}"
    if SHIPPED_SUITES.parent.name == "pytest_autoeval":
        return f"--pyargs pytest_autoeval.suites.{name}"
    # In a checkout the suites are files beside the package, and are named as from the current folder.
    file = SHIPPED_SUITES / f"{name}.py"
    if file.is_relative_to(Path.cwd()):
        file = file.relative_to(Path.cwd())
    return shlex.quote(str(file))


def _as_json(checked: DataCheck) -> dict[str, Any]:
    return {
        "sound": checked.sound,
        "files": [
            {
                "file": str(file.path),
                "rows": dict(file.rows),
                "lack_phrases": file.lack_phrases,
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
        "unknown_languages": list(checked.unknown_languages),
    }


def _remark(remark: Remark) -> dict[str, Any]:
    match = _POSITION.match(remark.text)
    position = None
    # Only a remark about a formula names a place inside the column.
    if match and match["line"]:
        position = {"line": int(match["line"]), "column": int(match["character"])}
    return {
        "source": f"{remark.file.name}:{remark.place}",
        "line": int(remark.place.partition(":")[0]),
        "column": match and match["column"],
        "position": position,
        "text": remark.text,
    }
