"""pytest-autoeval: does a language model keep the meaning between formal language and English?

Public names are imported at their first use, so that a pytest run without the plugin's features pays nothing.
"""

from __future__ import annotations

import sys

# Before any import that an older Python cannot make.
if sys.version_info < (3, 11):  # noqa: UP036  (pip checks this, but a checkout can be used without pip)
    sys.exit(
        f"pytest-autoeval needs Python 3.11 or newer, and this is Python {sys.version.partition(' ')[0]}"
    )

from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_autoeval.datasets.data_set import DataSet as DataSet
    from pytest_autoeval.datasets.data_set import Item as Item
    from pytest_autoeval.engine.events import NamesListed as NamesListed
    from pytest_autoeval.engine.events import RunEnded as RunEnded
    from pytest_autoeval.engine.events import SampleEnded as SampleEnded
    from pytest_autoeval.engine.events import SuiteJudged as SuiteJudged
    from pytest_autoeval.engine.events import SuiteLeftOut as SuiteLeftOut
    from pytest_autoeval.engine.events import SuiteStarted as SuiteStarted
    from pytest_autoeval.engine.report import Report as Report
    from pytest_autoeval.engine.without_pytest import open_llm as open_llm
    from pytest_autoeval.engine.without_pytest import pass_rate_test as pass_rate_test
    from pytest_autoeval.engine.without_pytest import run_suites as run_suites
    from pytest_autoeval.errors import AutoevalError as AutoevalError
    from pytest_autoeval.generation.samples import Sample as Sample
    from pytest_autoeval.generation.samples import sample_formulas as sample_formulas
    from pytest_autoeval.generation.strategies import formulas as formulas
    from pytest_autoeval.languages import Formula as Formula
    from pytest_autoeval.languages import FormulaSyntaxError as FormulaSyntaxError
    from pytest_autoeval.languages import Language as Language
    from pytest_autoeval.languages import Reading as Reading
    from pytest_autoeval.languages import Verdict as Verdict
    from pytest_autoeval.languages import Vocabulary as Vocabulary
    from pytest_autoeval.languages import Witness as Witness
    from pytest_autoeval.languages import language as language
    from pytest_autoeval.models.protocols import Message as Message
    from pytest_autoeval.models.protocols import Model as Model
    from pytest_autoeval.models.protocols import Reply as Reply
    from pytest_autoeval.models.protocols import TransientError as TransientError
    from pytest_autoeval.record.figures import Figure as Figure
    from pytest_autoeval.record.file import Results as Results
    from pytest_autoeval.record.gate_results import GateResult as GateResult
    from pytest_autoeval.record.merging import read_results as read_results
    from pytest_autoeval.record.sample_parts import Part as Part
    from pytest_autoeval.registry import Registry as Registry
    from pytest_autoeval.report.blocks import Column as Column
    from pytest_autoeval.report.blocks import Curve as Curve
    from pytest_autoeval.report.blocks import Figures as Figures
    from pytest_autoeval.report.blocks import Note as Note
    from pytest_autoeval.report.blocks import Point as Point
    from pytest_autoeval.report.blocks import Row as Row
    from pytest_autoeval.report.blocks import Section as Section
    from pytest_autoeval.report.blocks import Series as Series
    from pytest_autoeval.report.blocks import Table as Table
    from pytest_autoeval.report.rates import rate as rate
    from pytest_autoeval.report.rates import rate_over as rate_over
    from pytest_autoeval.running.marker import autoeval as autoeval
    from pytest_autoeval.tasks.formula_answers import judge_formula as judge_formula
    from pytest_autoeval.tasks.round_trip import Llm as Llm
    from pytest_autoeval.tasks.task import Task as Task
    from pytest_autoeval.tasks.trial import Judgement as Judgement
    from pytest_autoeval.tasks.trial import MeaningLostError as MeaningLostError
    from pytest_autoeval.tasks.trial import Trial as Trial

__version__ = "0.1.0"

#: The modules of the public names.
_HOMES = {
    "errors": ("AutoevalError",),
    "running.marker": ("autoeval",),
    "languages": (
        "language",
        "Language",
        "Formula",
        "FormulaSyntaxError",
        "Vocabulary",
        "Reading",
        "Verdict",
        "Witness",
    ),
    "generation.strategies": ("formulas",),
    "generation.samples": ("sample_formulas", "Sample"),
    "engine.without_pytest": ("run_suites", "pass_rate_test", "open_llm"),
    "engine.events": (
        "SuiteStarted",
        "NamesListed",
        "SampleEnded",
        "SuiteJudged",
        "SuiteLeftOut",
        "RunEnded",
    ),
    "engine.report": ("Report",),
    "tasks.round_trip": ("Llm",),
    "tasks.trial": ("MeaningLostError", "Trial"),
    "tasks.task": ("Task", "Judgement"),
    "tasks.formula_answers": ("judge_formula",),
    "models.protocols": ("Model", "Message", "Reply", "TransientError"),
    "datasets.data_set": ("DataSet", "Item"),
    "record.file": ("Results",),
    "record.merging": ("read_results",),
    # Not `record.sample_parts`: a part of yours must find the names of the shipped parts taken.
    "record.task_parts": ("Part",),
    "registry": ("Registry",),
    "record.figures": ("Figure",),
    "record.gate_results": ("GateResult",),
    "report.rates": ("rate", "rate_over"),
    "report.blocks": (
        "Figures",
        "Table",
        "Column",
        "Row",
        "Curve",
        "Series",
        "Point",
        "Note",
        "Section",
    ),
}


class _PlainFinder:
    """Finds the modules of this package as Python does, before pytest's finder, which rewrites assertions in them.

    pytest rewrites all modules of an installed plugin and reads the result in Python, which took 0.1 s of each run.
    Tests show what an assertion compares. Only the packaged suites are tests.
    """

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("pytest_autoeval.") or name.startswith("pytest_autoeval.suites"):
            return None
        return PathFinder.find_spec(name, path, target)


def _import_without_rewriting() -> None:
    """Puts our finder before that of pytest, if there is one."""
    for position, finder in enumerate(sys.meta_path):
        if type(finder).__module__ == "_pytest.assertion.rewrite":
            sys.meta_path.insert(position, _PlainFinder())
            return


_import_without_rewriting()
# In a checkout, the folder `suites` is beside the package; `pytest --pyargs pytest_autoeval.suites` must find it there.
if not Path(__path__[0], "suites").exists():
    __path__.append(str(Path(__path__[0]).parent))

_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
__all__ = [*_HOME_OF, "__version__"]  # noqa: PLE0604 - all are texts


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)


def __dir__() -> list[str]:
    return list(__all__)
