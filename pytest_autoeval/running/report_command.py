"""`python -m pytest_autoeval report`: a report of one or more results files, after their runs."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import Protocol

from msgspec import structs

from pytest_autoeval.built_in import shipped
from pytest_autoeval.engine.reproducing import command_of
from pytest_autoeval.engine.settings import OPTIONS, names_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.inert import inert
from pytest_autoeval.judging.baseline_runs import Baseline
from pytest_autoeval.judging.gates import Extent
from pytest_autoeval.judging.recorded_extent import NEVER_STARTED, extent_of
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.earlier_runs import EarlierRuns, read_earlier_runs, results_files
from pytest_autoeval.record.figure_sentences import number, sentence
from pytest_autoeval.record.figures import Sentence
from pytest_autoeval.record.file import write_results
from pytest_autoeval.record.joined_suites import never_started
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.merging import Merged, merge
from pytest_autoeval.report.analysis import Analysis, analyse
from pytest_autoeval.report.blocks import Document, Section, Table
from pytest_autoeval.report.counterexample import Counterexample, smallest_failures
from pytest_autoeval.report.document import document
from pytest_autoeval.report.failed_formulas import FailedFormulas, failed_formulas
from pytest_autoeval.report.renderers.csv import FIGURES_FILE, FIGURES_HEADING, table_text, tables
from pytest_autoeval.report.renderers.markdown import markdown
from pytest_autoeval.report.renderers.summary import summary_text
from pytest_autoeval.running.outputs import progress, save, summary
from pytest_autoeval.running.report_arguments import report_parser
from pytest_autoeval.text import count
from pytest_autoeval.written_file import (
    FAILURES,
    MARKDOWN,
    MISSED,
    PAGE,
    RESULTS,
    SUMMARY,
    TRENDS,
    OutputKind,
    target_of,
)

#: What each option writes.
_KINDS = {
    "html": PAGE,
    "markdown": MARKDOWN,
    "github_summary": MARKDOWN,
    "summary": SUMMARY,
    "results": RESULTS,
    "failures": FAILURES,
    "missed": MISSED,
    "trends": TRENDS,
}
#: The options that write all of the document; the others write formulas or samples.
_SHOW_DOCUMENT = ("html", "markdown", "github_summary", "summary", "csv", "plots")


class ShownHistory(Protocol):
    """Earlier runs, as the feature of trends shows them."""

    files: Sequence[Path]
    notes: Sequence[str]

    def judge(
        self, alpha: float, baseline: Sequence[SuiteRecord] | None, progress: Callable[[str], None]
    ) -> Sequence[Path]: ...

    def sections(self) -> list[Section]: ...

    def table(self) -> Table: ...


def main(arguments: list[str]) -> int:
    """Runs the command and returns its exit code. Raises :class:`AutoevalError` for a user's mistake."""
    args = report_parser().parse_args(arguments)
    history = _history(args)
    # Before anything is judged, so that a mistake shows at once.
    _check(args, history.files if history else ())
    # Before the results, which may be large: a baseline that cannot be used must not cost that time.
    earlier = read_earlier_runs(args.baseline, progress) if args.baseline else None
    if earlier is not None:
        earlier.check_model(args.baseline_model)
        if args.baseline_variant is not None:
            earlier.check_variant(args.baseline_variant._asdict())
    latest: Sequence[Path] = ()
    if history is not None:
        latest = history.judge(args.alpha, None if earlier is None else earlier.suites, progress)
    # Messages are most of a file, and only these two show or write them.
    keep_messages = args.html is not None or args.results is not None
    merged = merge(args.files or latest, progress, keep_messages=keep_messages)
    progress("judging")
    see_why = join(
        ["python", "-m", "pytest_autoeval", "report", *arguments, "--html=autoeval.html"]
    )
    steps = {} if args.html is not None else {"see why": see_why}
    analysis = structs.replace(
        _analysis(args, merged, earlier),
        page_steps=steps,
        details=_shows_details(args),
        results=[str(file) for file in args.files or latest],
    )
    shown_document = document(analysis, more=history.sections() if history else ())
    progress("")
    # A reader such as `head` may stop before the end. The verdict stands: 0 would make a red run green.
    with suppress(BrokenPipeError):
        # A command that writes files leaves standard output to them: one of them may be `-`.
        if written := list(_write(args, analysis, shown_document, merged, history)):
            notes = [
                f"note: {note}" for note in (*analysis.notes, *(history.notes if history else ()))
            ]
            sys.stderr.writelines(f"{line}\n" for line in (*notes, *written, analysis.headline))
        else:
            width = shutil.get_terminal_size().columns
            lines = summary(shown_document, args.verbose, width, sys.stdout.encoding)
            sys.stdout.writelines(f"{line.text}\n" for line in lines)
    return analysis.exit_code


