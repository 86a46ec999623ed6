"""Prompt templates: texts with named slots, their conversations, and the search for their files."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from pytest_autoeval.built_in import folders_of_plugins
from pytest_autoeval.errors import AutoevalError, near_names, unknown_name
from pytest_autoeval.removed import removed_prompt_key

Role = Literal["system", "user", "assistant"]


#: Nested keys, for which Python's TOML reader takes quadratic time.
_DEEP_KEY = re.compile(r"""(?:\.[ \t]*+["'\w-]++[ \t]*+){50}""")
#: ``$$`` is a dollar sign, ``${name}`` a slot; any other dollar sign stands for itself.
_SLOT = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<name>[^{}\n]*)\})")


class PromptError(AutoevalError):
    """A prompt template cannot be used. The message names the file and the correction."""


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: values for the slots of the user turn, and the right answer."""

    slots: Mapping[str, str]
    answer: str


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """The prompt of one task for one language.

    ``path`` is its file; ``system`` may be empty; ``user`` is the turn with the sample; ``refine`` is a second turn,
    which asks to check the answer. ``max_tokens`` is the default limit of the answer. ``parts`` are the files of the
    texts that it shares with others. ``variable_lists``: it asks for quantifiers with lists of variables
    (``∀x1 x2. …``), which the strict notation lacks. ``example`` is the form of a worked example inside the user turn;
    if it is empty, each example is a turn and its answer.
    """

    path: Path
    system: str
    user: str
    examples: tuple[Example, ...] = ()
    refine: str = ""
    max_tokens: int | None = None
    parts: tuple[Path, ...] = ()
    variable_lists: bool = False
    example: str = ""

    @property
    def own_files(self) -> set[Path]:
        """Its files that are not shipped."""
        return {file for file in (self.path, *self.parts) if not _is_shipped(file)}

    def render(self, slots: Mapping[str, str], *, few_shot: bool) -> list[tuple[Role, str]]:
        """The conversation, as turns of role and content.

        ``slots`` are filled in once and literally: a ``$`` in them has no meaning. Raises :class:`PromptError` for a
        slot without a value, and for few-shot prompting without examples.
        """
        if few_shot and not self.examples:
            raise PromptError(
                f"{self.path}: few-shot prompting needs [[examples]], and the template has none"
            )
        examples = self.examples if few_shot else ()
        if self.example:
            slots, examples = {**slots, _EXAMPLES: self._inside(examples)}, ()
        turns: list[tuple[Role, str]] = []
        if self.system:
            turns.append(("system", self._fill(self.system, slots)))
        for example in examples:
            turns.append(("user", self._fill(self.user, example.slots)))
            turns.append(("assistant", example.answer))
        turns.append(("user", self._fill(self.user, slots)))
        return turns

    def _inside(self, examples: Sequence[Example]) -> str:
        """The worked examples as a text inside the user turn, set off by empty lines; empty without examples."""
        texts = [
            self._fill(
                self.example, {**example.slots, "answer": example.answer, "number": str(number)}
            )
            for number, example in enumerate(examples, 1)
        ]
        return "\n{}\n".format("\n\n".join(texts)) if texts else ""

    def _fill(self, text: str, slots: Mapping[str, str]) -> str:
        def value(match: re.Match[str]) -> str:
            if match["dollar"]:
                return "$"
            if match["name"] not in slots:
                raise PromptError(
                    f"{self.path}: unknown slot ${{{match['name']}}}; {known_slots(slots)}"
                )
            return slots[match["name"]]

        return _SLOT.sub(value, text)


def slots_in(text: str) -> Iterator[str]:
    """The names between ``${`` and ``}`` in a text, in order, also of malformed slots."""
    return (match["name"] for match in _SLOT.finditer(text) if match["name"] is not None)


@cache  # a run asks for the same few files again at each prompt
def _is_shipped(file: Path) -> bool:
    return any(map(file.is_relative_to, shipped_folders()))


def known_slots(names: Iterable[str]) -> str:
    """The part of an error message that lists the known slots."""
    return f"known are: {', '.join(f'${{{name}}}' for name in sorted(names))}"


_KEYS = ("system", "user", "examples", "example", "refine", "max_tokens", "variable_lists")
#: The slot of the user turn that the examples fill, and the slots of an example besides those of the task.
_EXAMPLES, _OF_EXAMPLE = "examples", ("answer", "number")
#: The keys with the texts of the prompt, each with its default; the user turn is required.
_TEXTS: dict[str, str | None] = {"system": "", "user": None, "example": ""}
#: A text that several templates share: ``${part:ltl/grammar}`` stands for `parts/ltl/grammar.txt`.
_PART = re.compile(r"\$\{part:(?P<name>[\w/-]+)\}")


@cache
def shipped_folders() -> tuple[Path, ...]:
    """The folders of the shipped prompts: those of the core, then those of the plugins."""
    return (Path(__file__).parent, *folders_of_plugins("prompts"))


def _shipped_stems() -> dict[str, set[str]]:
    """The names of the shipped prompts, without their endings, by task."""
    stems: dict[str, set[str]] = {}
    for folder in shipped_folders():
        for path in folder.glob("*/*.toml"):
            stems.setdefault(path.parent.name, set()).add(path.stem)
    return stems


def load(
    task: str,
    language: str,
    folders: Sequence[Path] = (),
    interface: str = "",
    slots: Sequence[str] = (),
) -> PromptTemplate:
    """The template of a task for a language.

    ``folders`` are searched first, in order, for ``TASK/LANGUAGE.toml``, or ``TASK/LANGUAGE.INTERFACE.toml`` with an
    interface; then the shipped templates. A ``${part:NAME}`` in a template stands for the text of ``parts/NAME.txt``,
    which is searched for in the same places.

    ``slots`` are the names that the template may use. The first one has the sample, and the user turn must contain it.
    Without names nothing is checked before the template is rendered. Raises :class:`PromptError` if there is no
    template, and for a file that cannot be used.
    """
    name = Path(task, f"{language}.{interface}.toml" if interface else f"{language}.toml")
    places = (*folders, *shipped_folders())
    for folder in places:
        if not folder.is_dir():
            raise PromptError(f"{folder}: there is no such folder of prompts")
        if (folder / name).is_file():
            return _read(folder / name, slots, places)
    place = folders[0] / name if folders else name
    advice = (
        f"write the file {place}"
        if folders
        else f"write a file {place} in a folder of prompts of your own"
    )
    shipped = ", ".join(sorted(_shipped_stems().get(task, ()))) or "none"
    missing = f"there is no prompt for the task {task!r} and the language {language!r}"
    raise PromptError(f"{missing} (shipped for this task: {shipped}); {advice}")


def languages_with(task: str, interface: str, folders: Sequence[Path] = ()) -> set[str]:
    """The languages for which a task has a prompt of this interface, in ``folders`` or shipped."""
    ending = f".{interface}.toml"
    files = (
        file
        for folder in (*folders, *shipped_folders())
        for file in folder.glob(f"{task}/*{ending}")
    )
    return {file.name.removesuffix(ending) for file in files}


class Templates:
    """The templates of a run. Each is read once, whichever thread asks first; the others wait."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: dict[
            tuple[str, str, tuple[Path, ...], str, tuple[str, ...]], PromptTemplate
        ] = {}
        self._languages: dict[tuple[str, str, tuple[Path, ...]], set[str]] = {}

    def load(
        self,
        task: str,
        language: str,
        folders: tuple[Path, ...],
        interface: str,
        slots: tuple[str, ...],
    ) -> PromptTemplate:
        """See :func:`load`."""
        key = task, language, folders, interface, slots
        with self._lock:
            if key not in self._read:
                self._read[key] = load(*key)
            return self._read[key]

    def has(self, task: str, language: str, folders: tuple[Path, ...], interface: str) -> bool:
        """Whether there is a template of this interface."""
        key = task, interface, folders
        with self._lock:
            if key not in self._languages:
                self._languages[key] = languages_with(task, interface, folders)
            return language in self._languages[key]


