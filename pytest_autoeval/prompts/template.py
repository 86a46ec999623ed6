"""Prompt templates: texts with named slots, their conversations, and the search for their files."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Literal

from msgspec import Struct

from pytest_autoeval.built_in import folders_of_plugins
from pytest_autoeval.errors import AutoevalError, did_you_mean, unknown_name
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.prompts.explained_signs import KEYS_OF_SIGNS, ExplainedSigns
from pytest_autoeval.removed import removed_prompt_key

Role = Literal["system", "user", "assistant"]


#: Nested keys, for which Python's TOML reader takes quadratic time.
_DEEP_KEY = lazy_pattern(r"""(?:\.[ \t]*+["'\w-]++[ \t]*+){50}""")
#: ``$$`` is a dollar sign, ``${name}`` a slot; any other dollar sign stands for itself.
_SLOT = lazy_pattern(r"\$(?:(?P<dollar>\$)|\{(?P<name>[^{}\n]*)\})")


class PromptError(AutoevalError):
    """A prompt template cannot be used. The message names the file and the correction."""


class Example(Struct, frozen=True):
    """A worked example: values for the slots of the user turn, and the right answer."""

    slots: Mapping[str, str]
    answer: str


class PromptTemplate(Struct, frozen=True):
    """The prompt of one task for one language.

    ``path`` is its file; ``system`` may be empty; ``user`` is the turn with the sample; ``refine`` is a second turn,
    which asks to check the answer. ``max_tokens`` is the default limit of the answer. ``parts`` are the files of the
    texts that it shares with others. ``variable_lists``: it asks for quantifiers with lists of variables
    (``∀x1 x2. …``), which the strict notation lacks. ``example`` is the form of a worked example inside the user turn;
    if it is empty, each example is a turn and its answer. ``signs`` has the lines that explain signs where
    formulas may have them.
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
    signs: ExplainedSigns | None = None

    @property
    def own_files(self) -> set[Path]:
        """Its files that are not shipped."""
        return {file for file in (self.path, *self.parts) if not _is_shipped(file)}

    @property
    def slots(self) -> list[str]:
        """The slots that the sample fills, in the order of the texts."""
        names = [*slots_in(self.user), *slots_in(self.system)]
        # What the template fills itself: its worked examples, and the signs that it explains.
        own = {_SIGNS} if self.signs else set()
        if self.example:
            # Its answer and its number come from the worked examples themselves.
            names += slots_in(self.example)
            own |= {_EXAMPLES, *_OF_EXAMPLE}
        return list(dict.fromkeys(name for name in names if name not in own))

    def render(
        self, slots: Mapping[str, str], *, few_shot: bool, signs: Sequence[str] = ()
    ) -> list[tuple[Role, str]]:
        """The conversation, as turns of role and content.

        ``slots`` are filled in once and literally: a ``$`` in them has no meaning. ``signs`` are those beyond the
        strict notation that formulas may have. Raises :class:`PromptError` for a slot without a value, and for few-shot
        prompting without examples.
        """
        if few_shot and not self.examples:
            raise PromptError(
                f"{self.path}: few-shot prompting needs [[examples]], and the template has none"
            )
        examples = self.examples if few_shot else ()
        explained = {_SIGNS: self.signs.text(signs)} if self.signs else {}
        slots = {**slots, **explained}
        if self.example:  # then the examples are a text inside the user turn, and no turns
            slots = {**slots, _EXAMPLES: self._inside(examples)}
            examples = ()
        turns: list[tuple[Role, str]] = []
        if self.system:
            turns.append(("system", self._fill(self.system, slots)))
        for example in examples:
            turns.append(("user", self._fill(self.user, {**example.slots, **explained})))
            turns.append(("assistant", example.answer))
        turns.append(("user", self._fill(self.user, slots)))
        return turns

    def _inside(self, examples: Sequence[Example]) -> str:
        """The worked examples as a text inside the user turn, set off by empty lines; empty without examples."""
        texts = []
        for number, example in enumerate(examples, 1):
            slots = {**example.slots, "answer": example.answer, "number": str(number)}
            texts.append(self._fill(self.example, slots))
        if not texts:
            return ""
        listed = "\n\n".join(texts)
        return f"\n{listed}\n"

    def _fill(self, text: str, slots: Mapping[str, str]) -> str:
        def value(match: re.Match[str]) -> str:
            if match["dollar"]:
                return "$"
            name = match["name"]
            if name not in slots:
                raise PromptError(
                    f"{self.path}: unknown slot {_slot_text(name)}; {known_slots(slots)}"
                )
            return slots[name]

        # In one pass, so that a slot in the text of a sample is not filled in its turn.
        return _SLOT.sub(value, text)


def slots_in(text: str) -> Iterator[str]:
    """The names between ``${`` and ``}`` in a text, in order, also of malformed slots."""
    return (match["name"] for match in _SLOT.finditer(text) if match["name"] is not None)


@cache  # a run asks for the same few files again at each prompt
def _is_shipped(file: Path) -> bool:
    return any(map(file.is_relative_to, shipped_folders()))


def known_slots(names: Iterable[str]) -> str:
    """The part of an error message that lists the known slots."""
    return f"known are: {', '.join(map(_slot_text, sorted(names)))}"


def _slot_text(name: str) -> str:
    """A slot as it stands in a template: ``${name}``."""
    return f"${{{name}}}"


#: Any other key is refused: a slip of the pen would otherwise have no effect.
_KEYS = ("system", "user", "examples", "example", "refine", "max_tokens", "variable_lists", "signs")
#: The slot of the user turn that the examples fill, and the slots of an example besides those of the task.
_EXAMPLES, _OF_EXAMPLE = "examples", ("answer", "number")
#: The table and the slot of the signs that are explained only where they may occur.
_SIGNS = "signs"
#: The keys with the texts of the prompt, each with its default; the user turn is required.
_TEXTS: dict[str, str | None] = {"system": "", "user": None, "example": ""}
#: A text that several templates share: ``${part:ltl/grammar}`` stands for `parts/ltl/grammar.txt`.
_PART = lazy_pattern(r"\$\{part:(?P<name>[\w/-]+)\}")


@cache
def shipped_folders() -> tuple[Path, ...]:
    """The folders of the shipped prompts: those of the core, then those of the plugins."""
    return (Path(__file__).parent, *folders_of_plugins("prompts"))


def shipped_stems() -> dict[str, set[str]]:
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
    searched = (*folders, *shipped_folders())
    for folder in searched:
        if not folder.is_dir():
            raise PromptError(f"{folder}: there is no such folder of prompts")
        if (folder / name).is_file():
            return read_template(folder / name, slots, searched)
    if folders:
        advice = f"write the file {folders[0] / name}"
    else:
        advice = f"write a file {name} in a folder of prompts of your own"
    shipped = ", ".join(sorted(shipped_stems().get(task, ()))) or "none"
    missing = f"there is no prompt for the task {task!r} and the language {language!r}"
    raise PromptError(f"{missing} (shipped for this task: {shipped}); {advice}")


def languages_with(task: str, interface: str, folders: Sequence[Path] = ()) -> set[str]:
    """The languages for which a task has a prompt of this interface, in ``folders`` or shipped."""
    ending = f".{interface}.toml"
    languages: set[str] = set()
    for folder in (*folders, *shipped_folders()):
        for file in folder.glob(f"{task}/*{ending}"):
            languages.add(file.name.removesuffix(ending))
    return languages


#: The arguments of :func:`load`, by which a template is kept.
_Key = tuple[str, str, tuple[Path, ...], str, tuple[str, ...]]


class Templates:
    """The templates of a run. Each is read once, whichever thread asks first; the others wait."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: dict[_Key, PromptTemplate] = {}
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


def read_template(
    path: Path, slots: Sequence[str], folders: Sequence[Path], offered: Collection[str] = ()
) -> PromptTemplate:
    """The template of a file; ``folders`` are searched for shared parts. Raises :class:`PromptError`.

    ``slots`` are as in :func:`load`. Where only the names are known that a task has, and not which of them has the
    sample, they are ``offered`` instead: then the user turn must have one of them.
    """
    source = _source(path)
    # Noted, so that a folder of the user counts as used if only a part is taken from it.
    part_files: list[Path] = []
    data = _parsed(source, path)
    # Before the slots are checked, since a shared part may have slots.
    for key, value in data.items():
        if isinstance(value, str):
            data[key] = _filled(value, path, folders, part_files)
    _check_keys(data, path)
    system, user, example = (
        _text(data, key, path, default=default) for key, default in _TEXTS.items()
    )
    if example and _EXAMPLES not in slots_in(user):
        slot = _slot_text(_EXAMPLES)
        raise PromptError(
            f"{path}: example is for a user turn with the slot {slot}, and there is none"
        )
    signs = _signs(
        data, path, f"{system}\n{user}", lambda text: _filled(text, path, folders, part_files)
    )
    names = (*slots, *offered)
    if names:
        names_in_turns = (*names, _EXAMPLES) if example else names
        if signs:
            names_in_turns += (_SIGNS,)
        files = (path, *part_files)
        _check_slots(f"{system}\n{user}", names_in_turns, files)
        _check_slots(example, (*names, *_OF_EXAMPLE), files)
        _check_user_turn(user, slots, names, path)
    refine = _text(data, "refine", path, default="${part:refine}")
    refine = _filled(refine, path, folders, part_files)
    limit = data.get("max_tokens")
    # By type: True is an integer, too.
    if limit is not None and (type(limit) is not int or limit < 1):
        raise PromptError(f"{path}: max_tokens must be an integer ≥ 1")
    lists = data.get("variable_lists", False)
    if not isinstance(lists, bool):
        raise PromptError(f"{path}: variable_lists must be true or false")
    # Worked examples fill the text in which they are written: their own form, or the user turn.
    if example:
        filled_text = "example"
        filled_slots = [name for name in slots_in(example) if name not in _OF_EXAMPLE]
    else:
        filled_text = "user turn"
        filled_slots = [name for name in slots_in(user) if name != _SIGNS or not signs]
    examples = _examples(data, tuple(dict.fromkeys(filled_slots)), path, filled_text)
    return PromptTemplate(
        path, system, user, examples, refine, limit, tuple(part_files), lists, example, signs
    )


def _check_user_turn(user: str, slots: Sequence[str], names: Collection[str], path: Path) -> None:
    """Raises :class:`PromptError` if the turn lacks the first of the sample's slots, or all names that a task has."""
    if slots and slots[0] not in slots_in(user):
        slot = _slot_text(slots[0])
        raise PromptError(f"{path}: the user turn lacks the slot {slot}, which carries the sample")
    if not {*names}.intersection(slots_in(user)):
        raise PromptError(f"{path}: the user turn has no slot; {known_slots(names)}")


def _signs(
    data: Mapping[str, Any], path: Path, turns: str, fill: Callable[[str], str]
) -> ExplainedSigns | None:
    """The table of signs, which needs its slot in the turns; ``fill`` puts shared parts into its texts."""
    table = data.get(_SIGNS)
    if table is None:
        return None
    if not isinstance(table, dict) or set(table) != set(KEYS_OF_SIGNS):
        raise PromptError(f"{path}: signs must be a table [signs] with {', '.join(KEYS_OF_SIGNS)}")
    if _SIGNS not in slots_in(turns):
        slot = _slot_text(_SIGNS)
        raise PromptError(f"{path}: [signs] is for the slot {slot}, and there is none")
    for key in KEYS_OF_SIGNS:
        _text(table, key, path, where="signs: ")
    # As they are written: the slot may stand inside a line, and its text may begin with a new one.
    return ExplainedSigns.of(*(fill(table[key]) for key in KEYS_OF_SIGNS))


def _check_keys(data: Mapping[str, Any], path: Path) -> None:
    """Raises :class:`PromptError` for a key that templates do not have, or no longer have."""
    for key in data:
        if key in _KEYS:
            continue
        removed = removed_prompt_key(key)
        if removed:
            raise PromptError(f"{path}: {removed}")
        raise PromptError(f"{path}: {unknown_name('key', key, _KEYS)}")


def _check_slots(text: str, names: Sequence[str], files: Sequence[Path]) -> None:
    """Raises :class:`PromptError` if a text has a slot that is not among the ``names``.

    ``files`` are the template's and those of its parts, one of which has the slot.
    """
    for name in slots_in(text):
        if name not in names:
            slot = _slot_text(name)
            place = _place_of(slot, files)
            hint = did_you_mean(slot, map(_slot_text, names))
            raise PromptError(f"{place}: unknown slot {slot}; {known_slots(names)}.{hint}")


def _place_of(slot: str, files: Sequence[Path]) -> str:
    """The file and line of a slot, not of a comment that mentions it."""
    for file in files:
        for number, line in enumerate(_source(file).splitlines(), 1):
            if slot in line and not line.lstrip().startswith("#"):
                return f"{file}:{number}"
    return str(files[0])


def _filled(text: str, path: Path, folders: Sequence[Path], part_files: list[Path]) -> str:
    """The text with its parts, whose files are added to ``part_files``."""

    def text_of_part(match: re.Match[str]) -> str:
        name = Path("parts", f"{match['name']}.txt")
        for folder in folders:
            file = folder / name
            if os.path.isfile(file):  # noqa: PTH113 (False, not an error, for a name that is too long for a file)
                part_files.append(file)
                # The line break at the end of a file is no part of its text, which may stand inside a line.
                return _source(file).rstrip().lstrip("\n")
        raise PromptError(f"{path}: {match[0]}: there is no file {name} in any folder of prompts")

    return _PART.sub(text_of_part, text)


def _source(path: Path) -> str:
    try:
        # Some editors begin a file with a byte order mark.
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
        problem = str(error)
        location = str(path)
        # The line and the column stand behind the path, where editors and terminals make a link of them.
        match = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", problem, re.DOTALL)
        if match is not None:
            problem, line, column = match.groups()
            location = f"{path}:{line}:{column}"
        raise PromptError(f"{location}: not TOML: {problem}") from None


def _text(
    table: Mapping[str, Any], key: str, path: Path, *, where: str = "", default: str | None = None
) -> str:
    value = table.get(key, default)
    if not isinstance(value, str):
        missing = ", and is missing" if value is None else ""
        raise PromptError(f"{path}: {where}{key} must be a text{missing}")
    return value.strip()


def _examples(
    data: Mapping[str, Any], slots: Sequence[str], path: Path, text: str
) -> tuple[Example, ...]:
    """The worked examples, which fill these slots of a text of the template."""
    tables = data.get("examples", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise PromptError(f"{path}: examples must be tables, each under a line [[examples]]")
    examples: list[Example] = []
    for number, table in enumerate(tables, 1):
        where = f"example {number}: "
        for key in table:
            if key not in (*slots, "answer"):
                problem = f"fills {key!r}, which is not a slot of the {text}; {known_slots(slots)}"
                raise PromptError(f"{path}: {where}{problem}")
        values = {name: _text(table, name, path, where=where) for name in slots}
        examples.append(Example(values, _text(table, "answer", path, where=where)))
    return tuple(examples)
