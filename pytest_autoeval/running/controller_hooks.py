"""The hooks that only the controlling process has: it hears the items, has the run judged, and writes the summary.

Nothing heavy is imported until an item of a pass-rate test was heard.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.options import MISFIT, UNPUT, UNSUITED, WORDLESS, source, typed
from pytest_autoeval.running.shared import RUN, UNDECIDED_GATE, made_state_dir

if TYPE_CHECKING:
    from pytest_autoeval.running.controller import Controller


class ControllerHooks:
    """A plugin object, registered in every process but xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.infos: list[dict[str, Any]] = []
        self.broken: list[str] = []
        self.misfits: list[str] = []
        self.unsuited: list[str] = []
        self.unput: list[str] = []
        self.controller: Controller | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if self.config.option.autoeval_plan:
            return (yield from self._plan(session))
        if self.config.option.collectonly:
            return (yield)
        self._begin()
        try:
            result = yield
        except BaseException:
            self._conclude(session, interrupted=True)
            raise
        if (unfit := [*self.misfits, *self.unput]) and not self.infos and not self.broken:
            raise pytest.UsageError(*dict.fromkeys(unfit))
        try:
            self._conclude(session, interrupted=False)
        except KeyboardInterrupt:
            if self.controller is None or not self.controller.analysis.gates:  # it came before anything was known
                self._conclude(session, interrupted=True)
            raise
        self._check_data_were_used()
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = getattr(report, "autoeval", None)
        if told is not None:
            self.infos.append(told)
        if told is None and report.failed and report.when != "teardown":
            self.broken.append(report.nodeid)
        elif report.skipped and isinstance(report.longrepr, tuple):
            reason = str(report.longrepr[2]).removeprefix("Skipped: ")
            if reason.startswith(MISFIT):
                self.misfits.append(reason)
            elif reason.startswith(UNSUITED):
                self.unsuited.append(reason)
            elif reason.startswith((UNPUT, WORDLESS)):
                self.unput.append(reason)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        if report.when == "call" and UNDECIDED_GATE in report.keywords and "autoeval" in report.keywords:
            return "inconclusive", "?", "INCONCLUSIVE"
        return None

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run that decides nothing is neither green nor red."""
        if self.controller is not None and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = self.controller.exit_code

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.controller is not None:
            self.controller.summarize(terminalreporter)

    def _plan(self, session: pytest.Session) -> Generator[None, object, object]:
        self.config.option.collectonly = True
        result = yield
        from pytest_autoeval.running.plan import show_plan

        show_plan(session)
        return result

    def _check_data_were_used(self) -> None:
        """A run in which every suite that takes the user's data was skipped is no success."""
        if not self.unsuited or self.misfits or self.broken or any(info["own_data"] for info in self.infos):
            return
        from pytest_autoeval.running.left_out import refuse_unused_data

        problems = [problem for info in self.infos for problem in (*info["problems"], *info["notes"])]
        refuse_unused_data(self.config, self.unsuited, problems)

    def _begin(self) -> None:
        """A results file that cannot be written is known before the first call is paid for."""
        if typed(self.config, "autoeval_results") or self.config.getini("autoeval_results"):
            from pytest_autoeval.running.run import run_of

            try:
                run_of(self.config).results.start()
            except AutoevalError as problem:
                raise pytest.UsageError(f"{source(self.config, 'results')}: {problem}") from None

    def _conclude(self, session: pytest.Session, *, interrupted: bool) -> None:
        if not self.infos and RUN not in self.config.stash and made_state_dir(self.config) is None:
            return
        from pytest_autoeval.running.controller import Controller
        from pytest_autoeval.running.run import run_of

        self.controller = Controller(self.config, run_of(self.config), self.infos, self.broken)
        self.controller.conclude(session, interrupted=interrupted)