def _shows_details(args: argparse.Namespace) -> bool:
    """Whether all of the document is shown: on the terminal with -v, or in a file."""
    outputs = (getattr(args, name) for name in _SHOW_DOCUMENT)
    return args.verbose > 0 or any(output is not None for output in outputs)


def _history(args: argparse.Namespace) -> ShownHistory | None:
    """The runs of ``--history``, with that of the given files; None without the option."""
    if args.history is None:
        if not args.files:
            raise AutoevalError(
                "give results files, or a folder with those of several runs: --history DIR"
            )
        return None
    history: ShownHistory = shipped("command option", "report --history")(args.history, args.files)
    return history if history.files else None


def _check(args: argparse.Namespace, read: Sequence[Path]) -> None:
    """Refuses options that do not fit, and outputs that would overwrite a file that is ``read`` for the history."""
    if args.trends is not None and args.history is None:
        raise AutoevalError("--trends needs --history DIR, the results of several runs")
    history_files = [file for file in read if file not in args.files]
    earlier = results_files(args.baseline)
    for name in names_of(lambda option: option.judges and option.requires is not None):
        required, description = OPTIONS[name].requires or ("", "")
        if getattr(args, name) is not None and not getattr(args, required):
            raise AutoevalError(
                f"--{name.replace('_', '-')} needs --{required} FILE.jsonl, {description}"
            )
    if args.github_summary == "" and not os.environ.get("GITHUB_STEP_SUMMARY"):
        raise AutoevalError("--github-summary: GITHUB_STEP_SUMMARY is not set, so give a file")
    for name, kind in _KINDS.items():
        file, option = getattr(args, name), f"--{name.replace('_', '-')}"
        if not file or file == "-":
            continue
        # A results file that was read may be overwritten by all samples, in order.
        own = (*earlier, *history_files, *(args.files if name != "results" else ()))
        if os.path.realpath(file) in map(os.path.realpath, own):
            raise AutoevalError(f"{option}: would overwrite the results {file}; name another file")
        _check_output(option, Path(file), kind)


def _check_output(option: str, file: Path, kind: OutputKind) -> None:
    """Refuses a file that cannot be replaced, before anything is read."""
    try:
        target_of(file, kind)
    except IsADirectoryError:
        raise AutoevalError(f"{option}: {file} is a folder; name a file") from None
    except OSError as error:
        raise AutoevalError(f"{option}: {file}: {error.strerror}") from None


def _analysis(args: argparse.Namespace, merged: Merged, earlier: EarlierRuns | None) -> Analysis:
    drops = args.fail_on or {}
    planned = merged.absent
    absent = never_started(planned, merged.results.run, merged.suites) if planned else []
    analysis = analyse(
        [*merged.suites, *absent],
        Rules(
            threshold=args.threshold,
            gate=args.gate,
            alpha=args.alpha,
            agreement=args.agreement,
            anew=frozenset(
                name for name in ("threshold", "agreement") if getattr(args, name) is not None
            ),
            drop=drops.get("drop"),
            suite_drop=drops.get("suite-drop"),
            agreement_drop=drops.get("agreement"),
        ),
        baseline=None
        if earlier is None
        else Baseline(earlier.suites, args.baseline_model, args.baseline_variant),
        baseline_name="" if earlier is None else earlier.name,
        baseline_notes=() if earlier is None else earlier.notes,
        extents=_extents(merged, absent, args.gate, args.threshold),
        suites=merged.number_of_suites,
        # The smallest failure of each kind, not shrunk: that would need the model.
        counterexamples=[
            Counterexample(sample=sample, command=command_of(sample))
            for suite in merged.suites
            for sample in smallest_failures(_shown(suite)).values()
        ],
        ends_without_suite=merged.results.ends_without_suite,
    )
    notes: list[Sentence | str] = [*merged.notes]
    had = [suite for suite in merged.suites if suite.asked.threshold not in (None, args.threshold)]
    if had and args.threshold is not None:
        suites = number(len(had), "suite")
        notes.append(
            sentence(
                "judged by --threshold: {suites} had another threshold in their run", suites=suites
            )
        )
    notes += analysis.notes
    return structs.replace(analysis, notes=notes, not_collected=merged.not_collected)


def _shown(suite: SuiteRecord) -> list[Sample]:
    """The samples that may be shown as counterexamples: those that count, and those that shrinking made of them."""
    return [sample for sample in suite.samples if sample.counts != "equal paraphrase"]


