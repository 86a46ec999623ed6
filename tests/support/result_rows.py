"""Samples of results for tests. They are made from the flat keys of older files, by the way that such files take."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from pytest_autoeval.outcomes import outcome_named
from pytest_autoeval.record.file import Results, write_results
from pytest_autoeval.record.lines import Sample, SuiteRecord
from pytest_autoeval.record.version_1 import SuitesFromRows

#: What tasks write into their rows: the kind of figures, and the name of the score in the benchmark table.
KINDS = {
    "propositions": ("extraction",),
    "well_formed": ("well-formedness",),
    "translate": ("translation",),
    "translate_past": ("translation",),
    "translate_sentence": ("translation",),
    "judge_trace": ("judged traces",),
    "write_trace": ("written traces",),
    "judge": ("judged pairs",),
    "logical_translation": ("scored translation", "Logical translation"),
    "informalization": ("scored translation", "Informalization"),
    "open_translation": ("scored translation", "Open translation"),
    "ontology_extraction": ("ontologies",),
    "most_similar_formulas": ("choices", "Most similar"),
    "most_similar_english": ("choices", "Most similar"),
    "ranking_formulas": ("rankings", "Ranking"),
    "ranking_english": ("rankings", "Ranking"),
    "entailment_formulas": ("entailments", "Entailment"),
    "entailment_english": ("entailments", "Entailment"),
}


#: The suites of the samples, by what they ask.
_SUITES: dict[str, SuiteRecord] = {}
#: The flat keys from which each sample was made, by the identity of the sample, which is kept.
_KEYS: dict[int, tuple[Sample, dict[str, Any]]] = {}


def row(outcome: str = "equivalent", **changes: Any) -> Sample:
    """A plausible sample with the given outcome and changes, which are keys of a results file of version 1.

    Samples whose suites are equal have one suite. Its ``samples`` are empty: see `suites_of`.
    """
    whole: dict[str, Any] = {
        "schema_version": 1,
        "suite": "suites/test_propositional.py::test_round_trip",
        "test": "suites/test_propositional.py::test_round_trip[offline/student-ops=2]",
        "model": "offline/student",
        "grammar": "propositional",
        "language": "propositional",
        "vocabulary": "synthetic",
        "index": 0,
        "repeat": 0,
        "seed": 0,
        "operators": 2,
        "measures": {"operators": 2, "depth": 3},
        "formula": "¬(p1 ∧ p2)",
        "trivial": None,
        "description": "It is not the case that p1 holds and p2 holds.",
        "answer": "¬p1 ∧ p2",
        "translation": "¬p1 ∧ p2",
        "outcome": outcome,
        "code": outcome_named(outcome).code,
        "compliant": True,
        "recovered": False,
        "leaked": False,
        "witness": None,
        "witness_text": None,
        "verdict_method": "truth table",
        "verdict_seconds": 0.0001,
        "calls": [call("informalize"), call("autoformalize")],
        "error": None,
    }
    if "operators" in changes and "measures" not in changes:
        whole["measures"] = {"operators": changes["operators"], "depth": changes["operators"] + 1}
    task = changes.get("task") or ""
    kind = {
        key: name
        for key, name in zip(("figures", "benchmark"), KINDS.get(task, ()), strict=False)
        if name
    }
    return _sample({**whole, **kind, **changes})


#: Keys of a row that are fields of its sample under these names, and on which nothing else depends.
_PLAIN_KEYS = {
    name: name for name in ("index", "repeat", "seed", "formula", "measures", "outcome", "code")
}
_PLAIN_KEYS["operators"] = "size"
#: Keys that say something of the end of the suite, or of other samples.
_OF_OTHERS = frozenset(
    ("unfinished", "shrunk_to", "shrinking", "stopped_early", "paraphrased", "run_suites")
)
#: A sample for each set of values of the other keys: to convert every row would take most of the time of some tests.
_ALIKE: dict[str, Sample] = {}


def _sample(keys: dict[str, Any]) -> Sample:
    alike = json.dumps({key: value for key, value in keys.items() if key not in _PLAIN_KEYS})
    if alike not in _ALIKE:
        _ALIKE[alike] = _converted(keys)
    sample = replace(_ALIKE[alike], **{name: keys[key] for key, name in _PLAIN_KEYS.items()})
    _KEYS[id(sample)] = (sample, keys)
    return sample


def _converted(keys: dict[str, Any]) -> Sample:
    rows = SuitesFromRows()
    rows.add(json.dumps(keys).encode())
    _, (made,) = rows.finish(whole=True)
    (sample,) = made.samples
    made.asked = replace(made.asked, sizes=())
    made.samples = []
    return replace(sample, suite=_SUITES.setdefault(repr((made.asked, made.run, made.end)), made))


def suites_of(samples: Iterable[Sample]) -> list[SuiteRecord]:
    """Fresh suites of these samples, numbered from 1 in the order of their names and models.

    Samples whose suites have one name and one model are in one suite, as in a file.
    """
    samples = list(samples)
    suites = sorted(
        {sample.suite for sample in samples}, key=lambda suite: (suite.name, suite.model)
    )
    names = {(suite.name, suite.model) for suite in suites}
    if len(names) < len(suites) or any(
        not _OF_OTHERS.isdisjoint(_KEYS[id(sample)][1]) for sample in samples
    ):
        rows = SuitesFromRows()
        for sample in samples:
            rows.add(json.dumps(_KEYS[id(sample)][1]).encode())
        return rows.finish(whole=True)[1]
    return [
        _fresh(suite, number, [sample for sample in samples if sample.suite is suite])
        for number, suite in enumerate(suites, 1)
    ]


def _fresh(suite: SuiteRecord, number: int, samples: Sequence[Sample]) -> SuiteRecord:
    sizes = tuple(sorted({sample.size for sample in samples}))
    end = None if suite.end is None else replace(suite.end, suite=number)
    fresh = SuiteRecord(replace(suite.asked, number=number, sizes=sizes), suite.run, end=end)
    fresh.samples = [replace(sample, suite=fresh) for sample in samples]
    return fresh


def changed(one: Sample, **changes: Any) -> Sample:
    """The sample with changes, which are keys of a results file of version 1."""
    return _sample({**_KEYS[id(one)][1], **changes})


def keys_of(sample: Sample) -> dict[str, Any]:
    """The flat keys from which a sample was made."""
    return dict(_KEYS[id(sample)][1])


def rows_of_models(
    suite: str, results: Mapping[str, Sequence[int]], **changes: Any
) -> list[Sample]:
    """Rows of each model of a suite: of formula after formula whether it passed; a 2 is an error, a 3 undecided."""
    outcomes = ("different", "equivalent", "error", "undecided")
    return [
        row(
            outcomes[result],
            suite=suite,
            model=model,
            index=index,
            operators=index % 5,
            formula=f"p{index}",
            **changes,
        )
        for model, some in results.items()
        for index, result in enumerate(some)
    ]


def call(stage: str, **changes: Any) -> dict[str, Any]:
    """A plausible call."""
    return {
        "stage": stage,
        "prompt_tokens": 210,
        "completion_tokens": 14,
        "reasoning_tokens": None,
        "cost": None,
        "seconds": 0.004,
        "finish_reason": "stop",
        "prompt_digest": "5f0c5d3b8a16",
        "replayed": False,
        "messages": [{"role": "user", "content": f"{stage} ¬(p1 ∧ p2)"}],
        **changes,
    }


def write_rows(path: str | Path, samples: Iterable[Sample], torn: str = "") -> str:
    """Writes a results file, perhaps with a line that is not whole; gives its path."""
    suites = suites_of(samples)
    runs = list({id(suite.run): suite.run for suite in suites}.values())
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_results(Path(path), Results(runs=runs, suites=suites))
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(torn)
    return str(path)
