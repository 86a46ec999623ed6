"""All readers of untrusted text: their errors, the tokens that they know, and typical texts.

Tokens and texts are in `readers.toml`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from pytest_autoeval.datasets.author_answers import answers_by_sentence, read_questions
from pytest_autoeval.datasets.catalogue import file_problems
from pytest_autoeval.datasets.data_set import DataSetError
from pytest_autoeval.datasets.formula_repair import repaired
from pytest_autoeval.datasets.ontologies import glossary_of_row
from pytest_autoeval.datasets.plain_sentences import read_plain_sentences
from pytest_autoeval.datasets.proposition_lists import read_propositions
from pytest_autoeval.datasets.sentence_glossaries import read_glossary
from pytest_autoeval.datasets.temporal_formulas import formula_of
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.features.correlation import CorrelateError, read_scores
from pytest_autoeval.features.trends.history import find_runs, history_of
from pytest_autoeval.features.trends.sections import trends
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.languages import (
    EnglishError,
    Formula,
    FormulaSyntaxError,
    Language,
    Vocabulary,
    language,
)
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.copies import copied
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.verbalization import read_verbal, verbalize
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.languages.ontology import Ontology
from pytest_autoeval.models.cassette import (
    UnreadableRecordingError,
    read_recording,
    read_request,
    write_recording,
)
from pytest_autoeval.models.protocols import CallError
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import (
    decode,
    read_completion,
    read_embedding,
    read_vectors,
    trimmed,
)
from pytest_autoeval.prompts.template import PromptError, load
from pytest_autoeval.record.file import Results, ResultsError, write_results
from pytest_autoeval.record.lines import RunEnd, Sample
from pytest_autoeval.record.merging import merge
from pytest_autoeval.report.analysis import analyse
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.summary import summary_text
from pytest_autoeval.requirements.sentence_round_trip import read_numbered
from pytest_autoeval.studies.first_order_translation.extraction import ONTOLOGY_EXTRACTION
from pytest_autoeval.studies.temporal_logic.propositions import PROPOSITIONS
from pytest_autoeval.tasks.answer_readers import (
    read_label,
    read_number,
    read_order,
    read_phrases,
    read_symbols,
    read_yes_no,
)
from pytest_autoeval.tasks.trial import Trial
from support.result_rows import call, keys_of, row, suites_of
from support.task_items import BLOCKS, item, ltl_item

#: The number of characters that a reader must accept or refuse within its seconds.
LONGEST = 100_000


@dataclass(frozen=True)
class Reader:
    """A reader of untrusted text.

    ``read`` takes a text, and raises only ``errors``. ``tokens`` are the signs and words of its notation, ``texts`` are
    typical ones. ``seconds`` of processor time are enough for 100,000 characters on an idle machine.
    """

    name: str
    read: Callable[[str], object]
    errors: tuple[type[Exception], ...]
    tokens: tuple[str, ...]
    texts: tuple[str, ...]
    seconds: float = 1.0


_KNOWN: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
_TEXTS = {name: tuple(texts) for name, texts in _KNOWN["texts"].items()}


def _tokens(*groups: str) -> tuple[str, ...]:
    """The tokens of some groups, and a lone surrogate, which JSON can contain."""
    return (
        *dict.fromkeys(token for group in groups for token in _KNOWN["tokens"][group]),
        "\ud800",
    )


# --- formulas and what answers say ---

_VOCABULARY = {
    "propositional": Vocabulary(propositions=("p1", "p2", "p3")),
    "first_order": Vocabulary(
        ("p",), (("P", 1), ("Larger", 2)), (("f", 1),), ("a", "c1"), ("x", "y")
    ),
    "ltl": Vocabulary(propositions=("x1", "x2", "G1")),
    "regex": Vocabulary(alphabet=("0", "1")),
}


def _replies(formulas: tuple[str, ...]) -> tuple[str, ...]:
    """Answers as models write them around formulas."""
    one, *_, other = formulas
    return (
        *formulas,
        f"Let me think step by step.\n\n1. First, `{other}` is a part.\n2. So we get:\n\n```\n{one}\n```\nThis works.",
        f"The formula is **{one}**.",
        f"<think>maybe {other}? no</think>\nFinal answer: {one}",
        f"$$\\boxed{{{one}}}$$",
        json.dumps({"reasoning": "it says so", "answer": one}),
        f"We have \\begin{{align}} {one} &\\\\ {other} \\end{{align}} or `{other}`; actually `{one}`.",
    )


def _strict(lang: Language, parse: Callable[[str], Formula], text: str) -> None:
    _check_canonical(lang, parse(text))


def _answer(lang: Language, vocabulary: Vocabulary | None, text: str) -> None:
    reading = lang.read(text, vocabulary=vocabulary)
    assert (reading.formula is None) is bool(reading.problem)
    if reading.formula is not None:
        _check_canonical(lang, reading.formula)


def _check_canonical(lang: Language, formula: Formula) -> None:
    """Checks that the canonical text of the result can be read again."""
    assert lang.tree(lang.format(formula)) == formula, (
        f"{lang.format(formula)!r} is read as another formula"
    )


def _python(text: str) -> None:
    assert (reading := read_python(text)).formula is not None or reading.problem


def _trace(text: str, **options: Any) -> None:
    reading = read_trace(text, ("x1", "x2"), **options)
    assert reading.lasso is not None or reading.problem
    if reading.lasso is not None:
        assert parse_trace(str(reading.lasso), ("x1", "x2")) == reading.lasso


def _judged(task: Any, subject: Any, text: str) -> None:
    task.judge(text, Trial(cast("Any", None), subject=subject))


def _formula_readers() -> Iterator[Reader]:
    for name, vocabulary in _VOCABULARY.items():
        lang, formulas = language(name), tuple(_KNOWN["formulas"][name])
        groups = (
            ("logic", "first_order")
            if name == "first_order"
            else ("logic",)
            if name == "propositional"
            else (name,)
        )
        tokens, around, texts = _tokens(*groups), _tokens(*groups, "around"), _replies(formulas)
        yield Reader(
            name, partial(_strict, lang, lang.parse), (FormulaSyntaxError,), tokens, formulas
        )
        yield Reader(f"{name} answer", partial(_answer, lang, vocabulary), (), around, texts)
        yield Reader(f"{name} answer, any names", partial(_answer, lang, None), (), around, texts)
        described_formula = lang.parse(formulas[0])
        yield Reader(
            f"{name} copy",
            partial(copied, formula=described_formula, language=lang),
            (),
            around,
            texts,
        )
        described = tuple(lang.describe(lang.parse(text)) for text in formulas[:2])
        yield Reader(
            f"{name} English", lang.read_description, (EnglishError,), _tokens("english"), described
        )
    nusmv = ("G (x1 -> F x2)", "x1 V !x2 xnor x3")
    yield Reader(
        "NuSMV",
        partial(_strict, language("ltl"), parse_nusmv),
        (FormulaSyntaxError,),
        _tokens("ltl"),
        nusmv,
    )


def _answer_readers() -> Iterator[Reader]:
    yield Reader("Python notation", _python, (), _tokens("python"), _TEXTS["Python notation"])
    traces, tokens = _TEXTS["trace"], _tokens("trace", "around")
    yield Reader("trace answer", _trace, (), tokens, traces)
    yield Reader(
        "trace answer in Python",
        partial(_trace, notation="python", is_explicit=True),
        (),
        tokens,
        traces,
    )
    strict = partial(parse_trace, atoms=("x1", "x2"))
    yield Reader("trace", strict, (FormulaSyntaxError,), _tokens("trace"), traces[:1])
    questions: dict[str, Callable[[str], object]] = {
        "yes or no": read_yes_no,
        "label": read_label,
        "number": partial(read_number, options=["P(a)", "Q(a)"]),
        "order": read_order,
    }
    for name, read in questions.items():
        yield Reader(name, read, (UnreadableError,), _tokens("question", "around"), _TEXTS[name])
    tokens, lists = _tokens("list", "around"), _TEXTS["list"]
    yield Reader("phrases", read_phrases, (UnreadableError,), tokens, lists)
    yield Reader("symbols", read_symbols, (UnreadableError,), tokens, lists)
    yield Reader("paraphrases", read_numbered, (), tokens, lists)
    about = ltl_item(
        sentence="If the door opens, it rings.",
        propositions=[("the door opens", "x1"), ("it rings", "x2")],
    )
    yield Reader("phrases, judged", partial(_judged, PROPOSITIONS, about), (), tokens, lists)
    yield Reader(
        "symbols, judged", partial(_judged, ONTOLOGY_EXTRACTION, item()), (), tokens, lists
    )
    verbal, formulas = (
        Ontology(BLOCKS),
        ("∀x. (Cube(x) → Larger(x, a))", "¬Cube(a) ∧ (Small(b) ∨ ∃x. Between(a, x, b))"),
    )
    texts = tuple(
        verbalize(cast("Sentence", language("first_order").parse(formula)), verbal)
        for formula in formulas
    )
    read = partial(read_verbal, ontology=verbal)
    yield Reader("verbalized English", read, (EnglishError,), _tokens("english"), texts)


# --- what servers and files hold ---

_USAGE = {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8}
_MESSAGE = {"role": "assistant", "content": "¬p1"}
_COMPLETION = {
    "id": "1",
    "choices": [{"index": 0, "finish_reason": "stop", "message": _MESSAGE}],
    "usage": _USAGE,
}
_EMBEDDING = {
    "model": "m",
    "data": [{"index": 0, "embedding": [0.5, -1.0]}],
    "usage": {"prompt_tokens": 3},
}
_BODY = {"model": "m", "messages": [{"role": "user", "content": "Translate:\n¬p1"}]}
_ONTOLOGY = {"Cube(x)": "x is a cube", "a": "block a"}
_PREMISES = {
    "premises": ["Every cube is large.", "a is a cube."],
    "premises-FOL": ["∀x. (Cube(x) → Large(x))", "Cube(a)"],
}
_ROWS: list[dict[str, Any]] = [
    {
        "id": "1",
        "sentence": "If a, then b.",
        "propositions": {"a": "x1", "b": "x2"},
        "formula": "G (x1 -> F x2)",
    },
    {**_PREMISES, "conclusion": "a is large.", "conclusion-FOL": "Large(a)", "label": "True"},
    {"sentence": "Every cube is large.", "formula": "∀x. (Cube(x) → Large(x))"},
    {"formula": "G x1", "trace": "x1; cycle{x1}", "satisfies": "yes"},
    {"text": "G ( x1", "well_formed": "no"},
    {"formula": "p1 ∧ p2", "other": "p2 ∧ p1", "same": "yes", "language": "propositional"},
    {"sentence": "a is a cube.", "formula": "Cube(a)", "ontology": _ONTOLOGY},
]


#: Between two files in one text.
_BOUNDARY = "=====\n"


@contextmanager
def _written(name: str, text: str) -> Iterator[Path]:
    """A file with a text, in a folder of its own."""
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        yield file


def _of_file(name: str, read: Callable[[Path], object]) -> Callable[[str], None]:
    """A reader of texts, made from a reader of files."""

    def of_text(text: str) -> None:
        with _written(name, text) as file:
            read(file)

    return of_text


def _server(read: Callable[[Any], object]) -> Callable[[str], object]:
    return lambda text: read(
        decode(text.encode("utf-8", "surrogatepass"), Redactor(["a secret of ours"]))
    )


def _vectors(payload: Any) -> None:
    read_embedding(payload, 1)
    read_vectors(payload, 1)
    trimmed(payload)


def _recording(file: Path) -> None:
    read_request(file)
    read_recording(file, _BODY)


def _reported(files: Sequence[Path]) -> None:
    merged = merge(files)
    analysis = analyse(merged.suites, Rules(threshold=0.5))
    summary_text(document(analysis))


def _history(file: Path) -> None:
    runs, notes = find_runs([file])
    list(trends(history_of(runs, Rules(), notes=notes)))


def _template(file: Path) -> None:
    load("informalize", "ltl", [file.parent.parent], slots=("formula",)).render(
        {"formula": "p"}, few_shot=False
    )


def _drawn(file: Path) -> None:
    sample_formulas(file, operators=2, count=3, warn=False)


def _shown_results(*samples: Sample) -> tuple[str, str]:
    """A results file of each schema version: with a run, a suite, a long text, samples and ends; and with rows."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "results.jsonl")
        suites = suites_of(samples)
        ends = RunEnd(verdict="passed", exit_code=0)
        write_results(
            file, Results(runs=[suite.run for suite in suites[:1]], suites=suites, end=ends)
        )
        return file.read_text("utf-8"), _lines(*map(keys_of, samples))


