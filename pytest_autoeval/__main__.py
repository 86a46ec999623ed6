"""The commands `python -m pytest_autoeval check …`, `correlate …`, `generate …` and the others."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable
from contextvars import copy_context
from importlib import import_module

from pytest_autoeval import __version__
from pytest_autoeval.built_in import PLUGINS, shipped
from pytest_autoeval.errors import AutoevalError, did_you_mean
from pytest_autoeval.inert import inert, inert_output
from pytest_autoeval.option_names import begin_command

#: The modules of the commands of the core, what each takes, and what it does.
_CORE = {
    "generate": (
        "generation.generate_command",
        "GRAMMAR [options]",
        "write formulas drawn from a grammar, one JSON object a line",
    ),
    "check": ("running.check_command", "FILE…", "check data files, or sentences as a whole set"),
    "report": (
        "running.report_command",
        "FILE.jsonl…",
        "make a page, a summary or figures from results",
    ),
    "schema": (
        "report.schema_command",
        "results|summary",
        "print the JSON Schema of the results or summary",
    ),
    "recordings": (
        "running.recordings_command",
        "[FOLDER]",
        "list and remove recordings that no run uses",
    ),
    "serve": (
        "models.offline.server",
        "[options]",
        "serve the offline models to any OpenAI client",
    ),
}
#: What each command takes and does, in the order of the help.
_COMMANDS = {
    **{name: (takes, does) for name, (_, takes, does) in _CORE.items()},
    **{
        command.name: (command.takes, command.does)
        for plugin in PLUGINS
        for command in plugin.commands
    },
}
#: The commands of most users; the others are for research, and for other programs.
_USUAL = ("generate", "check", "report", "questions", "recordings")


def _lines(names: Iterable[str]) -> str:
    listed = [(name, *_COMMANDS[name]) for name in names]
    return "\n".join(
        f"  python -m pytest_autoeval {f'{name} {takes}':<29}{does}" for name, takes, does in listed
    )


_HELP = f"""\
pytest-autoeval {__version__}: does a language model keep the meaning between formal language and English?

commands:
{_lines(_USUAL)}

for research, and for other programs:
{_lines(name for name in _COMMANDS if name not in _USUAL)}

Each command lists its options with --help. pytest itself runs the tests:
  pytest --pyargs pytest_autoeval.suites                 the packaged suites, with the offline model
                                                         (in a checkout of the repository: pytest suites)
  pytest --help                                          the plugin's options: group `autoeval`
"""


def main(arguments: list[str] | None = None) -> int:
    given = sys.argv[1:] if arguments is None else arguments
    if not given or given[0] in {"-h", "--help"}:
        sys.stdout.write(_HELP)
        return 0
    name, *rest = given
    if name == "--version":
        sys.stdout.write(f"pytest-autoeval {__version__}\n")
        return 0
    if name not in _COMMANDS:
        commands = f"the commands are: {', '.join(_COMMANDS)} (see --help)"
        near = did_you_mean(name, _COMMANDS)
        if near:
            commands = f"{commands}.{near}"
        sys.stderr.write(f"there is no command {name!r}; {commands}\n")
        return 2
    code = 0
    try:
        with inert_output():
            # The names of its options in messages end with it.
            code = copy_context().run(_run, name, rest)
            sys.stdout.flush()
    except BrokenPipeError:  # whoever reads, as `head` does, has seen enough: an exit code stands
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (AutoevalError, OSError) as problem:
        sys.stderr.write(inert(f"pytest_autoeval {name}: {problem}\n"))
        code = 2
    except KeyboardInterrupt:
        code = 130
    return code


def _run(name: str, arguments: list[str]) -> int:
    """Runs a command and returns its exit code. Raises `AutoevalError` for a mistake of the user."""
    begin_command()
    of_core = name in _CORE
    run: Callable[[list[str]], int]
    run = (
        import_module(f"pytest_autoeval.{_CORE[name][0]}").main
        if of_core
        else shipped("command", name)
    )
    return run(arguments)


if __name__ == "__main__":
    # A command makes thousands of trees and rows, and hardly any reference cycles.
    gc.set_threshold(200_000, 50, 50)
    sys.exit(main())
