"""Grammars by name: the shipped ones, those that a repository registers, and any ``.lark`` file by its path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pytest_autoeval.errors import did_you_mean
from pytest_autoeval.generation.errors import GrammarError, UnknownGrammarError
from pytest_autoeval.generation.grammar_file import ContextFreeGrammar, read_grammar
from pytest_autoeval.generation.sizes import SizedGrammar, measure_grammar
from pytest_autoeval.languages import Language, Vocabulary
from pytest_autoeval.languages import language as language_named

_PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Grammar:
    """A grammar file with its name; language and vocabulary where they were given at registration."""

    name: str
    path: Path
    language: str | None = None
    vocabulary: Vocabulary | str | None = None


_REGISTERED: dict[str, Grammar] = {}


def register_grammar(
    name: str, path: str | Path, language: str | None = None, vocabulary: Vocabulary | str | None = None
) -> None:
    """Makes a ``.lark`` file known by a name, or replaces the one of that name.

    ``language`` may stay away where the file has a comment ``// language: NAME``; ``vocabulary`` is what its slots are
    filled from where a test names none.
    """
    _REGISTERED[name] = Grammar(name, Path(path), language, vocabulary)


def grammar_names() -> tuple[str, ...]:
    """The names of the shipped and the registered grammars."""
    return tuple(dict.fromkeys((*sorted(path.stem for path in shipped_folder().glob("*.lark")), *_REGISTERED)))


def shipped_folder() -> Path:
    """Where the shipped grammars are: beside the package in a checkout, inside it when installed from a wheel."""
    inside = _PACKAGE / "grammars"
    return inside if inside.is_dir() else _PACKAGE.parent / "grammars"


def find_grammar(grammar: str | Path) -> Grammar:
    """The grammar of a name or of a path (something with a slash or ending in ``.lark``).

    Raises :class:`UnknownGrammarError`.
    """
    text = str(grammar)
    if text in _REGISTERED:
        return _REGISTERED[text]
    if isinstance(grammar, Path) or text.endswith(".lark") or "/" in text or "\\" in text:
        path = Path(grammar)
        if not path.is_file():
            raise UnknownGrammarError(f"there is no grammar file {text}")
        return Grammar(path.stem, path)
    shipped = shipped_folder() / f"{text}.lark"
    if text not in grammar_names() or not shipped.is_file():
        hint = did_you_mean(text, grammar_names())
        known = ", ".join(grammar_names())
        raise UnknownGrammarError(f"there is no grammar {text!r}; known are: {known}, or give a .lark file.{hint}")
    return Grammar(text, shipped)


def load_grammar(grammar: Grammar, language: str | None = None) -> tuple[SizedGrammar, Language]:
    """The grammar ready to be counted, and its language: the one given, registered, or named in the file.

    Raises :class:`GrammarError`.
    """
    try:
        changed = grammar.path.stat().st_mtime_ns
    except OSError as problem:
        raise GrammarError(f"the grammar cannot be read: {problem}", str(grammar.path)) from None
    parsed = _read(grammar.path, changed)
    name = language or grammar.language or parsed.source.language
    if name is None:
        hint = "name it where you use the grammar, or begin the file with a comment `// language: propositional`"
        raise GrammarError(f"the language of this grammar is not said; {hint}", str(grammar.path))
    known = language_named(name)
    return _measured(parsed, known), known


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int) -> ContextFreeGrammar:
    return read_grammar(path)


@lru_cache(maxsize=64)
def _measured(grammar: ContextFreeGrammar, language: Language) -> SizedGrammar:
    return measure_grammar(grammar, language)
