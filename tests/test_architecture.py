"""The house's plan, kept: who may import whom, what an unused plugin costs, how long a module may be."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from support.snapshot import assert_text_snapshot

import pytest_autoeval

PACKAGE = Path(pytest_autoeval.__file__).parent
HEAVY = (
    *("openai", "z3", "hypothesis", "lark", "dd", "rapidfuzz", "scipy", "numpy", "matplotlib"),
    *("torch", "sentence_transformers", "nltk", "sacrebleu", "rouge_score", "bert_score"),
)
#: What each room may import of ours; what is GROUND lies beneath them all.
ROOMS = {
    "languages": set(),
    "generation": {"languages"},
    "datasets": {"languages", "generation", "record"},
    "models": {"languages", "datasets"},
    "prompts": set(),
    "tasks": {"languages", "models", "prompts", "record"},
    "statistics": set(),
    "record": set(),
    "judging": {"record", "statistics"},
    "report": {"record", "judging", "statistics"},
}
ROOMS["engine"] = {*ROOMS, "registry"}
GROUND = {
    "built_in",
    "by_name",
    "command_line",
    "errors",
    "__version__",
    "given_file",
    "inert",
    "lazy_pattern",
    "line_file",
    "made_once",
    "option_names",
    "outcome_texts",
    "outcomes",
    "removed",
    "text",
    "users_code",
    "written_file",
}


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a module, which several tests look at."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a module imports, wherever in it."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.startswith("pytest_autoeval"))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pytest_autoeval"):
            if node.module == "pytest_autoeval":
                yield from (f"pytest_autoeval.{name.name}" for name in node.names)
            else:
                yield node.module or ""


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_that_it_may(room: str) -> None:
    allowed = ROOMS[room] | {room} | GROUND
    modules = sorted((PACKAGE / room).rglob("*.py"))
    assert modules, f"the room {room} is empty"
    strangers = {
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in modules
        for name in imported(path)
        if name.split(".")[1] not in allowed
    }
    assert not strangers


#: The rooms that the core does not know: it finds what they add by name, in the list of `built_in.py`.
PLUGIN_ROOMS = ("features", "studies", "requirements")


def plugin_of(module: str) -> str:
    """The plugin that a module belongs to, such as ``studies.temporal_logic``; empty for the core."""
    room, *inside = module.split(".")
    if room not in PLUGIN_ROOMS:
        return ""
    return room if room == "requirements" else ".".join([room, *inside[:1]])


def test_the_core_imports_no_plugin_and_no_plugin_another_one() -> None:
    assert plugin_of("studies.temporal_logic.figures") == "studies.temporal_logic"
    assert plugin_of("requirements.exercises") == "requirements"
    assert not plugin_of("report.document")
    strangers = {
        f"{module} imports {other}"
        for module, others in imports().items()
        for other in others
        if plugin_of(other) not in ("", plugin_of(module))
    }
    assert not strangers


def test_what_plugins_import_of_the_core_is_listed() -> None:
    """A new import across this line is a decision: it shows in the list."""
    used: dict[str, set[str]] = {}
    for module, others in imports().items():
        if plugin := plugin_of(module):
            used.setdefault(plugin, set()).update(other for other in others if not plugin_of(other))
    lines = (
        f"{plugin}\n" + "".join(f"    {name}\n" for name in sorted(used[plugin]))
        for plugin in sorted(used)
    )
    assert_text_snapshot("imports_of_plugins.txt", "".join(lines))


def test_the_engine_needs_no_pytest() -> None:
    modules = [path for room in ROOMS for path in (PACKAGE / room).rglob("*.py")]
    strangers = {
        path.name
        for path in modules
        if re.search(r"^\s*(import|from) _?pytest\b", path.read_text("utf-8"), re.MULTILINE)
    }
    assert not strangers


def test_private_names_of_other_packages_are_few_and_have_reasons() -> None:
    """The linter names each attribute; two more are read by a text."""
    suppressed = [
        line
        for path in PACKAGE.rglob("*.py")
        if path.parent.name != "languages"
        for line in path.read_text("utf-8").splitlines()
        if "SLF001" in line
    ]
    names = {
        name
        for line in suppressed
        for name in re.findall(r"\w\.(_[a-z]\w*)", line.partition("#")[0])
    }
    names |= {"_global_capturing", "_hypothesis_internal_use_settings"}
    listed = (
        (PACKAGE.parent / "ARCHITECTURE.md").read_text("utf-8").partition("## Private names")[2]
    )
    assert not {name for name in names if name not in listed}
    assert len(names) <= 6


def test_tasks_do_not_import_the_offline_models() -> None:
    strangers = {
        path.name
        for path in (PACKAGE / "tasks").rglob("*.py")
        if "models.offline" in " ".join(imported(path))
    }
    assert not strangers


def name_of(path: Path) -> str:
    """The name of a module inside the package; a package's own is that of its folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports() -> dict[str, set[str]]:
    """The modules that each module of the package imports: at its top, inside functions, and for types alone."""
    modules = {name_of(path): path for path in PACKAGE.rglob("*.py")}
    found: dict[str, set[str]] = {}
    for module, path in modules.items():
        named: set[str] = set()
        pending: list[ast.AST] = [tree_of(path)]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Import):
                named.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                # The package itself, which has the version, is loaded before each of its modules.
                names = {alias.name for alias in node.names} - {"__version__"}
                inside = {f"{node.module}.{name}" for name in names}
                named.update(
                    name if name.partition(".")[2] in modules else node.module or ""
                    for name in inside
                )
            pending += ast.iter_child_nodes(node)
        ours = {
            name.partition(".")[2] for name in named if name.partition(".")[0] == "pytest_autoeval"
        }
        found[module] = (ours & modules.keys()) - {module}
    return found


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The groups of modules in which each imports each other, by way of others or at once."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        pending = [start]
        while pending:
            new = graph[pending.pop()] - found
            found |= new
            pending += new
        return found

    below = {module: reached(module) for module in graph}
    return {
        frozenset(other for other in below[module] if module in below[other])
        for module in graph
        if module in below[module]
    }


