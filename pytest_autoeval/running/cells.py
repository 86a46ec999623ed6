"""A pass-rate test becomes one item per model and size; other tests that ask a model become one item per model."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.running.options import OPTIONS, typed, value
from pytest_autoeval.running.spec import DEFAULT_SIZES, MarkerError, Spec, spec_of

#: The name under which an item carries its cell.
CELL = "autoeval_cell"
#: The fixtures that ask a model.
ASKING = frozenset({"llm", "round_trip"})

_BY_NAME = {option.name: option for option in OPTIONS}


@dataclass(frozen=True, slots=True)
class Cell:
    """One item's share of a suite: a model, and a size to draw, or one formula as it was typed."""

    model: str
    size: int | None = None
    formula: str | None = None
    index: int = 0

    @property
    def label(self) -> str:
        """The cell in the item's id."""
        if self.formula is not None:
            return f"{self.model}-formula={self.index}"
        return self.model if self.size is None else f"{self.model}-ops={self.size}"


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
    except AutoevalError as problem:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {problem}") from None
    if spec is None and not ASKING.intersection(metafunc.fixturenames):
        return
    models = list(dict.fromkeys(value(metafunc.config, _BY_NAME["model"])))
    cells = [cell for model in models for cell in _cells(model, spec, metafunc.config)]
    metafunc.fixturenames.append(CELL)
    metafunc.parametrize(CELL, cells, ids=[cell.label for cell in cells])


def _cells(model: str, spec: Spec | None, config: pytest.Config) -> list[Cell]:
    if spec is None:
        return [Cell(model)]
    if formulas := value(config, _BY_NAME["formula"]):
        return [Cell(model, formula=text, index=index) for index, text in enumerate(formulas)]
    return [Cell(model, size) for size in chosen_sizes(spec, config)]


def chosen_sizes(spec: Spec, config: pytest.Config) -> tuple[int, ...]:
    """The sizes of a suite: as typed, else as marked, else as the ini file has them."""
    option = _BY_NAME["operators"]
    chosen = typed(config, option.key) or spec.sizes or value(config, option) or DEFAULT_SIZES
    return tuple(dict.fromkeys(chosen))


def _check(metafunc: pytest.Metafunc, spec: Spec) -> None:
    if hasattr(metafunc.function, "hypothesis"):
        raise MarkerError(
            "a test is judged by its pass rate (@pytest.mark.autoeval) or is a property (@given), not both"
        )
    if "sample" not in metafunc.fixturenames:
        raise MarkerError("a pass-rate test takes the argument 'sample'")
    from pytest_autoeval.generation.drawing import DrawingOptions, formula_space

    try:
        formula_space(spec.grammar, spec.vocabulary, spec.language, DrawingOptions(**dict(spec.drawing)))
    except (TypeError, ValueError) as problem:
        given = ", ".join(f"{name}={chosen!r}" for name, chosen in spec.drawing)
        raise MarkerError(f"the marker's {given} cannot be used: {problem}") from None
