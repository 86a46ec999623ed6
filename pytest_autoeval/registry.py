"""What a run knows by name beside what the package ships: added by a `conftest.py`, gone when the run is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pytest_autoeval.errors import AutoevalError, unknown_name

if TYPE_CHECKING:
    from pytest_autoeval.datasets import DataSet
    from pytest_autoeval.languages import Language, Vocabulary
    from pytest_autoeval.tasks import Task

T = TypeVar("T")


def shipped_folder(name: str) -> Path:
    """Where shipped files are: beside the package in a checkout, inside it when installed from a wheel."""
    package = Path(__file__).resolve().parent
    return package / name if (package / name).is_dir() else package.parent / name


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar file with its name; language and vocabulary where the file was added with them."""

    name: str
    path: Path
    language: str | None = None
    vocabulary: Vocabulary | str | None = None


class Registry:
    """Languages, grammars, data sets, tasks, models and prompts by name; what is added replaces what has its name.

    Args:
        root: the folder at which relative paths start.
    """

    def __init__(self, root: Path = Path()) -> None:
        self.root = root
        self.languages: dict[str, Language] = {}
        self.grammars: dict[str, Grammar] = {}
        self.data_sets: dict[str, DataSet] = {}
        self.tasks: dict[str, Task] = {}
        self.models: dict[str, Callable[[], Any]] = {}
        self.prompt_folders: list[Path] = []

    def add_language(self, instance: Language) -> None:
        """Adds a language; its prompts come with :meth:`add_prompts`."""
        self.languages[instance.name] = instance

    def add_grammar(
        self, name: str, path: str | Path, language: str | None = None, vocabulary: Vocabulary | str | None = None
    ) -> None:
        """Adds a grammar under a name, for `@pytest.mark.autoeval(name)`.

        ``language`` may be left out where the file begins with a comment ``// language: NAME``. ``vocabulary`` fills
        the slots of the grammar where a test names none. Raises :class:`AutoevalError` for a file that does not exist.
        """
        file = self.root / path
        if not file.is_file():
            raise AutoevalError(f"add_grammar({name!r}): there is no file {file}")
        self.grammars[name] = Grammar(name, file, language, vocabulary)

    def add_data_set(self, data_set: DataSet) -> None:
        """Adds a data set under its name, for `@pytest.mark.autoeval(name, task=…)`."""
        self.data_sets[data_set.name] = data_set

    def add_task(self, task: Task) -> None:
        """Adds a task under its name; its prompts come with :meth:`add_prompts`."""
        self.tasks[task.name] = task

    def add_prompts(self, folder: str | Path) -> None:
        """Adds a folder of templates (`informalize/LANGUAGE.toml`, …), searched before the shipped ones.

        Raises :class:`AutoevalError` for a folder that does not exist.
        """
        place = self.root / folder
        if not place.is_dir():
            raise AutoevalError(f"add_prompts: there is no folder {place}")
        self.prompt_folders.append(place)

    def add_model(self, name: str, factory: Callable[[], Any]) -> None:
        """Adds a model: `--autoeval-model=NAME` asks what `factory` makes, at the first call in each process.

        The model needs only a method ``complete(messages, repeat=…)`` that is safe in threads and returns a text or a
        :class:`pytest_autoeval.models.Reply`. Its answers are recorded, and its calls counted and limited, as those of
        a server; it raises :class:`pytest_autoeval.models.TransientError` to be asked again.
        """
        self.models[name] = factory

    @contextmanager
    def active(self) -> Iterator[Self]:
        """Makes this the current registry of the process, inside a ``with``."""
        _ACTIVE.append(self)
        try:
            yield self
        finally:
            _ACTIVE.remove(self)


#: A run inside a run has its own registry; the innermost counts.
_ACTIVE: list[Registry] = []
_EMPTY = Registry()


def current_registry() -> Registry:
    """The registry of the innermost run; outside any run an empty one, to which nothing may be added."""
    return _ACTIVE[-1] if _ACTIVE else _EMPTY


@cache
def located(location: str) -> Any:
    """The object at ``module:attribute``; its module is imported when it is first asked for."""
    module, _, attribute = location.partition(":")
    return getattr(import_module(module), attribute)


def find(kind: str, name: str, added: Mapping[str, T], shipped: Mapping[str, str], error: type[AutoevalError]) -> T:
    """The object of a name: one that was added, else a shipped one, given by its location.

    Raises ``error`` for any other name; the message lists the known names of this ``kind``.
    """
    if name in added:
        return added[name]
    if name not in shipped:
        raise error(unknown_name(kind, name, names(added, shipped)))
    found: T = located(shipped[name])
    return found


def names(added: Mapping[str, object], shipped: Mapping[str, object]) -> tuple[str, ...]:
    """The names of what is shipped, then of what was added."""
    return tuple(dict.fromkeys((*shipped, *added)))
