"""The list of shipped plugins: it says what each registers, and a plugin is imported when it is used first."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import get_args

import pytest

from pytest_autoeval.built_in import PLUGINS, Kind, Plugin, provided, shipped
from pytest_autoeval.record.parts import declared
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


@pytest.mark.parametrize("kind", get_args(Kind))
def test_no_two_plugins_provide_one_name(kind: Kind) -> None:
    listed = [name for plugin in PLUGINS for name in plugin.provides.get(kind, ())]
    assert len(listed) == len(set(listed))


def test_a_plugin_is_loaded_once() -> None:
    assert shipped("task", "translate") is shipped("task", "translate")


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
