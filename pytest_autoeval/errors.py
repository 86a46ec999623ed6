"""The root of all errors of pytest-autoeval; each package derives its own errors from it.

And what all packages need for theirs: errors without our frames, threads that cannot be started, and messages about
unknown names.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from threading import Thread
from types import NoneType, TracebackType
from typing import ParamSpec, TypeVar

#: How similar two names must be, from 0 to 1, for one to be a typing error of the other.
_LIKELY_TYPO = 0.7

P = ParamSpec("P")
T = TypeVar("T")


class AutoevalError(Exception):
    """A mistake that the caller can correct: the message says what was wrong, where, and what to do."""


class ArgumentError(AutoevalError):
    """A call in the user's code has an argument that cannot be used."""


def raises_here(function: Callable[P, T]) -> Callable[P, T]:
    """A public function whose errors begin in itself: a mistake of the caller's needs no frames of ours.

    Frames of the user's code stay, such as those of a model of their own. So does a cause that an error was given.
    """

    @wraps(function)
    def called(*arguments: P.args, **keywords: P.kwargs) -> T:
        # pytest then shows the line of the test that made the call.
        __tracebackhide__ = True
        try:
            return function(*arguments, **keywords)
        except AutoevalError as problem:
            raise problem.with_traceback(_shown(problem.__traceback__)) from problem.__cause__

    return called


def _shown(traceback: TracebackType | None) -> TracebackType | None:
    # Imported only now: `inspect` would make each start slower.
    from pytest_autoeval.users_code import without_our_frames

    return without_our_frames(traceback)


def generates_here(values: Generator[T, None, None]) -> Generator[T, None, None]:
    """The values of a generator, whose errors begin here, as those of :func:`raises_here`."""
    __tracebackhide__ = True
    try:
        yield from values
    except AutoevalError as problem:
        raise problem.with_traceback(_shown(problem.__traceback__)) from problem.__cause__


class NoThreadError(AutoevalError):
    """The system lets this process start no further thread."""


def start_thread(thread: Thread) -> None:
    """Starts a thread; raises :class:`NoThreadError`."""
    try:
        thread.start()
    except RuntimeError as problem:
        raise NoThreadError(
            f"no thread can be started ({problem}): the memory or the number of processes is limited, as by "
            "ulimit -v or ulimit -u; raise the limit, or lower --autoeval-concurrency"
        ) from None


#: What the types of arguments are called in messages.
_TYPE_NAMES: dict[type, str] = {str: "text", Path: "path", int: "integer", NoneType: "None"}


def check_type(
    name: str, value: object, *types: type, error: type[AutoevalError] = AutoevalError
) -> None:
    """Refuses an argument of another type, by its name, before something deeper trips over it; raises ``error``."""
    # In Python, True is an integer. As a number of anything it is a slip.
    if isinstance(value, types) and not isinstance(value, bool):
        return
    names = [_TYPE_NAMES[kind] for kind in types if kind is not NoneType]
    raise error(
        f"{name}={value!r:.60} cannot be used: it must be {' or '.join(map(_with_article, names))}"
    )


def _with_article(noun: str) -> str:
    return f"an {noun}" if noun.startswith("i") else f"a {noun}"


def near_names(name: str, known: Iterable[str], most: int = 1) -> list[str]:
    """The known names, at most ``most``, that are most similar to ``name``, the nearest first.

    Upper and lower case are equal. A prefix that all names share, such as `offline/`, does not count.
    """
    by_folded_name = {candidate.casefold(): candidate for candidate in known}
    folded_name = str(name).casefold()
    # With a long prefix in common, as `--autoeval-`, every name would be similar to every other.
    prefix = os.path.commonprefix([folded_name, *by_folded_name])  # noqa: RUF071  (names are no paths)
    # The shared part ends at a separator, since part of a word may be shared by chance. Without one it is empty.
    start = 1 + max(prefix.rfind(separator) for separator in "/_")
    by_ending = {folded[start:]: candidate for folded, candidate in by_folded_name.items()}
    endings = get_close_matches(folded_name[start:], by_ending, most, _LIKELY_TYPO)
    return [by_ending[ending] for ending in endings]


def did_you_mean(name: str, known: Iterable[str], most: int = 1) -> str:
    """The end of a message about an unknown name: `` Did you mean 'ltl'?``, or empty without a similar name."""
    names = list(known)
    # A known name is no typing error: what is wrong is something else.
    if name in names:
        return ""
    quoted = [repr(near) for near in near_names(name, names, most)]
    if not quoted:
        return ""
    *earlier, last = quoted
    choices = f"{', '.join(earlier)} or {last}" if earlier else last
    return f" Did you mean {choices}?"


def near_folder(folder: Path) -> str:
    """The end of a message: the folder that the name of a missing one may mean."""
    if not folder.parent.is_dir():
        return ""
    names = sorted(path.name for path in folder.parent.iterdir() if path.is_dir())
    # By the last name alone: whole paths into one folder are always similar.
    near = near_names(folder.name, names, 1)
    return f". Did you mean {str(folder.with_name(near[0]))!r}?" if near else ""


def unknown_name(
    kind: str, name: str, known: Iterable[str], *, instead: str = "", command: str = ""
) -> str:
    """The message about an unknown name, with the nearest known names.

    It lists all known names, or names the ``command`` that does. ``instead`` says what else may be given.
    """
    listed = list(known)
    unknown = f"there is no {kind} {name!r}"
    if command:
        # The message does not list the names, so that more than one of them is proposed.
        return f"{unknown}.{did_you_mean(name, listed, 3)} `{command}` lists all {len(listed)}."
    return f"{unknown}; known are: {', '.join(listed)}{instead}.{did_you_mean(name, listed)}"
