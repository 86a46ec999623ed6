"""Properties in JUnit XML, of suites, whole runs and the file: names and values of one line, safe in XML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_autoeval.judging.gate_verdicts import STATES, State
from pytest_autoeval.record.figures import Figure, filled
from pytest_autoeval.report.blocks import Counterexample, Document, Figures, Note, Section, Verdict
from pytest_autoeval.text import one_line, shorten

#: The word for each state in this file.
_VERDICTS: Mapping[State, str] = {state: verdict for verdict, state in STATES.items()}
#: Properties that had a name of their own before their figures had names.
_NAMES = {
    "pass_rate": "rate",
    "p": "p_value",
    "corrected_p": "p_value_bonferroni",
    "p_corrected": "p_value_bonferroni",
    "allowed_drop": "drop",
    "smallest_drop_that_shows": "detectable_drop",
    "pairs_for_a_decision": "pairs_needed",
}
#: Likewise for the ends of an interval.
_ENDS = {"rate": "interval"}
#: The kind of the gate that every suite has. It stands first, whichever gate decides.
_ALWAYS = "threshold"
#: The columns of a text.
_LONGEST_TEXT = 200

_Value = str | float | None


def properties(section: Section) -> list[tuple[str, str]]:
    """The properties of a suite, each once; unknown values are left out.

    Rates and differences are fractions; ``autoeval.rate`` counts undecided samples as not passed. ``autoeval.verdict``
    is the worst verdict of all gates, and ``autoeval.reason`` is its reason. Every figure of the suite is a property,
    with the ends of its interval. ``autoeval.warning`` has the notes that need attention, and
    ``autoeval.counterexample`` is the first counterexample, each in one line.
    """
    values: dict[str, _Value] = {}
    verdicts = [block for block in section.blocks if isinstance(block, Verdict)]
    if verdicts:
        kinds = dict.fromkeys(verdict.what or _ALWAYS for verdict in verdicts)
        values["kind"] = " and ".join(sorted(kinds, key=lambda kind: kind != _ALWAYS))
    if section.suite is not None:
        values["model"] = section.suite.model
    if section.state is not None:
        values["verdict"] = _VERDICTS[section.state]
    for block in section.blocks:
        if isinstance(block, Figures):
            _add_figures(values, block)
    for verdict in verdicts:
        reason = filled(verdict.text, verdict.values)
        # The first verdict is that of the suite.
        values.setdefault("reason", reason)
        if verdict.what:
            kind = _name(verdict.what)
            values[f"{kind}_verdict"] = _VERDICTS[verdict.state]
            values[f"{kind}_reason"] = reason
    notes = [
        block for block in section.blocks if isinstance(block, Note) and block.tone == "warning"
    ]
    # Each property occurs once, so all notes share one.
    values["warning"] = "; ".join(filled(note.text, note.values) for note in notes)
    example = next((block for block in section.blocks if isinstance(block, Counterexample)), None)
    if example is not None:
        values["counterexample"] = _in_one_line(example)
    return _named(values)


def run_properties(document: Document) -> list[tuple[str, str]]:
    """The properties of the file: ``autoeval.verdict`` of the run, and ``autoeval.reason``, its sentences."""
    verdicts = [
        block
        for section in document.sections[:1]
        for block in section.blocks
        if isinstance(block, Verdict)
    ]
    reason = "; ".join(filled(verdict.text, verdict.values) for verdict in verdicts)
    return _named({"verdict": _VERDICTS[document.state], "reason": reason})


def whole_run_properties(model: str, reason: str, figures: Figures | None) -> list[tuple[str, str]]:
    """The properties of the test case of a model whose whole run fell."""
    values: dict[str, _Value] = {"kind": "whole run", "model": model, "verdict": "failed"}
    if figures is not None:
        _add_figures(values, figures)
    return _named({**values, "reason": reason})


def _named(values: Mapping[str, _Value]) -> list[tuple[str, str]]:
    return [
        (f"autoeval.{name}", _text(value))
        for name, value in values.items()
        if value not in {None, ""}
    ]


def _add_figures(values: dict[str, _Value], block: Figures) -> None:
    """Adds the figures of a block. Of two figures of one name, the second is named after its block too."""
    for figure in block.figures:
        name = _name(figure.name)
        name = _NAMES.get(name, name)
        if name in values:
            name = f"{_name(block.title)}_{name}"
        for key, value in _values(name, figure):
            # A figure never replaces what is there, such as the verdict or the model.
            values.setdefault(key, value)


def _values(name: str, figure: Figure) -> Iterator[tuple[str, _Value]]:
    ends = _ENDS.get(name, name)
    if figure.bound:
        is_known = figure.value is not None and figure.bound != "not known"
        yield f"{name}_bound", f"{figure.bound} {figure.value:g}" if is_known else "not known"
    else:
        yield name, figure.value
    yield f"{name}_upper", figure.upper
    yield f"{ends}_low", figure.low
    yield f"{ends}_high", figure.high
    if figure.low is not None and figure.confidence != 0.95:
        yield f"{name}_confidence", figure.confidence
    yield f"{name}_deviation", figure.deviation


def _in_one_line(example: Counterexample) -> str:
    """``different: formula p1 ∧ p2; translation p1``, without details."""
    fields = [f"{field.name} {_brief(field.text)}" for field in example.fields if not field.detail]
    return f"{example.outcome}: {'; '.join(fields)}"


def _brief(text: str) -> str:
    return shorten(one_line(text), _LONGEST_TEXT)


def _name(words: str) -> str:
    """Words as the name of a property: ``horizon 50 %`` is ``horizon_50``."""
    return re.sub(r"\W+", "_", words.lower()).strip("_") or "figure"


def _text(value: _Value) -> str:
    return one_line(f"{value:.6g}" if isinstance(value, float) else str(value))
