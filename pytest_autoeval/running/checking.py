"""What is refused before anything runs: files, folders and names in the settings that cannot be used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.inert import inert
from pytest_autoeval.running.options import ELSEWHERE, settings_of
from pytest_autoeval.running.settings import OPTIONS, Settings, shown_name
from pytest_autoeval.running.shared import BASELINE, REGISTRY, is_worker
from pytest_autoeval.running.suites import NO_MODEL_OF_SERVER

#: How a file that an option overwrites has to end.
_ENDINGS = {"github_summary": (".md", ".markdown"), "summary": (".json",)}


@contextmanager
def refused(where: str) -> Iterator[None]:
    """Makes an error of ours inside a ``with`` a mistake in the call of pytest, which has no traceback."""
    try:
        yield
    except AutoevalError as problem:
        raise pytest.UsageError(inert(f"{where}: {problem}" if where else str(problem))) from None


def check_settings(config: pytest.Config) -> None:
    """Refuses a file or folder that cannot be used. Raises :class:`pytest.UsageError`."""
    settings = settings_of(config)
    _check_same(config, settings)
    if settings.resume and not config.pluginmanager.has_plugin("cacheprovider"):
        problem = "answers are kept in pytest's cache, and '-p no:cacheprovider' turns it off"
        raise pytest.UsageError(f"{settings.origin('resume')}: {problem}")
    for file in settings.dataset:
        from pytest_autoeval.datasets.tables import check_file

        with refused(settings.origin("dataset")):
            check_file(file)
    for name in ("html", "summary", "github_summary"):
        if file := getattr(settings, name):
            _check_can_be_written(name, file, settings)
    _check_adaptive(settings)
    if settings.shard is not None:
        _check_judges_nothing(settings)
    _check_baseline(config, settings)
    if (folder := settings.keep_counterexamples) is not None:
        _check_folder("keep_counterexamples", folder, settings)
    for folder in settings.prompts:
        from pytest_autoeval.languages import language_names
        from pytest_autoeval.prompts import check_folder

        origin = settings.origin("prompts")
        if not folder.is_dir():
            raise pytest.UsageError(f"{origin}: there is no folder {folder}")
        with refused(origin):
            check_folder(folder, language_names())


def _check_same(config: pytest.Config, settings: Settings) -> None:
    """A worker on another host must have the settings and the files that its controller has."""
    place = getattr(config, "workerinput", {}).get(ELSEWHERE)
    if place is None:
        return
    for name, digest in settings.digests().items():
        if digest != place["settings"][name]:
            given = "it may come from an ini file or PYTEST_ADDOPTS there; give it on the command line"
            shown = shown_name(name.removeprefix("usual_"))
            raise pytest.UsageError(f"{shown}: its value on {place['host']} differs from the value here; {given}")
    for name in place["there"]:
        value = getattr(settings, name)
        for path in value if isinstance(value, tuple) else (value,):
            if not path.exists():
                raise pytest.UsageError(f"{settings.origin(name)}: there is no {path} on {place['host']}")


def _check_baseline(config: pytest.Config, settings: Settings) -> None:
    """Reads the baseline once, in the controlling process: a bad one is refused before a run is paid for."""
    file = settings.baseline
    if file is None:
        if settings.fail_on is not None:
            origin = settings.origin("fail_on")
            raise pytest.UsageError(f"{origin}: needs --autoeval-baseline, the results to compare with")
        return
    origin = settings.origin("baseline")
    if not file.is_file():
        problem = "is a folder; name a file of results" if file.is_dir() else "there is no such file"
        raise pytest.UsageError(f"{origin}: {file}: {problem}")
    if settings.results is not None and file.resolve() == settings.results.resolve():
        raise pytest.UsageError(
            f"{settings.origin('results')}: would overwrite the baseline {file}; write the new results to another file"
        )
    if is_worker(config):
        return
    from pytest_autoeval.reporting.parts import refuse_parts
    from pytest_autoeval.reporting.results import read

    with refused(origin):
        rows = read(file).rows
        refuse_parts(rows)
    if not rows:
        raise pytest.UsageError(f"{origin}: {file} contains no results")
    config.stash[BASELINE] = rows


def _check_adaptive(settings: Settings) -> None:
    """What cannot be had together with samples that depend on earlier answers, or only with them."""
    if settings.adaptive is None:
        if "precision" in settings.typed:
            raise pytest.UsageError(
                f"{settings.origin('precision')}: needs --autoeval-adaptive, which stops at this precision"
            )
        return
    reasons = {
        "stop_early": (settings.stop_early, "its test needs samples that do not depend on earlier answers"),
        "shard": (settings.shard, "the jobs cannot see each other's answers"),
        "formula": (settings.formula, "with given formulas there is nothing to choose"),
        "repeats": (settings.repeats > 1, "new formulas show more about a horizon than repeats"),
    }
    for name, (given, why) in reasons.items():
        if given:
            raise pytest.UsageError(
                f"{settings.origin('adaptive')}: cannot be combined with {settings.origin(name)}: {why}"
            )


def _check_judges_nothing(settings: Settings) -> None:
    """A part of a suite has no verdict: what asks for one is refused, so that nobody takes it for heard."""
    shard = settings.origin("shard")
    if settings.stop_early:
        raise pytest.UsageError(f"{settings.origin('stop_early')}: needs whole suites, but {shard} runs parts of them")
    for name, given in (("baseline", settings.baseline), ("fail_on", settings.fail_on), ("gate", settings.gate)):
        if given not in (None, "point"):
            theirs = f"--{name.replace('_', '-')}"
            raise pytest.UsageError(
                f"{settings.origin(name)}: {shard} runs parts, which are not judged; "
                f"give {theirs} to `python -m pytest_autoeval report`"
            )


def _check_can_be_written(name: str, file: Path, settings: Settings) -> None:
    origin = settings.origin(name)
    if file.is_dir():
        raise pytest.UsageError(f"{origin}: {file} is a folder; write {shown_name(name)}=FILE")
    _check_folder(name, file.parent, settings)
    # An option without a value swallows the argument behind it.
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    ours = name not in _ENDINGS or (of_the_job and file.resolve() == Path(of_the_job).resolve())
    if not ours and file.is_file() and file.suffix not in _ENDINGS[name]:
        ending = _ENDINGS[name][0]
        raise pytest.UsageError(
            f"{origin}: {file} exists and is not a {ending} file, so it is not overwritten; "
            f"write {shown_name(name)}=FILE{ending}"
        )


def _check_folder(name: str, folder: Path, settings: Settings) -> None:
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if not there.is_dir():
        raise pytest.UsageError(f"{settings.origin(name)}: {there} is not a folder, so nothing can be written below it")
    if not os.access(there, os.W_OK | os.X_OK):
        raise pytest.UsageError(f"{settings.origin(name)}: the folder {there} cannot be written to")


def _check_fits_server(config: pytest.Config, settings: Settings) -> None:
    """A run that was to ask a server must ask it, and must not test an offline model."""
    from pytest_autoeval.models.names import is_litellm, is_offline

    origin = settings.origin("base_url")
    if "base_url" in settings.typed and not settings.model_named:
        raise pytest.UsageError(f"{origin}: {NO_MODEL_OF_SERVER}")
    for name in settings.model if settings.model_named else ():
        if is_offline(name) and name not in config.stash[REGISTRY].models:
            raise pytest.UsageError(
                f"{settings.origin('model')}: {name} is built in and asks no server; leave it out, or {origin}"
            )
    if "base_url" in settings.typed and all(is_litellm(name) for name in (*settings.model, *settings.reader)):
        raise pytest.UsageError(f"{origin}: LiteLLM does not use it; give api_base in --autoeval-parameters")


def _check_prices(config: pytest.Config, settings: Settings) -> None:
    """A limit on the cost holds only where each call has a price."""
    from pytest_autoeval.models.prices import price_of

    for name in (*settings.model, *settings.reader):
        if name not in config.stash[REGISTRY].models and price_of(name, settings.prices) is None:
            raise pytest.UsageError(
                f"{settings.origin('max_cost')}: the price of {name} is not known, so its cost cannot be limited; "
                f"give --autoeval-price={name}=INPUT/OUTPUT (USD for a million tokens)"
            )


def check_names(config: pytest.Config) -> None:
    """Refuses models and interfaces that do not exist or do not fit the settings. Raises :class:`pytest.UsageError`.

    It is called when every `conftest.py` has added its own.
    """
    settings = settings_of(config)
    if settings.base_url is not None:
        _check_fits_server(config, settings)
    if settings.max_cost is not None:
        _check_prices(config, settings)
    for name in (*settings.model, *settings.reader):
        if name in config.stash[REGISTRY].models or name in OPTIONS["model"].default:
            continue
        from pytest_autoeval.models.names import is_embedder, is_offline

        if is_embedder(name) and name in settings.reader:
            problem = f"{name} is an embedding model; reading a description needs a chat model"
            raise pytest.UsageError(f"{settings.origin('reader')}: {problem}")

        if is_offline(name) or is_embedder(name):
            from pytest_autoeval.models.offline.catalogue import check_model

            with refused(""):
                check_model(name)
    if not settings.interface:
        return
    from pytest_autoeval.tasks import task, task_names

    known = sorted({interface for name in task_names() for interface in task(name).interfaces})
    if wrong := [interface for interface in settings.interface if interface not in known]:
        raise pytest.UsageError(f"{settings.origin('interface')}: {unknown_name('interface', wrong[0], known)}")