def _keys(text: str) -> tuple[str, ...]:
    """The keys in the lines of a text."""
    return tuple(dict.fromkeys(re.findall(r'"\w+":', text)))


def _joined(text: str) -> None:
    """Joins the two files that a text has, one of which may be empty."""
    with TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("first.jsonl", "second.jsonl")]
        for file, part in zip(files, text.partition(_BOUNDARY)[::2], strict=True):
            file.write_bytes(part.encode("utf-8", "surrogatepass"))
        _reported(files)


def _shown_recording() -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder, "recording.yaml")
        write_recording(file, _BODY, _COMPLETION)
        return file.read_text("utf-8")


def _lines(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _result_readers() -> Iterator[Reader]:
    witness = {"kind": "assignment", "values": {"p1": True}}
    system = {"role": "system", "content": "Answer in one word. " * 5}
    sent = [call("informalize", messages=[system, {"role": "user", "content": "p1"}])] * 2
    given = {"task": "judge", "expected": True, "answered": False, "item": "1", "mine": [1]}
    ended = {"shrunk_to": "p1", "shrinking": {"number": 2, "prompt_tokens": 9}}
    of_lines, of_rows = _shown_results(
        row(calls=sent),
        row("different", index=1, witness=witness, witness_text="p1", **ended),
        row("wrong answer", suite="a.py::b", planned=1, threshold=0.5, **given),
    )
    for version, text in ((1, of_rows), (2, of_lines)):
        tokens = (*_tokens("json"), *_keys(text))
        read = _of_file("results.jsonl", lambda file: _reported([file]))
        yield Reader(f"results, version {version}", read, (ResultsError,), tokens, (text,))
    parts = [
        _shown_results(row(index=index, shard=f"{index + 1}/2", planned=2)) for index in range(2)
    ]
    texts = tuple(map(_BOUNDARY.join, (*zip(*parts, strict=True), (of_lines, of_rows))))
    tokens = (*_tokens("json"), *_keys("".join(texts)), _BOUNDARY)
    yield Reader("results, joined", _joined, (AutoevalError,), tokens, texts)
    dated = _shown_results(
        *(row(index=number, started="2026-01-01T02:00:00+00:00") for number in range(2))
    )
    yield Reader("history", _of_file("results.jsonl", _history), (AutoevalError,), tokens, dated)


def _file_readers() -> Iterator[Reader]:
    said, keys = json.dumps({"error": {"message": "no", "code": 429}}), _tokens("json", "server")
    yield Reader(
        "server's answer",
        _server(read_completion),
        (CallError,),
        keys,
        (json.dumps(_COMPLETION), said),
    )
    packed = json.dumps({"data": [{"index": 0, "embedding": "AAAAPwAAgL8="}]})
    yield Reader(
        "server's vectors", _server(_vectors), (CallError,), keys, (json.dumps(_EMBEDDING), packed)
    )
    recorded = _of_file("a.yaml", _recording)
    yield Reader(
        "recording", recorded, (UnreadableRecordingError,), _tokens("yaml"), (_shown_recording(),)
    )
    yield from _result_readers()
    objects = (
        *_tokens("json"),
        *dict.fromkeys(f'"{name}": ' for one in _ROWS for name in one),
        "}\n{",
    )
    for ending, known, texts in (
        ("csv", _tokens("csv"), _TEXTS["table"]),
        ("jsonl", objects, (_lines(*_ROWS), *_shown_results(row()))),
        ("json", objects, (json.dumps(_ROWS, indent=1), json.dumps(_ROWS[:2]))),
    ):
        read = _of_file(f"data.{ending}", lambda file: file_problems((file,)))
        # Five data sets look for their rows in each file.
        yield Reader(f"data set, {ending}", read, (DataSetError,), known, texts, seconds=3.0)
    for ending in ("md", "txt"):
        sentences = _of_file(f"data.{ending}", read_plain_sentences)
        texts = _TEXTS["sentences"]
        yield Reader(
            f"sentences, {ending}", sentences, (DataSetError,), _tokens("markdown", "ltl"), texts
        )
    names = _of_file("data.toml", read_glossary)
    yield Reader(
        "glossary", names, (DataSetError,), _tokens("template", "cells"), _TEXTS["glossary"]
    )
    cells = _TEXTS["formula of a row"]
    yield Reader(
        "temporal formula of a row", formula_of, (FormulaSyntaxError,), _tokens("ltl"), cells
    )
    yield Reader(
        "formula of a row", repaired, (FormulaSyntaxError,), _tokens("logic", "first_order"), cells
    )
    listed = _TEXTS["propositions of a row"]
    yield Reader(
        "propositions of a row", read_propositions, (ValueError,), _tokens("csv", "cells"), listed
    )
    glossary = partial(glossary_of_row, data=Path("data.jsonl"))
    yield Reader(
        "ontology of a row",
        glossary,
        (DataSetError,),
        _tokens("json", "cells"),
        (json.dumps(_ONTOLOGY), "a.json"),
    )
    grammar = _of_file("a.lark", _drawn)
    yield Reader(
        "grammar", grammar, (AutoevalError,), _tokens("grammar"), _TEXTS["grammar"], seconds=5.0
    )
    template = _of_file("informalize/ltl.toml", _template)
    yield Reader("template", template, (PromptError,), _tokens("template"), _TEXTS["template"])
    answers = _of_file("a.answers.csv", lambda file: answers_by_sentence(read_questions(file)))
    yield Reader(
        "author's answers",
        answers,
        (DataSetError,),
        _tokens("csv", "json"),
        _TEXTS["author's answers"],
    )
    scores = _of_file("scores.csv", read_scores)
    yield Reader("scores", scores, (CorrelateError,), _tokens("csv"), _TEXTS["scores"])


READERS = {
    reader.name: reader for reader in (*_formula_readers(), *_answer_readers(), *_file_readers())
}
