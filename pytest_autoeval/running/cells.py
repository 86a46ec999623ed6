"""A pass-rate test becomes one item per model, variant and size; other tests that ask a model one item per model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.options import OPTIONS, UNPUT, UNSUITED, WORDLESS, paths, typed, value
from pytest_autoeval.running.spec import MarkerError, Spec, spec_of
from pytest_autoeval.running.variants import Variant, interfaces_of, variants_of

#: The name under which an item carries its cell.
CELL = "autoeval_cell"
#: The fixtures that ask a model.
ASKING = frozenset({"llm", "round_trip", "perform"})

_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Cell:
    """One item's share of a suite: a model, a way to ask it, and what it is asked about.

    That is the formulas of some ``sizes``, of all of the suite if ``whole``; or one ``formula`` as it was typed, the
    ``index``-th of those; or the counterexamples that were ``kept``.
    """

    model: str
    sizes: tuple[int, ...] = ()
    whole: bool = False
    kept: bool = False
    formula: str | None = None
    index: int = 0
    variant: Variant = field(default_factory=Variant)

    @property
    def label(self) -> str:
        """The cell in the item's id."""
        whose = f"{self.model}-{self.variant.label}" if self.variant.label else self.model
        return "-".join((whose, *self._share))

    @property
    def _share(self) -> tuple[str, ...]:
        if self.formula is not None:
            return (f"formula={self.index}",)
        if self.kept:
            return ("ops=kept",)
        return ("ops=all",) if self.whole else tuple(f"ops={size}" for size in self.sizes)


def cell_of(item: pytest.Item) -> Cell | None:
    """The cell of an item, or None where it asks no model."""
    callspec = getattr(item, "callspec", None)
    cell = callspec.params.get(CELL) if callspec is not None else None
    return cell if isinstance(cell, Cell) else None


def parametrize(metafunc: pytest.Metafunc) -> None:
    """Gives a test its cells. Mistakes in the marker are collection errors with the test's name."""
    try:
        spec = spec_of(metafunc.definition)
        if spec is not None:
            _check(metafunc, spec)
        elif not ASKING.intersection(metafunc.fixturenames):
            return
        models = list(dict.fromkeys(value(metafunc.config, _BY_NAME["model"])))
        able = [model for model in models if _is_able(model, None if spec is None else spec.task)]
        cells: list[Any] = [] if len(able) == len(models) else [_none(_wordless(models, able))]
        if able and spec is not None:
            cells += _cells(able, spec, metafunc)
        else:
            cells += [Cell(model, variant=way) for model in able for way in variants_of(None, metafunc.config)]
    except AutoevalError as problem:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {problem}") from None
    metafunc.fixturenames.append(CELL)
    metafunc.parametrize(CELL, cells, ids=[cell.label if isinstance(cell, Cell) else None for cell in cells])


def _is_able(model: str, task: str | None) -> bool:
    """Whether a model can be asked at all: one that only embeds texts can be for tasks of likeness alone."""
    from pytest_autoeval.models.embedding import is_embedder

    if not is_embedder(model):
        return True
    from pytest_autoeval.tasks import task as task_named

    return task is not None and task_named(task).embeds


def _wordless(models: list[str], able: list[str]) -> str:
    wordless = [model for model in models if model not in able]
    return f"{WORDLESS}, and {', '.join(wordless)} only embed{'s' if len(wordless) == 1 else ''} texts"


def _cells(models: list[str], spec: Spec, metafunc: pytest.Metafunc) -> list[Any]:
    """The cells of a pass-rate test, or one that is skipped and says why there are none.

    A model that only embeds texts reads no prompt: it is asked in one way.
    """
    from pytest_autoeval.models.embedding import is_embedder
    from pytest_autoeval.running.sources import NothingSuitsError

    variants = variants_of(spec.task, metafunc.config)
    if not variants:
        known = ", ".join(interfaces_of(spec.task))
        return [_none(f"{UNPUT} {spec.task} has no such interface; it has {known}")]
    try:
        shares = _shares(spec, metafunc)
    except NothingSuitsError as problem:
        return [_none(str(problem))]
    return [
        Cell(model, variant=variant, **share)
        for model in models
        for variant in ([Variant()] if is_embedder(model) else variants)
        for share in shares
    ]