def check_folder(folder: Path, languages: Sequence[str], tasks: Collection[str] = ()) -> None:
    """Refuses a folder with a prompt that nothing looks for, which would have no effect; raises :class:`PromptError`.

    Such a prompt is of no task, language or interface. ``languages`` are all known ones, ``tasks`` those of the user:
    their prompts may have other interfaces, and further names, which only their code knows.
    """
    files = sorted(folder.glob("*/*.toml"))
    if not files:
        raise PromptError(
            f"{folder}: there is no prompt in it; write one as informalize/{languages[0]}.toml"
        )
    shipped = _shipped_stems()
    shipped_tasks = sorted(shipped)
    for file in files:
        task = file.parent.name
        if task not in shipped:
            if task in tasks or (tasks and not near_names(task, shipped_tasks)):
                continue
            raise PromptError(
                f"{file}: nothing looks for this prompt: {unknown_name('task', task, shipped_tasks)}"
            )
        language, _, interface = file.stem.partition(".")
        stems = shipped[task]
        known = sorted({*languages, *(stem.partition(".")[0] for stem in stems)})
        if language not in known:
            raise PromptError(
                f"{file}: nothing looks for this prompt: {unknown_name('language', language, known)}"
            )
        interfaces = sorted({stem.partition(".")[2] for stem in stems})
        if interface not in interfaces:
            wanted = ", ".join(
                f"{language}{f'.{name}' if name else ''}.toml" for name in interfaces
            )
            raise PromptError(
                f"{file}: nothing looks for this prompt; the task {task} looks for {wanted}"
            )


