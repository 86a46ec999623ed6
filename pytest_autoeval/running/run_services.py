"""What one pytest process contributes to a run: its engine, and the services that the engine uses."""

from __future__ import annotations

import atexit
import gc
from pathlib import Path

import pytest

from pytest_autoeval.engine.engine import Engine, RunServices
from pytest_autoeval.engine.leader import Leader
from pytest_autoeval.models.journal import Journal
from pytest_autoeval.record.lines import Planned
from pytest_autoeval.record.results_log import ResultsFile
from pytest_autoeval.running.options import settings_of
from pytest_autoeval.running.run_state import (
    BASELINE,
    REGISTRY,
    RUN,
    collected,
    host_of,
    is_worker,
    link_of,
    not_collected,
    run_folder,
)


class Run:
    """What the suites of one process share. In the leading process ``services`` is the leader."""

    def __init__(self, config: pytest.Config) -> None:
        self.settings = settings_of(config)
        self.services: RunServices = link_of(config) if is_worker(config) else _leader(config)
        registry = config.stash[REGISTRY]
        suites = lambda: len(collected(config))  # noqa: E731 - evaluated later, when collection has ended
        self.engine = Engine(
            self.settings,
            self.services,
            suites=suites,
            added_prompts=registry.prompt_folders,
            figures=registry.figures,
            wrappers=registry.wrappers,
            gates=registry.gates,
        )
        host = host_of(config)
        #: A suffix for messages about this process: its host, if that is not the controller's.
        self.where = f" (on {host})" if host else ""
        if is_worker(config):
            link = link_of(config)
            link.add_own_models(registry.models)
            link.when_ended = self.engine.stop

    def stop(self) -> None:
        """Stops starting samples and calls; running ones go on."""
        self.engine.stop()
        if isinstance(self.services, Leader):
            self.services.pool.stop()

    def close(self) -> None:
        """Abandons running samples, and closes the models."""
        self.engine.close()
        if isinstance(self.services, Leader):
            self.services.pool.close()


def run_of(config: pytest.Config) -> Run:
    """The run of this process, made at the first call."""
    if RUN not in config.stash:
        config.stash[RUN] = Run(config)
        config.add_cleanup(config.stash[RUN].close)
        # Without this, the interpreter's last garbage collections take a quarter of a second.
        atexit.register(gc.freeze)
    run: Run = config.stash[RUN]
    return run


def leader_of(config: pytest.Config) -> Leader:
    """The leader of the run; only in the leading process."""
    services = run_of(config).services
    assert isinstance(services, Leader)
    return services


def _leader(config: pytest.Config) -> Leader:
    settings, folder = settings_of(config), run_folder(config)
    leader = Leader(
        settings,
        config.stash[REGISTRY],
        journal=Journal(
            folder.path if folder.resumable else None, [Path(path) for path in folder.earlier]
        ),
        results=None if settings.results is None else ResultsFile(settings.results),
        earlier=config.stash.get(BASELINE, None),
    )
    leader.planned = lambda: [
        Planned(number=suite.number, name=suite.name, model=suite.model)
        for suite in collected(config).values()
    ]
    leader.not_collected = lambda: not_collected(config)
    return leader
