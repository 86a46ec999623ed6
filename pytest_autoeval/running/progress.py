"""The progress of a run: a live line on a terminal, one line per minute elsewhere, nothing with ``-q``."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO

import pytest

if TYPE_CHECKING:
    from pytest_autoeval.engine.record import SuiteProgress
    from pytest_autoeval.models.call_limits import Traffic

#: Seconds between two updates.
#: The log of a CI job keeps every line.
_LIVE, _ELSEWHERE = 0.5, 60.0
#: The share of a run after which the remaining time is shown.
_FORESEEABLE = 0.02


class RunProgress(NamedTuple):
    """The progress of a run: ``ended`` of ``suites`` suites; ``going`` are those that run now.

    ``traffic`` is None before a model is asked. ``batches`` are those that are waited for, as a line, or empty.
    """

    ended: int
    suites: int
    going: Sequence[SuiteProgress]
    traffic: Traffic | None
    batches: str = ""


#: The parts of the line, the most useful first; the line shows them in another order.
_USEFUL = ("suites", "left", "batches", "samples", "passed", "speed", "name", "cost", "traffic")


def describe(
    now: RunProgress, seconds: float, calls_a_second: float, width: int | None = None
) -> str:
    """The line after some seconds, without the least useful parts if it would exceed ``width`` columns.

    ``calls_a_second`` is the recent rate.
    """
    texts = dict(_parts(now, seconds, calls_a_second))
    for name in reversed(_USEFUL):
        line = " · ".join(text for key, text in texts.items() if key != "name")
        line = f"{texts.get('name', '')}{line}"
        if width is None or len(line) <= width:
            return line
        texts.pop(name, None)
    return ""


def _parts(now: RunProgress, seconds: float, calls_a_second: float) -> Iterator[tuple[str, str]]:
    """The parts of the line in the order in which they are shown."""
    ended, number, going, traffic = now.ended, now.suites, now.going, now.traffic
    samples, planned = sum(suite.ended for suite in going), sum(suite.planned for suite in going)
    yield "name", "autoeval: "
    if ended == number:
        yield "suites", f"{ended}/{number} suites, making the reports"
        return
    if now.batches:
        yield "batches", now.batches
    yield "suites", f"{ended}/{number} suites"
    if planned:
        yield "samples", f"{samples:,}/{planned:,} samples"
    if samples:
        yield "passed", f"{sum(suite.passed for suite in going) / samples:.0%} passed"
    # Answers of a batch come all at once, so that a speed or a remaining time would say nothing.
    if now.batches:
        return
    if traffic is not None and traffic.attempts:
        yield "speed", f"{calls_a_second:.{int(calls_a_second < 10)}f} calls/s"
        why = (
            f" ({traffic.why_fewer}: {traffic.window} of {traffic.highest})"
            if traffic.why_fewer
            else ""
        )
        yield "traffic", f"{traffic.in_flight} in flight{why}"
        if traffic.cost:
            yield "cost", f"${traffic.cost:.2f}"
    # Suites that run count by the share of their samples that have ended.
    share = samples / planned if planned else 0.0
    done = (ended + len(going) * share) / number
    if _FORESEEABLE < done < 1:
        from pytest_autoeval.text import duration  # not light enough for a plugin's start

        yield "left", f"{duration(seconds / done - seconds)} left"


class ProgressLine:
    """Shows the line from a thread of its own, inside a ``with``.

    On a terminal the line stands below pytest's current line; :meth:`hide` removes it before pytest writes. ``file`` is
    standard output without pytest's capture.
    """

    def __init__(
        self, terminal: pytest.TerminalReporter, file: TextIO, look: Callable[[], RunProgress]
    ) -> None:
        self._terminal = terminal
        self._writer = terminal.config.get_terminal_writer()
        self._file = file
        # What pytest has written must stand before the line.
        file.flush()
        self._out: Any
        try:
            self._out = os.fdopen(os.dup(file.fileno()), "w", encoding="utf-8", errors="replace")
        except OSError:  # no file of the system's
            self._out = file
        self._look = look
        self._live = bool(terminal.isatty)
        self._shown = False
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="autoeval-progress", daemon=True)

    def __enter__(self) -> Self:
        with suppress(RuntimeError):  # without a further thread, the run goes without the line
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        if self._thread.is_alive():
            self._thread.join()
        self.hide()
        if self._out is not self._file:
            self._out.close()

    def hide(self) -> None:
        """Removes the line until the next update."""
        with self._lock:
            if self._shown:
                self._write("")
                self._shown = False

    def _run(self) -> None:
        begun, last_update, answered = time.monotonic(), time.monotonic(), 0
        while not self._end.wait(_LIVE if self._live else _ELSEWHERE):
            state, now = self._look(), time.monotonic()
            if not state.suites:  # workers still collect
                continue
            fresh = state.traffic.answered if state.traffic is not None else 0
            width = self._writer.fullwidth - 1 if self._live else None
            text = describe(state, now - begun, (fresh - answered) / (now - last_update), width)
            last_update, answered = now, fresh
            with self._lock:
                # The run may have ended meanwhile, and a line would stay below its report.
                if self._end.is_set():
                    return
                if self._live:
                    self._write(text)
                    self._shown = True
                else:
                    before = "\n" if self._writer.width_of_current_line > 0 else ""
                    self._print(f"{before}{text}\n")
                    self._terminal.currentfspath = None  # pytest names the file again

    def _write(self, text: str) -> None:
        """Writes the line below pytest's current line, and moves the cursor back."""
        column = self._writer.width_of_current_line
        back = f"\x1b[{column}C" if column > 0 else ""
        self._print(f"\n\r{text}\x1b[K\x1b[1A\r{back}")

    def _print(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