def _read(path: Path, slots: Sequence[str], places: Sequence[Path]) -> PromptTemplate:
    source = _source(path)
    parsed = _parsed(source, path).items()
    parts: list[Path] = []
    data = {
        key: _filled(value, path, places, parts) if isinstance(value, str) else value
        for key, value in parsed
    }
    if unknown := [key for key in data if key not in _KEYS]:
        if removed := removed_prompt_key(unknown[0]):
            raise PromptError(f"{path}: {removed}")
        raise PromptError(f"{path}: unknown key {unknown[0]!r}; known are: {', '.join(_KEYS)}")
    system, user, example = (
        _text(data, key, path, default=default) for key, default in _TEXTS.items()
    )
    if example and _EXAMPLES not in slots_in(user):
        raise PromptError(
            f"{path}: example is for a user turn with the slot ${{{_EXAMPLES}}}, and there is none"
        )
    if slots:
        in_turns = (*slots, _EXAMPLES) if example else slots
        for text, known in ((f"{system}\n{user}", in_turns), (example, (*slots, *_OF_EXAMPLE))):
            _check_slots(text, known, source, path)
        if slots[0] not in slots_in(user):
            raise PromptError(
                f"{path}: the user turn lacks the slot ${{{slots[0]}}}, which carries the sample"
            )
    refine = _filled(_text(data, "refine", path, default="${part:refine}"), path, places, parts)
    limit = data.get("max_tokens")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise PromptError(f"{path}: max_tokens must be an integer ≥ 1")
    lists = data.get("variable_lists", False)
    if not isinstance(lists, bool):
        raise PromptError(f"{path}: variable_lists must be true or false")
    shown = (
        [name for name in slots_in(example) if name not in _OF_EXAMPLE]
        if example
        else slots_in(user)
    )
    examples = _examples(
        data, tuple(dict.fromkeys(shown)), path, "example" if example else "user turn"
    )
    return PromptTemplate(path, system, user, examples, refine, limit, tuple(parts), lists, example)


def _check_slots(text: str, known: Sequence[str], source: str, path: Path) -> None:
    """Raises :class:`PromptError` if a text of the file has another slot than the known ones."""
    if unknown := [name for name in slots_in(text) if name not in known]:
        slot = f"${{{unknown[0]}}}"
        line = source[: max(0, source.find(slot))].count("\n") + 1
        raise PromptError(f"{path}:{line}: unknown slot {slot}; {known_slots(known)}")


def _filled(text: str, path: Path, places: Sequence[Path], parts: list[Path]) -> str:
    """The text with its parts, whose files are added to ``parts``."""

    def part(match: re.Match[str]) -> str:
        name = Path("parts", f"{match['name']}.txt")
        files = (folder / name for folder in places)
        file = next(
            filter(os.path.isfile, files), None
        )  # no file either where the name is too long for one
        if file is None:
            raise PromptError(
                f"{path}: {match[0]}: there is no file {name} in any folder of prompts"
            )
        parts.append(file)
        return _source(file).rstrip().lstrip("\n")

    return _PART.sub(part, text)


def _source(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}") from None


def _parsed(source: str, path: Path) -> dict[str, Any]:
    if _DEEP_KEY.search(source):
        raise PromptError(
            f"{path}: more than 50 words with a dot before each: a template has no such key"
        )
    try:
        return tomllib.loads(source)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        match = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error), re.DOTALL)
        problem, place = (match[1], f":{match[2]}:{match[3]}") if match else (str(error), "")
        raise PromptError(f"{path}{place}: not TOML: {problem}") from None


def _text(
    table: Mapping[str, Any], key: str, path: Path, *, where: str = "", default: str | None = None
) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        raise PromptError(
            f"{path}: {where}{key} must be a text" + (", and is missing" if value is None else "")
        )
    return value.strip()


def _examples(
    data: Mapping[str, Any], known: Sequence[str], path: Path, text: str
) -> tuple[Example, ...]:
    """The worked examples, which fill the slots ``known`` of a text of the template."""
    tables = data.get("examples", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise PromptError(f"{path}: examples must be tables, each under a line [[examples]]")
    examples: list[Example] = []
    for number, table in enumerate(tables, 1):
        where = f"example {number}: "
        if unknown := [key for key in table if key not in (*known, "answer")]:
            problem = f"{where}fills {unknown[0]!r}, which is not a slot of the {text}; {known_slots(known)}"
            raise PromptError(f"{path}: {problem}")
        slots = {key: _text(table, key, path, where=where) for key in known}
        examples.append(Example(slots, _text(table, "answer", path, where=where)))
    return tuple(examples)