def _extents(
    merged: Merged, absent: Sequence[SuiteRecord], gate: str, threshold: float | None
) -> dict[int, Extent]:
    """How the suites ended, by number.

    A planned look that ended a suite holds for its own samples and any rule: each gate is judged with the share that
    this look has in its error. The decision of a sequential test of an older release holds for its own rule and
    threshold only; otherwise such a suite cannot be judged.
    """
    extents = {
        suite.number: extent_of(
            suite,
            gate=gate,
            threshold=threshold,
            unjudgeable=suite.number in merged.unjudgeable,
            missing=merged.missing.get(suite.number, ""),
        )
        for suite in merged.suites
    }
    return extents | dict.fromkeys((suite.number for suite in absent), NEVER_STARTED)


def _write(
    args: argparse.Namespace,
    analysis: Analysis,
    shown_document: Document,
    merged: Merged,
    history: ShownHistory | None,
) -> Iterator[str]:
    if args.results is not None:
        args.results.parent.mkdir(parents=True, exist_ok=True)
        ended = analysis.end(interrupted=analysis.verdict == "interrupted")
        write_results(args.results, replace(merged.results, end=ended))
        yield f"{args.results}: {count(len(merged.results.samples), 'sample')}"
    if args.failures is not None:
        failed = failed_formulas(merged.suites)
        save(Path(args.failures), "".join(failed.lines), FAILURES)
        yield f"{args.failures}: {count(len(failed.lines), 'formula')} on which a model failed{_left_out(failed)}"
    if args.missed is not None:
        arguments = shipped("command option", "report --missed")(merged.suites)
        if arguments:
            save(args.missed, "".join(f"{argument}\n" for argument in arguments), MISSED)
            items = count(len(arguments), "item")
            yield f"{args.missed}: {items} that no model passed in any repeat"
        else:
            # `pytest @FILE` with an empty file would ask about everything.
            yield f"no item was missed by all models in all repeats: {args.missed} is not written"
    if args.html is not None:
        from pytest_autoeval.report.renderers.page import write_page

        progress(f"writing {args.html}")
        write_page(
            args.html, shown_document, analysis.suites, title=args.title, command_of=command_of
        )
        progress("")
        yield f"{args.html}: open it in a browser"
    if args.github_summary is not None or args.markdown is not None:
        text = markdown(shown_document, title=args.title, limit=args.markdown_limit)
        if args.github_summary is not None:
            of_the_job = not args.github_summary
            path = Path(os.environ["GITHUB_STEP_SUMMARY"] if of_the_job else args.github_summary)
            save(path, text, MARKDOWN, append=of_the_job)
            description = "the summary of the job" if of_the_job else "the summary"
            yield f"{path}: {description}"
        if args.markdown is not None:
            yield _put(args.markdown, text, MARKDOWN)
    if args.summary is not None:
        yield _put(args.summary, summary_text(shown_document), SUMMARY)
    yield from _write_numbers(args, shown_document, history)


def _write_numbers(
    args: argparse.Namespace, shown_document: Document, history: ShownHistory | None
) -> Iterator[str]:
    """The tables and the figures for papers."""
    if args.trends is not None and history is not None:
        yield _put(args.trends, table_text(history.table()), TRENDS, "the trends")
    if args.csv is not None:
        yield f"{args.csv}: {count(_save_tables(args.csv, tables(shown_document)), 'file')}"
    if args.plots is not None:
        files = shipped("command option", "report --plots")(shown_document, args.plots, progress)
        progress("")
        yield f"{args.plots}: {count(len(files), 'file')}"


def _save_tables(folder: Path, texts: Mapping[str, str]) -> int:
    """Writes CSV files into a folder, and returns their number.

    The first one tells whether the folder is an earlier output, whose tables are replaced even if their columns differ.
    """
    is_earlier_output = (folder / FIGURES_FILE).exists()
    save(
        folder / FIGURES_FILE,
        texts[FIGURES_FILE],
        OutputKind("figures of pytest-autoeval", (FIGURES_HEADING,)),
    )
    for name, text in texts.items():
        heading = text.partition("\n")[0]
        kind = None if is_earlier_output else OutputKind("a table of pytest-autoeval", (heading,))
        save(folder / name, text, kind)
    return len(texts)


def _left_out(failed: FailedFormulas) -> str:
    """What the file of failed formulas does not have, as the end of a line."""
    if not failed.other_tasks:
        return ""
    return f"; without {count(failed.other_tasks, 'failure')} of tasks whose items have more than a formula"


def _put(target: str, text: str, kind: OutputKind, description: str = "the summary") -> str:
    if target != "-":
        save(Path(target), text, kind)
        return f"{target}: {description}"
    # As bytes: the console of Windows may have another encoding than the files have.
    sys.stdout.buffer.write(inert(text).encode())
    sys.stdout.flush()
    return f"{description} {'were' if description.endswith('s') else 'was'} printed"