def _shares(spec: Spec, metafunc: pytest.Metafunc) -> list[dict[str, Any]]:
    """What each of a suite's items is about; raises :class:`NothingSuitsError` where there is nothing."""
    from pytest_autoeval.datasets import takes_files
    from pytest_autoeval.running.sources import NothingSuitsError

    config = metafunc.config
    sizes = chosen_sizes(spec, config)
    if formulas := value(config, _BY_NAME["formula"]):
        return [{"formula": text, "index": index} for index, text in enumerate(formulas)]
    if not sizes:
        own = takes_files(spec.source) and paths(config, "dataset")
        raise NothingSuitsError(f"{UNSUITED if own else 'nothing'} of these sizes is in the data set {spec.source}")
    if value(config, _BY_NAME["stop-early"]) and threshold_of(spec, config) is not None:
        shares: list[dict[str, Any]] = [{"sizes": sizes, "whole": True}]
    else:
        shares = [{"sizes": (size,)} for size in sizes]
    return [*shares, {"kept": True}] if _has_kept(metafunc.definition, config) else shares


def threshold_of(spec: Spec, config: pytest.Config) -> float | None:
    """The rate that a suite's gate asks for, as marked, else as the option says; None where nobody does.

    A typed formula is asked to see whether it passes, so that it must.
    """
    if spec.threshold is not None:
        return spec.threshold
    asked: float | None = value(config, _BY_NAME["threshold"])
    return 1.0 if asked is None and value(config, _BY_NAME["formula"]) else asked


def _has_kept(test: pytest.Item, config: pytest.Config) -> bool:
    """Whether counterexamples of a test function were kept."""
    if not paths(config, "keep-counterexamples"):
        return False
    from pytest_autoeval.running.kept import kept_by
    from pytest_autoeval.running.suite_names import test_of

    name = test_of(test)
    return any(kept.suite.partition("[")[0] == name for kept in kept_by(config).counterexamples)


def _none(reason: str) -> Any:
    return pytest.param(None, id="nothing", marks=pytest.mark.skip(reason=reason))


def chosen_sizes(spec: Spec, config: pytest.Config) -> tuple[int, ...]:
    """The sizes of a suite: as typed, else as marked, else as the ini file has them, else all or the usual ones.

    The marker speaks of the items that it names, not of the user's own data.
    """
    from pytest_autoeval.running.sources import source_of

    option = _BY_NAME["operators"]
    source = source_of(spec, tuple(paths(config, "dataset")))
    marked = None if source.own else spec.sizes
    return source.sizes(typed(config, option.key) or marked or value(config, option))


def _check(metafunc: pytest.Metafunc, spec: Spec) -> None:
    if hasattr(metafunc.function, "hypothesis"):
        raise MarkerError(
            "a test is judged by its pass rate (@pytest.mark.autoeval) or is a property (@given), not both"
        )
    if "sample" not in metafunc.fixturenames:
        raise MarkerError("a pass-rate test takes the argument 'sample'")
    if "perform" in metafunc.fixturenames and spec.task is None:
        raise MarkerError("the fixture 'perform' carries out the task that the marker names: give it task=…")
    interfaces_of(spec.task)
    from pytest_autoeval.running.sources import GrammarSource, NothingSuitsError, source_of

    try:
        source = source_of(spec, tuple(paths(metafunc.config, "dataset")))
        if isinstance(source, GrammarSource):
            source.check()
    except NothingSuitsError:
        return  # the test is skipped, and says so
    except (TypeError, ValueError) as problem:
        given = ", ".join(f"{name}={chosen!r}" for name, chosen in spec.drawing)
        raise MarkerError(f"the marker's {given} cannot be used: {problem}") from None
