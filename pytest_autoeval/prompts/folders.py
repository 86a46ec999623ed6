"""Folders of a user's prompts: whether they can be used, before a run pays for the first answer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path

from pytest_autoeval.errors import near_folder, near_names, unknown_name
from pytest_autoeval.prompts.template import (
    PromptError,
    read_template,
    shipped_folders,
    shipped_stems,
)


@cache
def offered_slots(task: str) -> tuple[str, ...]:
    """The slots that the prompts of a task may have: those that the shipped prompts of this task have.

    Only the task's code knows them, and needs a sample for it. A test compares the two for each shipped task.
    """
    names: dict[str, None] = {}
    for folder in shipped_folders():
        for file in sorted(folder.glob(f"{task}/*.toml")):
            names |= dict.fromkeys(read_template(file, (), shipped_folders()).slots)
    return tuple(names)


def refuse_folders(folders: Iterable[Path]) -> None:
    """Refuses a folder that does not exist, and one that is given twice; raises :class:`PromptError`."""
    known: dict[Path, Path] = {}
    for folder in folders:
        if not folder.is_dir():
            raise PromptError(f"there is no folder {folder}{near_folder(folder)}")
        # Two paths may lead to one folder, for example through a link.
        first = known.setdefault(folder.resolve(), folder)
        if first is not folder:
            names = (
                f"{folder} is given twice"
                if first == folder
                else f"{first} and {folder} are one folder"
            )
            raise PromptError(
                f"{names}; each folder is asked by itself, and the results are compared"
            )


def check_folder(
    folder: Path,
    languages: Sequence[str],
    tasks: Collection[str] = (),
    others: Sequence[Path] = (),
) -> None:
    """Refuses a folder with a prompt that cannot be used; raises :class:`PromptError`.

    It cannot be read, has slots that its task does not have, or is a prompt that nothing looks for.
    A prompt that nothing looks for is of no task, language or interface, and would have no effect. ``languages`` are
    all known ones, ``tasks`` those of the user: their prompts may have other interfaces, and further names, which only
    their code knows. ``others`` are further folders of the user, in which a shared part may be.
    """
    files = sorted(folder.glob("*/*.toml"))
    if not files:
        raise PromptError(
            f"{folder}: there is no prompt in it; write one as informalize/{languages[0]}.toml"
        )
    shipped = shipped_stems()
    shipped_tasks = sorted(shipped)
    for file in files:
        task = file.parent.name
        if task in shipped:
            _check_name(file, languages, shipped[task])
            # Before the run: other folders of prompts may have paid for their answers when this one is first used.
            searched = (folder, *others, *shipped_folders())
            read_template(file, (), searched, offered=offered_slots(task))
            continue
        # The user's tasks may have prompts of further names. A name close to a shipped one is a slip.
        if task in tasks or (tasks and not near_names(task, shipped_tasks)):
            continue
        unknown = unknown_name("task", task, shipped_tasks)
        raise PromptError(f"{file}: nothing looks for this prompt: {unknown}")


def _check_name(file: Path, languages: Sequence[str], stems: Collection[str]) -> None:
    """Refuses a prompt of a language or an interface that its task does not have; ``stems`` are the shipped ones."""
    language, _, interface = file.stem.partition(".")
    shipped_languages = {stem.partition(".")[0] for stem in stems}
    known_languages = sorted({*languages, *shipped_languages})
    if language not in known_languages:
        unknown = unknown_name("language", language, known_languages)
        raise PromptError(f"{file}: nothing looks for this prompt: {unknown}")
    interfaces = sorted({stem.partition(".")[2] for stem in stems})
    if interface not in interfaces:
        endings = [f".{name}.toml" if name else ".toml" for name in interfaces]
        names = ", ".join(f"{language}{ending}" for ending in endings)
        raise PromptError(
            f"{file}: nothing looks for this prompt; the task {file.parent.name} looks for {names}"
        )
