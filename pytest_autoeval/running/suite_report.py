"""What an item reports of its suite to the controlling process, as JSON on its test report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from pytest_autoeval.reporting.counterexample import Counterexample
from pytest_autoeval.reporting.judging.gates import StoppedEarly
from pytest_autoeval.running.marker import Obstacle


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """One suite and model after its run, beside the rows that it wrote.

    ``ended`` is how the item ended where it neither passed nor failed. ``errors`` is whether a sample ended in an
    error. ``function`` is the suite's test function. ``planned`` is the number of samples that were to run; of
    ``taken_over`` of those an earlier run had made all calls. ``spent`` is the limit of calls or cost that ended the
    suite before that, in a sentence, or empty; ``nothing`` is why there was no sample to run. ``notes`` are for the
    summary, a line each. ``own_data`` is whether the suite took rows of the user's data, ``problems`` are those that
    were left out. ``kept_problems`` are the files of kept counterexamples that could not be asked, with the reasons. A
    suite that could not run has an ``obstacle``, and the ``reason``.
    """

    function: str
    suite: str = ""
    model: str = ""
    ended: Literal["", "inconclusive", "unjudged"] = ""
    errors: bool = False
    planned: int = 0
    taken_over: int = 0
    stopped_early: StoppedEarly | None = None
    spent: str = ""
    nothing: str = ""
    counterexamples: tuple[Counterexample, ...] = ()
    notes: tuple[str, ...] = ()
    own_data: bool = False
    problems: tuple[str, ...] = ()
    kept_problems: Mapping[str, str] = field(default_factory=dict)
    obstacle: Obstacle | None = None
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {
            **{name: getattr(self, name) for name in self.__slots__},
            "stopped_early": self.stopped_early and asdict(self.stopped_early),
            "counterexamples": [example.to_json() for example in self.counterexamples],
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> SuiteReport:
        """The report that :meth:`to_json` wrote."""
        stopped = values["stopped_early"]
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
        }
        given["stopped_early"] = stopped and StoppedEarly(**stopped)
        given["counterexamples"] = tuple(map(Counterexample.from_json, values["counterexamples"]))
        return cls(**given)
