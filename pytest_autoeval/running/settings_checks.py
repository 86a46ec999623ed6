"""Checks before the run: files, folders and names in the settings that cannot be used are refused."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from pytest_autoeval.engine.combinations import conflict, lacking
from pytest_autoeval.engine.settings import OPTIONS, Settings, shown_name
from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.inert import inert
from pytest_autoeval.record.suite_names import in_id
from pytest_autoeval.running.options import check_keys, elsewhere, settings_of
from pytest_autoeval.running.run_state import (
    BASELINE,
    REGISTRY,
    has_workers,
    is_worker,
    refusals,
)
from pytest_autoeval.running.suite_collection import NO_MODEL_OF_SERVER, suite_of, target_of


def check_settings(config: pytest.Config) -> None:
    settings = settings_of(config)
    # First, since a worker with other settings would fail later for reasons that nobody understands.
    _check_same(config, settings)
    _check_read(config, settings)
    # Its controller has checked the rest.
    if is_worker(config):
        return
    check_keys(config)
    _check_together(settings, plans=config.option.autoeval_plan)
    for name in ("resume", "batch"):
        is_used = getattr(settings, name) != OPTIONS[name].default
        if is_used and not config.pluginmanager.has_plugin("cacheprovider"):
            problem = "answers are kept in pytest's cache, and '-p no:cacheprovider' turns it off"
            raise _refusal(settings, name, problem)
    if settings.baseline:
        _check_baseline(config, settings)
    for name in ("html", "summary", "github_summary", "results"):
        if file := getattr(settings, name):
            _check_can_be_written(name, file, settings)


def _check_read(config: pytest.Config, settings: Settings) -> None:
    for file in settings.dataset:
        from pytest_autoeval.datasets.catalogue import check_users_file

        with refusals(config, settings.origin("dataset")):
            check_users_file(file, tuple((settings.columns or {}).items()))
    if settings.prompts:
        from pytest_autoeval.prompts.folders import refuse_folders

        # As they were typed: the settings have each folder once.
        typed = [settings.folder / folder for folder in settings.typed.get("prompts", ())]
        on_other_host = elsewhere(config)
        with refusals(config, settings.origin("prompts")):
            refuse_folders(settings.prompts if on_other_host else typed or settings.prompts)


def _refusal(settings: Settings, name: str, problem: str) -> pytest.UsageError:
    return pytest.UsageError(inert(f"{settings.origin(name)}: {problem}"))


def _check_same(config: pytest.Config, settings: Settings) -> None:
    """Checks that a worker on another host has the settings and files of its controller."""
    if not (controller_host := elsewhere(config)):
        return
    for name, digest in settings.digests().items():
        if digest != controller_host["settings"][name]:
            hint = (
                "it may come from an ini file or PYTEST_ADDOPTS there; give it on the command line"
            )
            raise pytest.UsageError(
                f"{shown_name(name)}: its value on {controller_host['host']} differs from the value here; {hint}"
            )
    for name in controller_host["there"]:
        value = getattr(settings, name)
        paths = value if isinstance(value, tuple) else (value,)
        for path in paths:
            if not path.exists():
                raise _refusal(settings, name, f"there is no {path} on {controller_host['host']}")


def _check_together(settings: Settings, *, plans: bool = False) -> None:
    """Refuses options that need others, or exclude them. A plan of a comparison needs no baseline yet."""
    if "columns" in settings.typed and not settings.dataset:
        raise _refusal(
            settings, "columns", "needs --autoeval-dataset, the files with these columns"
        )
    for name in OPTIONS:
        missing = lacking(settings, name)
        if missing is not None and not (plans and name == "fail_on"):
            required, description = missing
            raise _refusal(settings, name, f"needs {shown_name(required)}, {description}")
        if (excluded := conflict(settings, name)) is not None:
            excluded_name, why = excluded
            raise _refusal(
                settings, name, f"cannot be combined with {settings.origin(excluded_name)}: {why}"
            )


def _check_baseline(config: pytest.Config, settings: Settings) -> None:
    """Reads the baseline once, in the controlling process, so that a bad one is refused before calls are paid for."""
    from pytest_autoeval.record.earlier_runs import read_earlier_runs, results_files

    with refusals(config, settings.origin("baseline")):
        files = results_files(settings.baseline)
    if settings.results is not None:
        target = settings.results.resolve()
        if target in [file.resolve() for file in files]:
            problem = f"would overwrite the baseline {settings.results}; write the new results to another file"
            raise _refusal(settings, "results", problem)
        # A later run would read them as a part of the baseline.
        if target.parent in [path.resolve() for path in settings.baseline]:
            problem = f"would be in the folder of the baseline, {settings.results.parent}; name another folder"
            raise _refusal(settings, "results", problem)
    with refusals(config, settings.origin("baseline")):
        earlier = read_earlier_runs(settings.baseline)
    with refusals(config, settings.origin("baseline_model")):
        earlier.check_model(settings.baseline_model)
    if settings.baseline_variant is not None:
        with refusals(config, settings.origin("baseline_variant")):
            earlier.check_variant(settings.baseline_variant._asdict())
    config.stash[BASELINE] = earlier


def _check_can_be_written(name: str, file: Path, settings: Settings) -> None:
    """Refuses what is no earlier output of the option, such as a test whose name stands where a file's should."""
    from pytest_autoeval import written_file

    kinds = {
        "html": "PAGE",
        "summary": "SUMMARY",
        "github_summary": "MARKDOWN",
        "results": "RESULTS",
    }
    kind: written_file.OutputKind = getattr(written_file, kinds[name])
    of_the_job = os.environ.get("GITHUB_STEP_SUMMARY")
    is_appended = (
        name == "github_summary"
        and of_the_job
        and os.path.realpath(file) == os.path.realpath(of_the_job)
    )
    try:
        target = written_file.target_of(file, None if is_appended else kind)
    except IsADirectoryError:
        raise _refusal(
            settings, name, f"{file} is a folder; write {shown_name(name)}=FILE"
        ) from None
    except FileExistsError:
        problem = f"{file} exists and does not contain {kind.name}, so it is not overwritten; name another file"
        raise _refusal(settings, name, problem) from None
    except OSError as error:
        raise _refusal(settings, name, f"{file}: {error.strerror}") from None
    # The file of results makes its folder at once.
    if name != "results":
        _check_folder(name, target.parent, settings)


