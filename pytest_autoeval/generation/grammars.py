"""Grammars by name: shipped ones, ones added by the run, and any ``.lark`` file by its path."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from msgspec import Struct

from pytest_autoeval.by_name import added, names, shipped_folder
from pytest_autoeval.errors import near_names, unknown_name
from pytest_autoeval.generation.drawing_errors import GrammarError, UnknownGrammarError
from pytest_autoeval.generation.grammar_file import ContextFreeGrammar, read_grammar
from pytest_autoeval.generation.template_sizes import SizedGrammar, measure_grammar
from pytest_autoeval.generation.vocabularies import Names
from pytest_autoeval.languages import Language, Vocabulary
from pytest_autoeval.languages import language as language_named


class Grammar(Struct, frozen=True):
    """A grammar file with its name, and with language and vocabulary if the file was added with them."""

    name: str
    path: Path
    language: str | None = None
    vocabulary: Vocabulary | Names | None = None


def grammar_names() -> tuple[str, ...]:
    """The names of the shipped grammars, then of those added by the run."""
    return names("grammar", _shipped())


def find_grammar(grammar: str | Path) -> Grammar:
    """The grammar of a name, or of a path (with a slash or ``.lark``); raises :class:`UnknownGrammarError`."""
    text = str(grammar)
    if text in added("grammar"):
        own: Grammar = added("grammar")[text]
        return own
    if isinstance(grammar, Path) or text.endswith(".lark") or "/" in text or "\\" in text:
        path = Path(grammar)
        if not path.is_file():
            folders = {path.parent: _folder_name(path.parent)}
            raise UnknownGrammarError(no_grammar_file(path.name, folders))
        return Grammar(path.stem, path)
    shipped = _shipped().get(text)
    if shipped is None:
        raise UnknownGrammarError(
            unknown_name("grammar", text, grammar_names(), instead=", or give a .lark file")
        )
    return shipped


def no_grammar_file(name: str, folders: Mapping[Path, str]) -> str:
    """The message about a grammar file that is in none of these folders, which have names for the message."""
    stems: list[str] = []
    for folder in folders:
        stems += [path.stem for path in sorted(folder.glob("*.lark"))]
    similar = near_names(Path(name).stem, stems)
    hint = "".join(f" Did you mean '{stem}.lark'?" for stem in similar)
    folder_names = " or ".join(folders.values())
    return f"there is no grammar file {name} in {folder_names}.{hint}"


def _folder_name(folder: Path) -> str:
    return "the current folder" if folder == Path() else f"{folder.as_posix().rstrip('/')}/"


@cache
def _shipped() -> dict[str, Grammar]:
    paths = sorted(shipped_folder("grammars").glob("*.lark"))
    return {path.stem: Grammar(path.stem, path) for path in paths}


def load_grammar(grammar: Grammar, language: str | None = None) -> tuple[SizedGrammar, Language]:
    """The grammar, ready for counting, and its language: given, added with it, or named in the file."""
    # A file that changed while the process runs is read again.
    changed = grammar.path.stat().st_mtime_ns if grammar.path.is_file() else 0
    parsed = _read(grammar.path, changed)
    name = language or grammar.language or parsed.source.language
    if name is None:
        hint = (
            "begin the file with a comment such as `// language: propositional`, or give language=…"
        )
        hint += " (`generate`: --language)"
        raise GrammarError(f"the grammar does not name its language; {hint}", str(grammar.path))
    grammar_language = language_named(name)
    return _measured(parsed, grammar_language), grammar_language


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> ContextFreeGrammar:
    return read_grammar(path, shipped=path in {grammar.path for grammar in _shipped().values()})


_measured = lru_cache(maxsize=64)(measure_grammar)
