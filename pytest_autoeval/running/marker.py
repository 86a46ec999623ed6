"""The marker of a pass-rate test, `@autoeval(...)` or `@pytest.mark.autoeval(...)`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial, wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, cast

import pytest
from msgspec import structs

from pytest_autoeval.by_name import added
from pytest_autoeval.engine.suite import (
    SENTENCE_FILES,
    TWO_MARKERS,
    MarkerError,
    PassRateTest,
    read_test,
)
from pytest_autoeval.errors import unknown_name
from pytest_autoeval.removed import removed_keyword

if TYPE_CHECKING:
    from pytest_autoeval.generation.vocabularies import Names
    from pytest_autoeval.languages import Vocabulary


_ONE_SOURCE = (
    "give one grammar or data set: "
    '@pytest.mark.autoeval("propositional", operators=range(0, 13), samples=50)'
)
_ONE_FILE = 'give one file of sentences: @autoeval.sentences("requirements.md", language="ltl")'
_P = ParamSpec("_P")
_Q = ParamSpec("_Q")


def _with_checked_arguments(
    marker: Callable[_P, pytest.MarkDecorator], needs_one: str
) -> Callable[_P, pytest.MarkDecorator]:
    """The marker; it raises `MarkerError` with the nearest name for a keyword that it does not have.

    ``needs_one`` is the message for any number of arguments without a keyword but one.
    """
    keyword_names = tuple(
        name
        for name, parameter in signature(marker).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    )

    @wraps(marker)
    def checked(*args: _P.args, **keywords: _P.kwargs) -> pytest.MarkDecorator:
        __tracebackhide__ = True
        if unknown := [keyword for keyword in keywords if keyword not in keyword_names]:
            raise MarkerError(
                removed_keyword(unknown[0])
                or unknown_name("marker keyword", unknown[0], keyword_names)
            )
        if len(args) != 1:
            raise MarkerError(needs_one)
        return marker(*args, **keywords)

    return checked


@partial(_with_checked_arguments, needs_one=_ONE_FILE)
def sentences(  # noqa: PLR0913 - each is one thing to say of a suite
    file: str,
    /,
    *,
    language: str | None = None,
    vocabulary: Mapping[str, str] | str | Path | None = None,
    task: str = "sentence_round_trip",
    operators: int | Iterable[int] | str | None = None,
    samples: int | None = None,
    threshold: float | str | None = None,
    agreement: float | str | None = None,
    collisions: int | None = None,
    copies: Literal["fail", "count"] | None = None,
    columns: Mapping[str, str] | None = None,
) -> pytest.MarkDecorator:
    """Marks a test of sentences without formulas, such as requirements: it runs once for each of them.

    ``@autoeval.sentences("requirements.md", language="ltl")`` is ``@autoeval("requirements.md", language="ltl",
    task="sentence_round_trip")``. The test takes the fixture ``perform``.

    Args:
        file: the path of a ``.md``, ``.txt``, ``.csv``, ``.tsv``, ``.jsonl`` or ``.json`` file, from the folder of
            the test or from pytest's root folder; or the name of a data set of sentences, such as
            ``"sentences_ltl"``, for files of ``--autoeval-dataset``.
        language: the language of the formulas that the model writes: ``"ltl"`` (with past), ``"propositional"`` or
            ``"first_order"``. A file needs it.
        vocabulary: the names in the formulas, each with its phrase: ``{"door_open": "the door is open"}``, for
            predicates ``{"Larger(x, y)": "x is larger than y"}``; or the path of a ``.toml`` file with them.
            Default: the ``.toml`` file beside the file, or else the model lists the names.
        task: the task that the fixture ``perform`` runs.
        operators: the sizes of the sentences, in words. Default: all.
        samples: the number of sentences of each size. Default: all.
        threshold: as for the marker.
        agreement: as for the marker.
        collisions: as for the marker.
        copies: as for the marker.
        columns: as for the marker.
    """
    # Only what was given: `read_test` has the defaults, also for `@pytest.mark.autoeval`.
    keywords = {
        name: value for name, value in locals().items() if name != "file" and value is not None
    }
    return pytest.mark.autoeval(file, **keywords)


class _Marker(Protocol[_P, _Q]):
    """The marker: a function with another one, for files of sentences, as its attribute."""

    def __call__(self, *args: _P.args, **keywords: _P.kwargs) -> pytest.MarkDecorator: ...

    @property
    def sentences(self) -> Callable[_Q, pytest.MarkDecorator]: ...


def _with_sentences(
    sentences_marker: Callable[_Q, pytest.MarkDecorator],
) -> Callable[[Callable[_P, pytest.MarkDecorator]], _Marker[_P, _Q]]:
    def completed(marker: Callable[_P, pytest.MarkDecorator]) -> _Marker[_P, _Q]:
        named = _with_checked_arguments(marker, _ONE_SOURCE)
        named.sentences = sentences_marker  # type: ignore[attr-defined]
        return cast("_Marker[_P, _Q]", named)

    return completed


@_with_sentences(sentences)
def autoeval(  # noqa: PLR0913 - each is one thing to say of a suite
    source: str,
    /,
    *,
    task: str | None = None,
    operators: int | Iterable[int] | str | None = None,
    depth: int | Iterable[int] | str | None = None,
    samples: int | None = None,
    threshold: float | str | None = None,
    agreement: float | str | None = None,
    collisions: int | None = None,
    vocabulary: Vocabulary | Names | None = None,
    language: str | None = None,
    quantifiers: int | tuple[int, int] | None = None,
    variable_probability: float | None = None,
    vacuous_quantifiers: bool | None = None,
    measures: Mapping[str, int | tuple[float | None, float | None] | range] | None = None,
    copies: Literal["fail", "count"] | None = None,
    trivial: bool | None = None,
    exclude: str | Collection[str] | None = None,
    verified: bool | None = None,
    columns: Mapping[str, str] | None = None,
) -> pytest.MarkDecorator:
    """Marks a test as a pass-rate test: its body runs once per sample, and its pass rate is judged.

    ``@autoeval("propositional", threshold=0.9)`` is ``@pytest.mark.autoeval("propositional", threshold=0.9)`` with
    types that an editor and a type checker understand. The test takes the fixture ``sample``.

    Args:
        source: the name of a grammar or a data set, or the path of a ``.lark`` file, of a file of sentences or of a
            table of formulas, alone or beside sentences (from the folder of the test, or from pytest's root folder).
        task: the task that the fixture ``perform`` runs. Without it the body itself asks the model.
        operators: the formula sizes: an integer ≥ 0, a range, a list, or a text such as ``"0:13"``. Default: 0 to 8.
        depth: the sizes of regular expressions, whose size is their depth; written as ``operators``.
        samples: the number of samples of each size, an integer ≥ 1. Default: 10, or all that a data set has.
        threshold: the pass rate that the suite must reach, from 0 to 1, or a text such as ``"90%"``. Without it the
            suite fails only by errors or by a fall against a baseline.
        agreement: for sentences: the share of answers that must be in the largest class of equal meaning of their
            sentence, from 0 to 1, or a text such as ``"90%"``. It needs repeats or paraphrases.
        collisions: for sentences: how many pairs of rules may collide: their conditions can occur, but never together,
            and no rule alone forbids it. A rule whose condition can never occur counts as one, too. ``0`` allows none.
            A suite with a row that cannot be read, or that is not asked, does not pass.
        vocabulary: the names in the formulas of a grammar or of a generated data set. One of: the name of a ready-made
            vocabulary (``"default"``, ``"english"``); a list of names, if the grammar has names of one kind; a dict
            such as ``{"predicates": {"Holds": 2}, "constants": ["a", "b"]}``, or with sorts,
            ``{"predicates": {"Owns": ["person", "dog"]}, "constants": {"bob": "person", "rex": "dog"}}``; the path of a
            ``.toml`` or ``.json`` file with these keys; a ``Vocabulary``.
        language: the language of the grammar or of the formulas, if the file does not name it.
        quantifiers: the number of quantifiers in a formula, or the smallest and the largest. Default: 0 to 4.
        variable_probability: how likely an argument is a bound variable, from 0 to 1. Default: 0.25.
        vacuous_quantifiers: whether a quantifier may bind a variable that does not occur. Default: no.
        measures: the bounds of measures by name. Only formulas within them are asked about, drawn or given:
            ``{"depth": (2, 5), "distinct_atoms": 3}``. Bounds are a number, the smallest and the largest (None for no
            bound), or a range.
        copies: how to judge a description that copies the formula: a failure (``"fail"``, the default), or ``"count"``:
            marked as ``leaked``, and judged like any other.
        trivial: whether to draw formulas that are always true or always false, and regular expressions that match
            nothing or everything. Default: no in a round trip, yes with ``task=``.
        exclude: the kinds of trivial formulas to leave out, if not all: ``tautology``, ``contradiction`` (logic),
            ``empty``, ``universal`` (regular expressions).
        verified: False for a suite that verifies nothing, and only collects answers. Otherwise a sample that was not
            verified is an error, unless the body has an ``assert`` of its own. Default: yes.
        columns: for a table whose path is the source: the names that columns have in it, such as
            ``{"sentence": "NL", "formula": "FOL"}``.
    """
    # Only what was given: `read_test` has the defaults, also for `@pytest.mark.autoeval`.
    keywords = {
        name: value for name, value in locals().items() if name != "source" and value is not None
    }
    return pytest.mark.autoeval(source, **keywords)


def marker_of(node: Any) -> PassRateTest | None:
    """The marker nearest to a test, or None. Raises `MarkerError`.

    The file of a grammar, of sentences or of a vocabulary is searched beside the test, then in the root folder.
    """
    mark = node.get_closest_marker("autoeval")
    if mark is None:
        return None
    # A marker of the test replaces that of its class or module. Two of the test itself contradict each other.
    if [own.name for own in node.own_markers].count("autoeval") > 1:
        raise MarkerError(TWO_MARKERS)
    if len(mark.args) != 1 or not isinstance(mark.args[0], str):
        raise MarkerError(_ONE_SOURCE)
    marker = read_test(mark.args[0], mark.kwargs)

    def found(file: Any) -> Any:
        if not isinstance(file, str | Path) or not str(file).lower().endswith(
            (".lark", ".toml", *SENTENCE_FILES)
        ):
            return file
        candidates = [folder / file for folder in (node.path.parent, node.config.rootpath)]
        # The last one is for a path from the current folder.
        existing = next(
            (candidate for candidate in (*candidates, Path(file)) if candidate.is_file()), None
        )
        if existing is None and str(file).endswith(".lark") and str(file) not in added("grammar"):
            raise MarkerError(_no_grammar_file(candidates, node.config.rootpath))
        return str(existing or file)

    return structs.replace(marker, source=found(marker.source), vocabulary=found(marker.vocabulary))


def _no_grammar_file(candidates: list[Path], root: Path) -> str:
    from pytest_autoeval.generation.grammars import no_grammar_file

    folders = {candidate.parent: f"{candidate.parent.as_posix()}/" for candidate in candidates}
    inside = {
        folder: f"{folder.relative_to(root).as_posix()}/"
        for folder in folders
        if folder.is_relative_to(root)
    }
    return no_grammar_file(
        candidates[0].name,
        {**folders, **inside, **({root: "the root folder"} if root in folders else {})},
    )