def _check_folder(name: str, folder: Path, settings: Settings) -> None:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir():
        raise _refusal(
            settings, name, f"{existing} is not a folder, so nothing can be written below it"
        )
    if not os.access(existing, os.W_OK | os.X_OK):
        raise _refusal(settings, name, f"the folder {existing} cannot be written to")


def check_data_is_used(items: Sequence[pytest.Item], settings: Settings) -> None:
    """Refuses a file of data that no suite of a run takes. Raises :class:`AutoevalError`."""
    if not settings.dataset and "dataset" not in settings.typed:
        return
    suites = [suite for suite in map(suite_of, items) if suite is not None]
    if suites and settings.dataset:
        from pytest_autoeval.engine.formula_files import refuse_two_languages

        refuse_two_languages(suites)
    targets = [target for target in map(target_of, items) if target is not None]
    # A suite that is left out says itself what its data set needs.
    takes_data = any(suite.source.is_users_data for suite in suites) or any(
        target.left_out for target in targets
    )
    if "dataset" in settings.typed and items and not takes_data:
        from pytest_autoeval.engine.formula_files import unused_files

        raise AutoevalError(f"--autoeval-dataset: {unused_files(settings.dataset)}")


def may_be_useless(session: pytest.Session) -> bool:
    """Whether no collected test may be able to run: formulas are typed, or the first test that asks is left out.

    A plan and a list of the tests run none.
    """
    config = session.config
    if config.option.autoeval_plan or config.option.collectonly or not session.items:
        return False
    first = target_of(session.items[0])
    is_left_out = first is not None and first.left_out is not None
    return bool(settings_of(config).formula) or is_left_out


