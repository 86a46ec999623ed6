"""A pass-rate test becomes one item per model, variant and size; other tests that ask a model one item per model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.options import OPTIONS, UNPUT, UNSUITED, paths, typed, value
from pytest_autoeval.running.spec import MarkerError, Spec, spec_of
from pytest_autoeval.running.variants import Variant, interfaces_of, variants_of

#: The name under which an item carries its cell.
CELL = "autoeval_cell"
#: The fixtures that ask a model.
ASKING = frozenset({"llm", "round_trip", "perform"})

_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Cell:
    """One item's share of a suite: a model, a way to ask it, and a size to draw, or one formula as it was typed."""

    model: str
    size: int | None = None
    formula: str | None = None
    index: int = 0
    variant: Variant = field(default_factory=Variant)

    @property
    def label(self) -> str:
        """The cell in the item's id."""
        whose = f"{self.model}-{self.variant.label}" if self.variant.label else self.model
        if self.formula is not None:
            return f"{whose}-formula={self.index}"
        return whose if self.size is None else f"{whose}-ops={self.size}"


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
        if spec is None:
            cells: list[Any] = [
                Cell(model, variant=way) for model in models for way in variants_of(None, metafunc.config)
            ]
        else:
            cells = _cells(models, spec, metafunc.config)
    except AutoevalError as problem:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {problem}") from None
    metafunc.fixturenames.append(CELL)
    metafunc.parametrize(CELL, cells, ids=None if not isinstance(cells[0], Cell) else [cell.label for cell in cells])


def _cells(models: list[str], spec: Spec, config: pytest.Config) -> list[Any]:
    """The cells of a pass-rate test, or one that is skipped and says why there are none."""
    from pytest_autoeval.datasets import takes_files
    from pytest_autoeval.running.sources import NothingSuitsError

    variants = variants_of(spec.task, config)
    if not variants:
        known = ", ".join(interfaces_of(spec.task))
        return [_none(f"{UNPUT} {spec.task} has no such interface; it has {known}")]
    try:
        sizes = chosen_sizes(spec, config)
    except NothingSuitsError as problem:
        return [_none(str(problem))]
    shares: list[dict[str, Any]] = [{"size": size} for size in sizes]
    if formulas := value(config, _BY_NAME["formula"]):
        shares = [{"formula": text, "index": index} for index, text in enumerate(formulas)]
    if not shares:
        own = takes_files(spec.source) and paths(config, "dataset")
        return [_none(f"{UNSUITED if own else 'nothing'} of these sizes is in the data set {spec.source}")]
    return [Cell(model, variant=variant, **share) for model in models for variant in variants for share in shares]


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
