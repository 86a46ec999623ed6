"""What pytest prints about tests that ask a model: without secrets, and without control codes for terminals or CI.

This includes a test's own output, since a test may print what a model wrote. Output of other tests is not changed.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import warnings
from collections.abc import Callable, Container, Iterable, Iterator
from copy import copy
from pathlib import Path
from typing import Any, TextIO

import pytest
from _pytest._code.code import ReprEntry

from pytest_autoeval.inert import ChangedStream, inert
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.run_state import RUN, is_worker
from pytest_autoeval.running.suite_collection import asks

#: The name of the plugin.
PRINTING = "autoeval-printing"
#: The name of the plugin that keeps the standard streams from before pytest's capture.
STREAMS = "autoeval-streams"
#: The name of the plugin that cleans reports.
_REPORTS = "autoeval-clean-reports"
#: Marks a report about a test that asks a model.
_ASKS_MODEL = "autoeval_asks"
#: The parts of a report that are shown as text.
_TEXT_ATTRIBUTES = ("longrepr", "sections", "wasxfail", "context")
#: Attributes of pytest's plugin for logs, which has no public list of its handlers.
_HANDLERS = ("caplog_handler", "report_handler", "log_cli_handler", "log_file_handler")


class Streams:
    """The standard streams before pytest captures them."""

    def __init__(self) -> None:
        self.stdout, self.stderr = sys.stdout, sys.stderr


class Printing:
    """A plugin object, registered in every process."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._has_trial: Callable[[], bool] | None = None
        self._replaced: list[tuple[Any, str, Any]] = []
        # Set with --debug and PYTEST_DEBUG; pytest has no public access to it.
        write: Any = config.trace.root._writer  # noqa: SLF001
        if write is not None:
            clean = _settings_cleaner(config)
            config.trace.root.setwriter(lambda text: write(clean(text)))
            if config.option.debug:
                _clean_file(write.__self__, clean)

    def clean_reports(self) -> None:
        """Cleans reports from now on. Called where tests that ask a model report, since each report then passes it."""
        if not self.config.pluginmanager.has_plugin(_REPORTS):
            self.config.pluginmanager.register(CleanReports(self.clean), _REPORTS)

    def prepare(self, item: pytest.Item) -> None:
        """Called before a test that asks a model.

        Cleans what its trials log, and what they print past pytest's capture. Output of test functions that
        run before their own item is held.
        """
        if not asks(item):
            return
        from pytest_autoeval.running.held_output import hold_logs, hold_stream, hold_warnings
        from pytest_autoeval.tasks.trial import has_trial

        hold_warnings()
        # Streams and handlers are replaced once in a process.
        if self._has_trial is not None:
            return
        self._has_trial = has_trial
        logs: Any = self.config.pluginmanager.get_plugin("logging-plugin")
        handlers = [getattr(logs, name) for name in _HANDLERS] if logs else []
        hold_logs(handlers)
        for handler in handlers:
            handler.setFormatter(_CleanFormatter(handler.formatter, self._clean_in_trial))
        # Pytest has no public access to its captured streams. A live log lets other threads print past the capture.
        captured: Any = getattr(
            self.config.pluginmanager.get_plugin("capturemanager"), "_global_capturing", None
        )
        for name in ("stdout", "stderr"):
            capture = getattr(captured, name.removeprefix("std"), None)
            capture = getattr(capture, "syscapture", capture)
            replaced = getattr(sys, name) if capture is None else capture._old  # noqa: SLF001
            stream = ChangedStream(replaced, self._clean_in_trial)
            hold_stream(stream, name)
            if getattr(sys, name) is replaced:
                self._replace(sys, name, stream)
            if capture is not None:
                self._replace(capture, "_old", stream)

    def hold_captured(self, item: pytest.Item) -> None:
        """Also holds captured output. Output that is shown immediately is cleaned. Called while pytest captures."""
        from pytest_autoeval.running.held_output import hold_stream

        if not asks(item):
            return
        for name in ("stdout", "stderr"):
            stream: Any = getattr(sys, name)
            if "write" not in vars(stream):
                hold_stream(stream, name, self._clean_in_trial)

    def _replace(self, owner: Any, name: str, stream: Any) -> None:
        self._replaced.append((owner, name, getattr(owner, name)))
        setattr(owner, name, stream)

    def pytest_unconfigure(self) -> None:
        """Restores all streams."""
        # The last one first: an attribute may have been replaced twice.
        while self._replaced:
            setattr(*self._replaced.pop())

    @pytest.hookimpl(tryfirst=True)
    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage) -> None:
        text = str(warning_message.message)
        if (clean := self.clean(text)) != text:
            warning_message.message = clean

    def clean(self, text: str) -> str:
        # The controller cleans what workers send.
        if RUN in self.config.stash and not is_worker(self.config):
            from pytest_autoeval.running.run_services import leader_of

            text = leader_of(self.config).pool.redactor.text(text)
        return inert(text)

    def _clean_in_trial(self, text: str) -> str:
        return self.clean(text) if self._has_trial is not None and self._has_trial() else text