def check_is_recorded(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Refuses a run that only replays, if no model of its suites has a recording: nothing of it would be answered.

    Here, before its results replace those of the run before. Raises :class:`AutoevalError`.
    """
    targets = [suite.target for suite in map(suite_of, items) if suite is not None]
    models = dict.fromkeys(target.model for target in targets)
    readers = dict.fromkeys(target.reader for target in targets if target.reader)
    _check_is_recorded(config, models, readers)


def _check_is_recorded(config: pytest.Config, *kinds: Iterable[str]) -> None:
    """Refuses a run that only replays, if no model of some kind, such as the readers, has a recording."""
    settings = settings_of(config)
    # A plan counts the calls that are not recorded. The recordings are with the controller, not on another host.
    asks_nothing = config.option.autoeval_plan or config.option.collectonly
    if settings.record_mode != "none" or asks_nothing or elsewhere(config):
        return
    from pytest_autoeval.engine.leader import model_settings
    from pytest_autoeval.models.model_names import is_embedder
    from pytest_autoeval.models.recording import refuse_unrecorded

    settings_of_models = model_settings(settings, config.stash[REGISTRY])
    for names in kinds:
        refuse_unrecorded([name for name in names if not is_embedder(name)], settings_of_models)


def check_names(config: pytest.Config) -> None:
    """Refuses models and interfaces that do not exist or do not fit the settings. Raises :class:`pytest.UsageError`.

    It runs after every `conftest.py` has added its names.
    """
    settings = settings_of(config)
    _check_prompts(config, settings)
    if (earlier := config.stash.get(BASELINE, None)) is not None:
        with refusals(config, settings.origin("baseline")):
            earlier.check_outcomes(config.stash[REGISTRY].entries("outcome"))
    if settings.base_url is not None:
        _check_fits_server(config, settings)
    if settings.max_cost is not None or settings.batch is not None:
        _check_limits(config, settings)
    for name in (*settings.model, *settings.reader):
        # A model of the user's has its own checks. The default needs none, and so imports nothing.
        if name in config.stash[REGISTRY].models or name in OPTIONS["model"].default:
            continue
        from pytest_autoeval.models.model_names import is_embedder, is_offline

        if is_embedder(name) and name in settings.reader:
            problem = f"{name} is an embedding model; reading a description needs a chat model"
            raise _refusal(settings, "reader", problem)
        if is_offline(name) or is_embedder(name):
            from pytest_autoeval.models.offline.offline_models import check_model

            with refusals(config):
                check_model(name)
    # Two names may have one id, since `in_id` replaces characters.
    ids = Counter(map(in_id, settings.reader))
    if readers := [name for name in settings.reader if ids[in_id(name)] > 1]:
        problem = (
            f"{' and '.join(readers)} have one id, {in_id(readers[0])}; give each a run of its own"
        )
        raise _refusal(settings, "reader", problem)
    if settings.interface:
        _check_interfaces(settings)
    _check_typed_models_are_recorded(config, settings)


def _check_typed_models_are_recorded(config: pytest.Config, settings: Settings) -> None:
    """As `check_is_recorded`: with workers, the controller makes the file of results before a suite is collected."""
    if not has_workers(config):
        return
    typed = [getattr(settings, name) for name in ("model", "reader") if name in settings.typed]
    _check_is_recorded(config, *typed)


def _check_prompts(config: pytest.Config, settings: Settings) -> None:
    """Refuses prompts that cannot be read, or that nothing looks for, now that all languages and tasks are known."""
    registry = config.stash[REGISTRY]
    others = (*settings.prompts, *registry.prompt_folders)
    for where, folders in (
        (settings.origin("prompts"), settings.prompts),
        ("add_prompts", registry.prompt_folders),
    ):
        for folder in folders:
            from pytest_autoeval.languages import language_names
            from pytest_autoeval.prompts.folders import check_folder

            with refusals(config, where):
                check_folder(folder, language_names(), registry.tasks, others)


def _check_fits_server(config: pytest.Config, settings: Settings) -> None:
    """Refuses a run that names a server but would test an offline model."""
    from pytest_autoeval.models.model_names import is_litellm, is_offline

    if "base_url" in settings.typed and not settings.model_named:
        raise _refusal(settings, "base_url", NO_MODEL_OF_SERVER)
    named_models = settings.model if settings.model_named else ()
    for name in named_models:
        if is_offline(name) and name not in config.stash[REGISTRY].models:
            problem = f"{name} is built in and asks no server; leave it out, or {settings.origin('base_url')}"
            raise _refusal(settings, "model", problem)
    if "base_url" in settings.typed and all(
        is_litellm(name) for name in (*settings.model, *settings.reader)
    ):
        raise _refusal(
            settings, "base_url", "LiteLLM does not use it; give api_base in --autoeval-parameters"
        )


def _check_limits(config: pytest.Config, settings: Settings) -> None:
    """A limit on the cost needs a price for each call, and batches an interface of the provider."""
    from pytest_autoeval.models.model_names import no_batches
    from pytest_autoeval.models.prices import price_of

    own, names = config.stash[REGISTRY].models, (*settings.model, *settings.reader)
    with_a_price = names if settings.max_cost is not None else ()
    for name in with_a_price:
        if name not in own and price_of(name, settings.prices) is None:
            problem = f"the price of {name} is not known, so its cost cannot be limited"
            advice = f"give --autoeval-price={name}=INPUT/OUTPUT (USD for a million tokens)"
            raise _refusal(settings, "max_cost", f"{problem}; {advice}")
    in_batches = names if settings.batch is not None else ()
    for name in in_batches:
        if problem := no_batches(name, own):
            raise _refusal(settings, "batch", problem)


def _check_interfaces(settings: Settings) -> None:
    from pytest_autoeval.record.suite_names import ROUND_TRIP_INTERFACES
    from pytest_autoeval.tasks import task, task_names

    # All tasks, also those that this run does not ask: a command may be for several suites.
    of_tasks = [form for name in task_names() for form in task(name).interfaces]
    interfaces = sorted({*ROUND_TRIP_INTERFACES, *of_tasks})
    if wrong := [interface for interface in settings.interface if interface not in interfaces]:
        raise _refusal(settings, "interface", unknown_name("interface", wrong[0], interfaces))
