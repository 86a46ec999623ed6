"""The list of shipped plugins: it says what each registers, and a plugin is imported when it is used first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import get_args

import pytest

from pytest_autoeval.built_in import PLUGINS, Kind, Plugin, load, provided, shipped
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.record.sample_parts import Part, declared
from pytest_autoeval.registry import Registry
from pytest_autoeval.shipped_registry import ShippedRegistry


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.module)
def test_a_plugin_registers_exactly_what_the_list_says(plugin: Plugin) -> None:
    registry = ShippedRegistry()
    import_module(f"pytest_autoeval.{plugin.module}").pytest_autoeval_register(registry)
    for kind in get_args(Kind):
        listed = {name for name, provider in provided(kind).items() if provider is plugin}
        if kind == "section":  # those without a condition are made by a command
            listed = {section.name for section in plugin.sections if section.used is not None}
        if kind == "part":
            parts = [declared(name) for name in listed]
            home = f"pytest_autoeval.{plugin.module}"
            assert all(part is not None and part.__module__.startswith(home) for part in parts)
        else:
            assert set(registry.entries(kind)) == listed, kind
    # Nothing else was added: what stands under no name is read by nothing.
    kept = sum(
        len(entries) for entries in vars(registry).values() if isinstance(entries, dict | list)
    )
    assert kept == sum(len(registry.entries(kind)) for kind in get_args(Kind))


@pytest.mark.parametrize("plugin", PLUGINS, ids=lambda plugin: plugin.module)
def test_the_list_names_the_parts_that_a_plugin_declares(plugin: Plugin) -> None:
    load(plugin)
    home = f"pytest_autoeval.{plugin.module}"
    parts = {
        part.part_name for part in _subclasses(Part) if f"{part.__module__}.".startswith(f"{home}.")
    }
    assert parts == set(plugin.provides.get("part", ()))


def _subclasses(kind: type[Part]) -> Iterator[type[Part]]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)


def test_a_method_of_users_that_nothing_reads_is_refused_with_what_to_write() -> None:
    read = {"add_language", "add_task"}
    of_users = {name for name in vars(Registry) if name.startswith("add_")}
    assert len(of_users) > len(read)
    for name in of_users - read:  # of add_figures, this is the call without a kind
        with pytest.raises(
            AutoevalError, match=rf"^{name}.*: nothing reads this of a shipped plugin; \w+"
        ):
            getattr(ShippedRegistry(), name)(len)


def test_figures_of_a_kind_of_tasks_are_read() -> None:
    registry = ShippedRegistry()
    registry.add_figures(lambda samples: (), "a kind")
    assert set(registry.entries("figures")) == {"a kind"}
    with pytest.raises(
        AutoevalError, match=r"^add_figures without a kind: .*registry.add_suite_blocks\(name, "
    ):
        registry.add_figures(lambda samples: ())


@pytest.mark.parametrize("kind", get_args(Kind))
def test_no_two_plugins_provide_one_name(kind: Kind) -> None:
    listed = [name for plugin in PLUGINS for name in plugin.provides.get(kind, ())]
    assert len(listed) == len(set(listed))


def test_a_plugin_is_loaded_once() -> None:
    assert shipped("task", "translate") is shipped("task", "translate")


def test_the_registry_stays_when_a_run_inside_a_test_removes_its_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = shipped("task", "translate")
    monkeypatch.delitem(sys.modules, "pytest_autoeval.shipped_registry")
    assert shipped("task", "translate") is loaded


def test_a_plain_report_imports_no_plugin() -> None:
    code = """
import sys
from pytest_autoeval.report import document
from pytest_autoeval.tasks import task_names
assert "translate" in task_names()
print([name for name in sys.modules if name.startswith(("pytest_autoeval.features.", "pytest_autoeval.studies.",
    "pytest_autoeval.requirements"))])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