class CleanReports:
    """A plugin object, registered only where tests that ask a model report."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        self._clean = clean

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Cleans the report again: subtests add their output only now."""
        if not getattr(report, _ASKS_MODEL, False):
            return
        for name in _TEXT_ATTRIBUTES:
            if (value := getattr(report, name, None)) is not None:
                setattr(report, name, _mapped_texts(value, self._clean))


class _CleanFormatter(logging.Formatter):
    """Cleans the text of a record before pytest's formatter, which writes colours."""

    def __init__(self, formatter: logging.Formatter, clean: Callable[[str], str]) -> None:
        super().__init__()
        self._formatter = formatter
        self._clean = clean

    def format(self, record: logging.LogRecord) -> str:
        # A copy: other handlers of the user's get the record as it was logged.
        plain = copy(record)
        plain.msg, plain.args = record.getMessage(), ()
        if record.exc_info and not record.exc_text:
            plain.exc_text = self._formatter.formatException(record.exc_info)
        vars(plain).update(
            {
                name: self._clean(value)
                for name, value in vars(plain).items()
                if isinstance(value, str)
            }
        )
        return self._formatter.format(plain)


def _settings_cleaner(config: pytest.Config) -> Callable[[str], str]:
    """Removes secrets from pytest's trace, which shows all arguments and options."""
    from pytest_autoeval.models.redaction import Redactor, shown_url

    settings = settings_of(config)
    redactor = Redactor.of_run(settings.base_url, settings.parameters or {})
    typed = [
        argument.removeprefix("--autoeval-parameters=")
        for argument in config.invocation_params.args
    ]
    redactor.learn(text for text in typed if text.startswith("{"))
    redactor.learn([repr(settings.parameters)] if settings.parameters else [])
    return lambda text: inert(redactor.message(shown_url(text)))


def _clean_file(file: TextIO, clean: Callable[[str], str]) -> None:
    # The file has what pytest wrote before this plugin was loaded, with all options.
    file.flush()
    # xdist's workers write into it too, perhaps at this moment.
    text = Path(file.name).read_text("utf-8", errors="replace")
    file.seek(0)
    file.truncate()
    file.write(clean(text))


def mark_as_asking(report: pytest.TestReport) -> None:
    """Marks a report as one about a test that asks a model; it is shown without secrets and control codes."""
    setattr(report, _ASKS_MODEL, True)


def _mapped_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A value of a report with each text changed. Pytest's own objects are changed in place."""
    match value:
        case str():
            return change(value)
        case list() | tuple():
            return type(value)(_mapped_texts(entry, change) for entry in value)
        case dict():
            return {key: _mapped_texts(entry, change) for key, entry in value.items()}
    if dataclasses.is_dataclass(value):  # pytest's own objects
        names = (
            vars(value)
            if hasattr(value, "__dict__")
            else [field.name for field in dataclasses.fields(value)]
        )
        for name in list(names):
            object.__setattr__(value, name, _mapped_texts(getattr(value, name), change))
    return value


#: The spaces before a field of a counterexample.
FIELDS = 4


def wrap_failures(terminal: Any, suites: Container[str]) -> None:
    """Wraps the messages of these tests before the terminal prints them. JUnit XML already has them, not wrapped."""
    width = terminal.config.get_terminal_writer().fullwidth
    for report in terminal.stats.get("failed", ()):
        if report.nodeid not in suites:
            continue
        entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", ())
        for entry in entries:
            # A message without a traceback. The lines of a traceback are code.
            if isinstance(entry, ReprEntry) and entry.style == "value":
                entry.lines = list(_wrapped(entry.lines, width))


def _wrapped(lines: Iterable[str], width: int) -> Iterator[str]:
    """The lines; the continuation of a long one is indented further. A long word, such as a path, is never broken.

    The fields of a counterexample are wrapped already, and its command must stay on one line.
    """
    from pytest_autoeval.text import wrap  # not light enough for a plugin's start

    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        room = max(20, width - len(indent) - 3)
        if len(line) < width or len(indent) >= FIELDS or max(map(len, line.split())) > room:
            yield line
            continue
        head, *continuation = wrap(line, room)
        yield f"{indent}{head}"
        yield from (f"{indent}  {text}" for text in continuation)
