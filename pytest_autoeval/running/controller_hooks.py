"""The hooks that only the controlling process has: they begin and end the run, and show the summary.

Nothing heavy is imported until a suite was collected.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

import pytest

from pytest_autoeval.inert import inert
from pytest_autoeval.running.heard import Heard
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.progress import ProgressLine, Standing
from pytest_autoeval.running.shared import (
    FOLDER,
    ITEM_HOOKS,
    RUN,
    TOLD,
    collected,
    has_workers,
    hub_of,
    refusals,
    run_folder,
)

if TYPE_CHECKING:
    from pytest_autoeval.running.controller import Controller

#: Seconds that a run which was cut off waits for its workers; they need milliseconds.
_PARTING = 2.0


class ControllerHooks:
    """A plugin object, registered in every process but xdist's workers."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.heard = Heard(config)
        self.controller: Controller | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        if self.config.option.autoeval_plan:
            self.config.option.collectonly = True
            result = yield
            from pytest_autoeval.running.plan import show_plan

            show_plan(session)
            return result
        if self.config.option.collectonly:
            return (yield)
        with ExitStack() as until_the_end:
            self._begin(until_the_end)
            try:
                result = yield
            except BaseException:
                if (hub := hub_of(self.config)) is not None:
                    hub.close()  # its workers end at once
                    hub.wait_for_workers(_PARTING)  # what they still write is counted too
                if (run := self.config.stash.get(RUN, None)) is not None:
                    run.stop()
                self._conclude(interrupted=True)
                raise
            self._conclude(interrupted=False)
            if self.heard.reports and not self.heard.broken:
                from pytest_autoeval.running.controller import refuse_useless

                refuse_useless(self.config, self.heard.reports)
            return result

    def _begin(self, until_the_end: ExitStack) -> None:
        """Makes the results file and the folder of the run, and says what is found there of earlier runs."""
        settings, notes = settings_of(self.config), []
        if settings.results is not None:
            from pytest_autoeval.reporting.results import ResultsFile

            file = ResultsFile(settings.results)
            until_the_end.callback(file.close)
            with refusals(self.config, settings.origin("results")):
                aside = file.start()
            if aside is not None:
                notes.append(f"the results of an interrupted run are now in {aside}")
        if settings.summary is not None:  # of a run that is killed no earlier verdict must be left
            settings.summary.unlink(missing_ok=True)
        has_suites = bool(collected(self.config)) or has_workers(self.config)
        if has_suites or self.config.pluginmanager.has_plugin(ITEM_HOOKS):  # a suite may be left out
            self.config.pluginmanager.register(self.heard)
        if has_suites:
            until_the_end.enter_context(_sigterm_interrupts(self.config))
            notes.insert(0, run_folder(self.config).note)
        terminal = self.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is None:
            return
        if said := "; ".join(filter(None, notes)):
            terminal.write_line(inert(f"autoeval: {said}"), yellow=True)
        if has_suites and self.config.get_verbosity() >= 0:
            self.heard.progress = until_the_end.enter_context(ProgressLine(terminal, self._standing))

    def _standing(self) -> Standing:
        run, suites = self.config.stash.get(RUN, None), collected(self.config)
        begun = {} if run is None else run.progress()
        traffic = None if run is None else run.pool.traffic()
        going = [suite for test, suite in begun.items() if test not in self.heard.seen]
        return Standing(ended=len(suites.keys() & self.heard.seen), suites=len(suites), going=going, traffic=traffic)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self) -> None:
        """A worker that cannot begin would be started again and again."""
        if refusal := self.config.stash[TOLD].refused:
            raise pytest.UsageError(refusal)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A run that decides nothing neither passes nor fails."""
        if self.controller is not None:
            passed = session.exitstatus == pytest.ExitCode.OK
            if passed:
                session.exitstatus = self.controller.exit_code
            self.controller.write_summary(int(session.exitstatus))
            if passed:
                session.exitstatus = self.controller.exit_code

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.controller is not None:
            self.controller.summarize(terminalreporter)
        folder = self.config.stash.get(FOLDER, None)
        if folder is not None and not folder.ended_well and folder.answers:
            from pytest_autoeval.reporting.text import count

            kept = count(folder.answers, "answer")
            terminalreporter.write_line(f"--autoeval-resume continues this run: {kept} are kept", yellow=True)

    def _conclude(self, *, interrupted: bool) -> None:
        # A collected suite of which nothing was heard did not run, whatever the reason.
        self.heard.broken += sorted(collected(self.config).keys() - self.heard.seen)
        if self.heard.reports or collected(self.config):
            from pytest_autoeval.running.controller import Controller

            self.controller = Controller(self.config, self.heard.reports, self.heard.broken, interrupted=interrupted)
        if FOLDER in self.config.stash:
            ended_well = self.controller is None or self.controller.ended_well
            self.config.stash[FOLDER].ended_well = ended_well and not interrupted


class _Interrupt:
    """The handler of SIGTERM: as Ctrl-C, in this process and with suites; else as without a handler."""

    def __init__(self, config: pytest.Config) -> None:
        self._config, self._process = config, os.getpid()

    def __call__(self, *_: object) -> None:
        if os.getpid() == self._process and collected(self._config):
            raise KeyboardInterrupt
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)


def _end_by_sigterm() -> None:
    """Takes the handler away, where it is ours."""
    if isinstance(signal.getsignal(signal.SIGTERM), _Interrupt):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@cache
def _spare_children() -> None:
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=_end_by_sigterm)


@contextmanager
def _sigterm_interrupts(config: pytest.Config) -> Iterator[None]:
    """SIGTERM ends a run with suites like Ctrl-C: with a summary, and so that it can be continued."""
    here = threading.current_thread() is threading.main_thread()
    if here and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _Interrupt(config))
        _spare_children()
    try:
        yield
    finally:
        if here:
            _end_by_sigterm()
