"""The earlier runs of `report --history`: finds them, judges them, and shows how models changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_autoeval.features.trends.history import find_runs, history_of, run_of
from pytest_autoeval.features.trends.sections import points, trends
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.record.file import first_run
from pytest_autoeval.record.lines import SuiteRecord
from pytest_autoeval.report.blocks import Section, Table


class EarlierRunsShown:
    """The runs in some folders, in the order of their time, with that of the given ``files`` if there are any.

    ``files`` are all results files of the runs, ``last`` those of the last one.

    Raises:
        AutoevalError: there are no runs, or a file cannot be read.
    """

    def __init__(self, folders: Sequence[Path], files: Sequence[Path]) -> None:
        runs, self._left_out = find_runs(folders, least=0 if files else 1)
        if files:
            # The run that is reported may lie in a folder of earlier runs: it must not be there twice.
            own_files = {file.resolve() for file in files}
            runs = [run for run in runs if own_files.isdisjoint(map(Path.resolve, run.files))]
            own_run = next((run for run in map(first_run, files) if run is not None), None)
            if own_run is not None:
                name = files[0].with_suffix("").name
                runs.append(run_of(files, own_run, name))
        self._runs = sorted(runs, key=lambda run: run.sort_key)
        self.files = [file for run in self._runs for file in run.files]
        #: What is left out of the trends, and what else is to be said of them.
        self.notes: Sequence[str] = ()

    def judge(
        self, alpha: float, baseline: Sequence[SuiteRecord] | None, progress: Callable[[str], None]
    ) -> Sequence[Path]:
        """Judges the runs, each suite against its runs before or against a baseline. Returns the files of the last."""
        history = history_of(
            self._runs,
            Rules(alpha=alpha),
            baseline=baseline,
            notes=self._left_out,
            progress=progress,
        )
        self._history = history
        self.notes = history.notes
        return history.runs[-1].files

    def sections(self) -> list[Section]:
        """The trends, as sections of the report."""
        return list(trends(self._history))

    def table(self) -> Table:
        """All points of the trends, for a file."""
        return points(self._history)
