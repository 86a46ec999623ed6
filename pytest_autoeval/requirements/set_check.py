"""`check FILE --set` and `check FILE --formulas=RESULTS`: sentences with formulas, examined as a set."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from pathlib import Path

from msgspec import structs

from pytest_autoeval.engine.reproducing import command_of
from pytest_autoeval.judging.gate_verdicts import INCONCLUSIVE
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.report.analysis import analyse
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.markdown import markdown
from pytest_autoeval.report.renderers.terminal import lines
from pytest_autoeval.requirements.rule_pairs import RuleFindings, examine_set
from pytest_autoeval.requirements.set_answers import CheckedByAnswers, checked_by_answers
from pytest_autoeval.requirements.set_data import SetData, data_of
from pytest_autoeval.requirements.set_formulas import (
    SetFormulas,
    formulas_of_files,
    formulas_of_run,
)
from pytest_autoeval.requirements.whole_set import WholeSet
from pytest_autoeval.requirements.whole_set_sections import lacks_rows, set_document
from pytest_autoeval.running.outputs import progress, save
from pytest_autoeval.text import printed
from pytest_autoeval.written_file import MARKDOWN

#: The time limit of the check of a set, and the exit code after a Ctrl-C.
_SECONDS, _INTERRUPTED = 300.0, 130
#: The title of the run's own verdict, which stands behind the report on the set.
_RUN_TITLE = "the run that wrote the formulas"
#: The columns of the report on a set.
_WIDTH = 80


def main(args: Namespace) -> int:
    """Runs the command with its parsed arguments, and returns its exit code. Raises :class:`AutoevalError`."""
    seconds = _SECONDS if args.seconds is None else args.seconds
    try:
        checked = checked_by_answers(_given(args), args.files)
        set_formulas = checked.formulas
        formulas = [formula for _, formula in set_formulas.taken]
        examined, rules = examine_set(
            formulas, set_formulas.language, args.timeout, seconds, progress
        )
    finally:
        # Also before an error: its message must not stand behind a line of progress.
        progress("")
    data = data_of(checked, examined, rules) | {"strict": args.strict}
    exit_code = _exit_code(checked, examined, rules)
    # What was left out may contradict the rest: no finding about the rest makes up for it.
    if args.strict and lacks_rows(data) and exit_code != _INTERRUPTED:
        exit_code = 1
    about = set_document(data, exit_code)
    if args.json:
        sys.stdout.write(json.dumps(data, ensure_ascii=True, indent=2) + "\n")
    else:
        printed(line.text for line in lines(about, width=_WIDTH, verbosity=int(args.verbose)))
    if args.markdown is not None:
        save(args.markdown, markdown(about, title=set_formulas.files), MARKDOWN)
    if args.html is not None:
        _write_page(args.html, set_formulas, data, exit_code)
    return exit_code


def _given(args: Namespace) -> SetFormulas:
    if args.formulas is not None:
        return formulas_of_run(args, progress)
    return formulas_of_files(args.files, tuple((args.columns or {}).items()))


def _exit_code(checked: CheckedByAnswers, examined: WholeSet, rules: RuleFindings) -> int:
    if "interrupted" in (examined.stopped, rules.stopped):
        return _INTERRUPTED
    if checked.contradicting or not (examined.is_clean and rules.is_clean):
        return 1
    return 0 if examined.is_decided and not rules.undecided else INCONCLUSIVE


def _write_page(path: Path, set_formulas: SetFormulas, data: SetData, exit_code: int) -> None:
    # Imported here: only a page in HTML needs it.
    from pytest_autoeval.report.renderers.page import write_page

    page = set_document(data, exit_code)
    if set_formulas.suites:
        run = document(analyse(set_formulas.suites, Rules()), exit_code=exit_code)
        # The reader asked about the set, so the set's verdict is the headline, not that of the run.
        sections_of_run = [
            structs.replace(section, title=_RUN_TITLE) if section.name == "verdict" else section
            for section in run.sections
        ]
        page = structs.replace(run, state=page.state, sections=(*page.sections, *sections_of_run))
    write_page(path, page, set_formulas.suites, command_of=command_of)
    sys.stderr.write(f"{path}: open it in a browser\n")