def test_no_modules_import_each_other() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {frozenset({"b", "c"})}
    assert not circles(imports())


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name_of(path))
    # The same operator may be a node of the trees of two languages: ∧ is an And in logic and in temporal logic.
    trees = {
        *("languages.logic.syntax", "languages.ltl.syntax"),
        "features.finite_traces.syntax",
    }
    # What a run is to ask, and what its record says of it.
    recorded = [
        {"record.lines", home}
        for home in ("engine.suite", "generation.samples", "running.run_services")
    ]
    allowed = [trees, *recorded]
    # Figures and blocks are named after what they show.
    shown = {"record.figures", "report.blocks"}
    twice = {
        name: places
        for name, places in homes.items()
        if len(places) > 1
        and not any(set(places) <= homes_of_all for homes_of_all in allowed)
        and shown.isdisjoint(places)
    }
    assert not twice, twice


def test_runs_in_the_process_of_the_tests_are_in_one_room() -> None:
    """Such a run forgets the modules that it imports first; `plugin/conftest.py` imports them all before."""
    tests = Path(__file__).parent
    runs = ("runpytest_inprocess(", ".inline_run(", "pytester.runpytest(")
    elsewhere = [
        str(path.relative_to(tests))
        for path in tests.rglob("test_*.py")
        if path.parent.name != "plugin"
        and path != Path(__file__)
        and any(run in path.read_text(encoding="utf-8") for run in runs)
    ]
    assert not elsewhere


def test_modules_hold_one_idea_and_stay_short() -> None:
    long = {
        str(path.relative_to(PACKAGE)): lines
        for path in PACKAGE.rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 530
    }
    assert not long


def test_loading_the_plugin_imports_nothing_heavy(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        f"""
        import sys

        def test_nothing_heavy_is_loaded():
            assert "pytest_autoeval.plugin" in sys.modules
            unused = {(*HEAVY, "msgspec", "asyncio", "pytest_autoeval.engine.suite")!r}
            assert not [name for name in unused if name in sys.modules]
        """
    )
    # Plugins of others import asyncio.
    result = pytester.runpytest_subprocess(
        *("-p", "no:hypothesispytest", "-p", "no:xdist", "-p", "no:asyncio", "-p", "no:anyio")
    )
    result.assert_outcomes(passed=1)


def test_a_drawn_suite_imports_no_readers_of_files_and_no_other_language(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import sys
        import pytest

        @pytest.mark.autoeval("propositional", operators=2, samples=1, verified=False)
        def test_suite(sample, llm):
            unused = ("datasets.columns", "datasets.formulas", "languages.glossary", "languages.ltl", "languages.regex")
            assert "pytest_autoeval.engine.sources" in sys.modules
            assert not [name for name in unused if f"pytest_autoeval.{name}" in sys.modules]
            llm.ask("What is p1?")
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, pytest_autoeval; print([n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_report_loads_neither_pytest_nor_what_asks() -> None:
    unused = ("pytest", "pytest_autoeval.tasks.round_trip")
    code = f"""
import sys
import pytest_autoeval.running.report_command
from pytest_autoeval.built_in import PLUGINS, shipped
for plugin in PLUGINS:
    for blocks in plugin.blocks:
        shipped("suite blocks", blocks.name)
print([name for name in {unused!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_project_that_does_not_use_the_plugin_is_as_it_was(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_theirs="""
        import pytest

        @pytest.fixture
        def number():
            return 1

        @pytest.mark.parametrize("n", [1, 2])
        def test_sum(n, number):
            assert n + number == n + 1

        class TestThings:
            def test_method(self, tmp_path):
                assert tmp_path.exists()

        @pytest.mark.xfail
        def test_known():
            assert False
        """
    )
    for arguments in ((), ("-n", "2")):
        result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)
        result.assert_outcomes(passed=3, xfailed=1)
        assert "autoeval" not in result.stdout.str().partition("plugins:")[2].partition("\n")[2]
