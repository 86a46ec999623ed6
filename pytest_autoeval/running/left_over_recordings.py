"""What the end of a run says about recordings that it did not use, and what it keeps for the command about them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from shlex import join

import pytest

from pytest_autoeval.engine.leader import Leader
from pytest_autoeval.engine.settings import shown_name
from pytest_autoeval.models.recording import unused_recordings
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.outputs import listed
from pytest_autoeval.running.reports import Reports
from pytest_autoeval.running.used_recordings import cache_option, remember

#: Suites without a file of the user's or a fitting model ask nothing in any run with these options.
_ASK_NOTHING = ("file", "model")


class LeftOverRecordings:
    """The recordings that no request of a complete run used, by their purpose.

    ``models`` are those that were asked. ``part`` is why the run does not show which recordings a whole run needs;
    empty for a whole one.
    """

    def __init__(
        self, config: pytest.Config, leader: Leader, models: Iterable[str], *, part: str
    ) -> None:
        self._config, self._settings = config, settings_of(config)
        self._used = leader.pool.used_recordings()
        self._part = part
        self._by_purpose: dict[str, list[str]] = {}
        self._records = self._settings.record_mode is not None
        if self._records and part not in ("errors", "interrupted", "chosen tests"):
            self._by_purpose = unused_recordings(
                self._settings.cassettes, dict.fromkeys(models), self._used
            )
        # Without a purpose: their prompts or formulas no longer exist.
        self._superfluous = self._by_purpose.pop("", [])

    def notes(self) -> list[str]:
        """A line about recordings of calls that not every run makes."""
        if not self._by_purpose:
            return []
        purposes = ", ".join(
            f"{len(files):,} of {purpose}" for purpose, files in self._by_purpose.items()
        )
        return [f"recordings that this run did not need, but others may: {purposes}"]

    def warnings(self) -> list[str]:
        """How many recordings were not used, and the command that shows and removes those that no other run uses."""
        is_kept = self._keep()
        if not self._superfluous:
            return []
        head = f"unused recordings in {self._settings.cassettes}: {len(self._superfluous)}"
        if not is_kept:
            # Without pytest's cache the command knows nothing of this run.
            return listed(head, self._superfluous, verbose=self._config.get_verbosity() > 0)
        folder = os.path.relpath(self._settings.cassettes, self._settings.folder)
        if folder.startswith(os.pardir):
            folder = str(self._settings.cassettes)
        words = ["python", "-m", "pytest_autoeval", "recordings", folder]
        return [f"{head}; which no other run needs: {join([*words, *cache_option(self._config)])}"]

    def _keep(self) -> bool:
        """Keeps what the run used for the command; returns whether it is kept."""
        if not self._records or not (self._used or self._superfluous):
            return False
        return remember(self._config, part=self._part, used=self._used, unused=self._superfluous)


def why_a_part(
    config: pytest.Config,
    leader: Leader,
    suites: Iterable[str],
    reports: Reports,
) -> str:
    """Why a run is only a part of what its tests ask, in a few words; empty for a whole run.

    ``suites`` are the ids of the tests that are suites.
    """
    if _chooses(config):
        return "chosen tests"
    record, settings, collected = leader.record, settings_of(config), set(suites)
    left_out = {event.test for event in record.left_out}
    reasons: dict[str, object] = {
        "suites did not run": collected - {event.test for event in record.ended},
        "suites were left out": any(
            event.obstacle not in _ASK_NOTHING for event in record.left_out
        ),
        "suites ended early": any(
            suite.end is not None and suite.end.ended != "whole" for suite in record.suites.values()
        ),
        "tests were skipped": reports.skipped - left_out,
        "tests failed": reports.failed - collected,
        # It takes answers from the run that it continues, and not from recordings.
        shown_name("resume"): settings.resume,
        "ignored tests": config.getoption("ignore", None) or config.getoption("ignore_glob", None),
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def _chooses(config: pytest.Config) -> bool:
    names = ("keyword", "markexpr", "deselect", "lf", "stepwise", "autoeval_formula")
    chosen = any(getattr(config.option, name, None) for name in names)
    return (
        chosen
        or settings_of(config).shard is not None
        or any("::" in argument for argument in config.args)
    )
