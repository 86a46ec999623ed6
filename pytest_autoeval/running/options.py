"""The options on the command line and in the ini file: registers them with pytest, and reads them into `Settings`.

Only the standard library is imported here, since every pytest run loads this module.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from pytest_autoeval.engine import option_values as read
from pytest_autoeval.engine.option_values import Option, argument_of
from pytest_autoeval.engine.settings import OPTIONS, Settings, ini_key, shown_name
from pytest_autoeval.errors import near_names, unknown_name
from pytest_autoeval.inert import inert
from pytest_autoeval.removed import removed_ini_key, removed_option

#: The key under which a worker on another host or in another folder finds what it needs of its controller.
ELSEWHERE = "autoeval_elsewhere"
_SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
#: The column in which argparse prints the help of options.
_COLUMN = 24

#: Options that print something instead of running tests.
ACTIONS: dict[str, Option] = {
    "plan": Option(
        "print what a run would cost, and stop",
        default=False,
        ini=False,
        starts_group="Instead of a run",
    ),
    "models": Option("list the offline models, and stop", default=False, ini=False),
    "explain": Option(
        "explain an outcome (copied, AE115) or a verdict, and stop", metavar="OUTCOME", ini=False
    ),
}


def add_options(parser: pytest.Parser) -> None:
    """Registers the group of options.

    A group has no headings of its own, so a heading ends the help of the option before it.
    """
    entries = [*OPTIONS.items(), *ACTIONS.items()]
    title = "autoeval: does a language model keep the meaning of formulas?"
    group = parser.getgroup("autoeval", f"{title}\n\n{'':{_COLUMN}}{entries[0][1].starts_group}")
    # The first heading stands in the title of the group.
    headings = [
        f"\n\n{entry.starts_group}:" if entry.starts_group else "" for _, entry in entries[1:]
    ]
    for (name, option), heading in zip(entries, [*headings, ""], strict=True):
        group.addoption(
            shown_name(name),
            dest=f"autoeval_{name}",
            # None shows that an option was not typed, so that the ini file counts.
            **{**argument_of(option, heading), "default": None},
        )
        if option.ini:
            kind: Literal["linelist", "string"] = "linelist" if option.repeatable else "string"
            parser.addini(f"autoeval_{name}", f"as {shown_name(name)}", type=kind, default=None)


def elsewhere(config: pytest.Config) -> dict[str, Any]:
    """What a worker on another host or in another folder knows of its controller; empty in other processes."""
    sent: dict[str, Any] = getattr(config, "workerinput", {}).get(ELSEWHERE, {})
    return sent


def settings_of(config: pytest.Config) -> Settings:
    """The settings of the run. The first call raises :class:`pytest.UsageError` for a bad ini file."""
    if _SETTINGS not in config.stash:
        config.stash[_SETTINGS] = _read(config)
    return config.stash[_SETTINGS]


def _read(config: pytest.Config) -> Settings:
    folder = config.invocation_params.dir
    ini_folder, ini_file = folder, ""
    if config.inipath is not None:
        ini_folder, ini_file = config.inipath.parent, config.inipath.name
    typed_values = {name: getattr(config.option, f"autoeval_{name}", None) for name in OPTIONS}
    typed = {name: value for name, value in typed_values.items() if value is not None}
    values: dict[str, Any] = {}
    controller_host = elsewhere(config)
    moved = controller_host.get("paths", {})
    for name, option in OPTIONS.items():
        chosen = _absolute(option, typed.get(name), folder)
        # A relative path on the command line is from the current folder, one in the ini file from its folder.
        written = _absolute(option, _from_ini(name, option, config, ini_file), ini_folder)
        if name == "model":
            values["model_named"] = chosen is not None or written is not None
        usual = option.type(option.default) if isinstance(option.default, str) else option.default
        default = _absolute(option, usual, folder)
        value = next(
            (candidate for candidate in (chosen, written) if candidate is not None), default
        )
        # The worker's root folder is another than that of its controller.
        if name in moved:
            value = _absolute(option, moved[name], config.rootpath)
        values[name] = tuple(dict.fromkeys(value)) if option.repeatable else value
    started = config.rootpath / controller_host["folder"] if controller_host else folder
    return Settings(
        **values,
        typed=typed,
        folder=started,
        ini_file=ini_file,
        ini_options=tuple(_ini_options(config)),
    )


def _ini_options(config: pytest.Config) -> Iterator[str]:
    """The words of the command line by which our ini keys have other values than those of the usual ini file."""
    if file := getattr(config.option, "inifilename", None):
        yield f"--config-file={file}"
    for entry in getattr(config.option, "override_ini", None) or ():
        if entry.startswith("autoeval_"):
            yield f"--override-ini={entry}"


def _absolute(option: Option, value: Any, folder: Path) -> Any:
    if option.type is not read.path or value in (None, False):
        return value
    return [folder / entry for entry in value] if option.repeatable else folder / value


def check_options(arguments: Iterable[str]) -> None:
    """Refuses a misspelt or a removed option of ours; pytest would not say what to write instead.

    Raises :class:`pytest.UsageError`.
    """
    prefix = shown_name("")
    names = [name.replace("_", "-") for name in (*OPTIONS, *ACTIONS)]
    for argument in arguments:
        typed = argument.partition("=")[0]
        name = _name_after_prefix(typed)
        if not name:
            continue
        is_of_prefix = typed.startswith(prefix)
        if is_of_prefix and (removed := removed_option(name.replace("-", "_"))):
            raise pytest.UsageError(removed)
        # Without a near name, the message of pytest itself says all.
        if is_of_prefix and name in names:
            continue
        if meant := _meant(name) or next(iter(near_names(name, names)), ""):
            problem = f"there is no option {typed}. Did you mean {prefix}{meant}?"
            raise pytest.UsageError(
                inert(f"{problem} `pytest --help` lists all in the group autoeval.")
            )


def _name_after_prefix(typed: str) -> str:
    """The name of an option behind our prefix, or behind a likely typing error of it; empty for another option."""
    prefix = shown_name("")
    if typed.startswith(prefix):
        return typed.removeprefix(prefix)
    if not typed.startswith("--"):
        return ""
    # Python's names have underscores, and so do the keys of the ini file.
    first, _, rest = typed.removeprefix("--").replace("_", "-").partition("-")
    return rest if near_names(first, [prefix.strip("-")]) else ""


def _meant(guess: str) -> str:
    """The option, with its value, that a user looks for under another name; empty if none declares this guess."""
    for name, option in OPTIONS.items():
        if guess in option.guesses:
            return f"{name.replace('_', '-')}={option.metavar}"
    return ""


def check_keys(config: pytest.Config) -> None:
    """Refuses an unknown ini key such as `autoeval_…`. Raises :class:`pytest.UsageError`.

    pytest would only warn, and not even that if the warning is filtered out.
    """
    keys = [f"autoeval_{name}" for name, option in OPTIONS.items() if option.ini]
    for key in _ini_keys(config):
        if key.lower().startswith("autoeval") and key not in keys:
            name = key.removeprefix("autoeval_")
            problem = removed_ini_key(name) or unknown_name(
                "ini key", key, keys, command="pytest --help"
            )
            raise pytest.UsageError(
                inert(f"{config.inipath.name}: {problem}" if config.inipath else problem)
            )


def _ini_keys(config: pytest.Config) -> Iterator[str]:
    """The keys of the ini file, in each table where pytest may look for them, and of `--override-ini`."""
    for entry in getattr(config.option, "override_ini", None) or ():
        yield entry.partition("=")[0].strip()
    if config.inipath is None:
        return
    if config.inipath.suffix == ".toml":
        import tomllib

        content = tomllib.loads(config.inipath.read_text("utf-8"))
        table = content.get("tool", {}).get("pytest", {})
        yield from (*content.get("pytest", {}), *table, *table.get("ini_options", {}))
        return
    from iniconfig import IniConfig  # pytest reads its ini files with it

    sections = IniConfig(str(config.inipath))
    yield from (
        key for name in ("pytest", "tool:pytest") if name in sections for key in sections[name]
    )


def _check_choices(texts: list[str], option: Option) -> None:
    """Raises `argparse.ArgumentTypeError`, as argparse does for the command line."""
    wrong = set(texts).difference(option.choices or texts)
    if wrong:
        choices = ", ".join(option.choices or ())
        raise argparse.ArgumentTypeError(f"{min(wrong)!r} is not one of {choices}")


def _from_ini(name: str, option: Option, config: pytest.Config, file: str) -> Any:
    """The value in the ini file, or None."""
    written = config.getini(f"autoeval_{name}") if option.ini else None
    if not written:
        return None
    texts = written if option.repeatable else [written]
    try:
        _check_choices(texts, option)
        kind = read.switch if option.default is False else option.type
        values = [kind(text) for text in texts]
    except argparse.ArgumentTypeError as problem:
        raise pytest.UsageError(f"{ini_key(name, file)}: {problem}") from None
    return values if option.repeatable else values[0]
