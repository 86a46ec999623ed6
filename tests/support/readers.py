"""Every reader of text that strangers write, in one table: what it may raise, the tokens it knows, texts that it meets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from pytest_autoeval.datasets.base import DataSetError
from pytest_autoeval.datasets.catalogue import file_problems
from pytest_autoeval.datasets.first_order.formula_repair import repaired
from pytest_autoeval.datasets.first_order.ontologies import glossary_of_row
from pytest_autoeval.datasets.rows import formula_of, read_propositions
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.samples import sample_formulas
from pytest_autoeval.languages import EnglishError, Formula, FormulaSyntaxError, Language, Vocabulary, language
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.verbalization import read_verbal, verbalize
from pytest_autoeval.languages.ltl.nusmv import parse_nusmv
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace
from pytest_autoeval.languages.ltl.traces.notation import read_trace
from pytest_autoeval.languages.ontology import Ontology
from pytest_autoeval.models.base import CallError, ConfigurationError
from pytest_autoeval.models.cassette import read_recording, read_request, write_recording
from pytest_autoeval.models.redaction import Redactor
from pytest_autoeval.models.responses import decode, read_completion, read_embedding, read_vectors, trimmed
from pytest_autoeval.prompts.template import PromptError, load
from pytest_autoeval.reporting.analysis import analyse
from pytest_autoeval.reporting.correlation import CorrelateError, read_scores
from pytest_autoeval.reporting.judging.gates import Rules
from pytest_autoeval.reporting.results import ResultsError, merge, to_line
from pytest_autoeval.reporting.summary_json import summary_text
from pytest_autoeval.running.kept import read_folder
from pytest_autoeval.tasks.answers import read_label, read_number, read_order, read_phrases, read_symbols, read_yes_no
from pytest_autoeval.tasks.extraction import ONTOLOGY_EXTRACTION, PROPOSITIONS
from pytest_autoeval.tasks.trial import Trial
from support.result_rows import row
from support.task_items import BLOCKS, item, ltl_item

#: Characters that a reader must take, or refuse, within its seconds.
LONGEST = 100_000


@dataclass(frozen=True)
class Reader:
    """A reader of foreign text.

    ``read`` takes a text, and raises nothing but ``errors``. ``tokens`` are the signs and words of its notation,
    ``texts`` are such as it meets. ``seconds`` of processor time are enough for 100,000 characters on an idle machine.
    """

    name: str
    read: Callable[[str], object]
    errors: tuple[type[Exception], ...]
    tokens: tuple[str, ...]
    texts: tuple[str, ...]
    seconds: float = 1.0


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# --- formulas and what answers say ---

#: What models put around an answer.
_AROUND = (
    *("The answer: ", "Final answer: ", "Formula: ", "The formula is ", "Wait, ", "therefore ", "is ", "not ", "or "),
    *("```", "~~~", "`", "$", "$$", "**", "_", "\\[", "\\]", "\\(", "\\boxed{", "\\begin{align}", "\\end{align}", "&"),
    *("\\text{", "{", "}", "[", "]", "(", ")", '"', "'", "“", ":", "=", ";", ",", ".", "…", "#", "- ", "1. ", "> "),
    *("<answer>", "</answer>", "<think>", "</think>", "<|channel|>final<|message|>", "<b>", "</b>", "&amp;", "&#39;"),
    *('{"answer": "', '"}', "\\", "\\\\", "\n", " ", "\t", "\r", "\u2009", "\u2028", "\x00", "\ud800", "é", "0", "x1"),
)
_LOGIC = (
    *_split("¬ ~ ! ∧ & && /\\ ∨ | || \\/ ⊕ ^ xor → -> => ⇒ ↔ <-> <=> ⊤ ⊥ true false not and or iff"),
    *_split("\\neg \\land \\lor \\to \\leftrightarrow \\forall \\exists \\left( \\right) \\, ( ) [ ] { } , . ; : ="),
    *("p1", "p", " ", "\n", "_", "1", "implies ", "if ", "then ", "only "),
)
_FIRST_ORDER = (
    *_LOGIC,
    *_split("∀ ∃ forall exists ≠ != P( Larger( f( x y a c1 ∀x ∃x. all( exists( \\forall{x}"),
)
_LTL = (
    *_split("! ~ ¬ & ∧ | ∨ xor -> → <-> ↔ ( ) [ ] X F G U R W V Y Z O H S T ○ ◇ □ <> [] true false TRUE 1 0"),
    *_split("\\square \\lozenge \\mathcal{U} \\mathbf{G} x1 x_1 a.b _ p G(x1 always( eventually until next( , ; :"),
    *(" ", "\n", '"'),
)
_REGEX = (
    *_split(r"0 1 a ( ) | + * ? [ ] [^ [01] { } {2} {2,} {0,3} {, - ^ $ . \ \d \w \s \b \* \( \\ (?: (?= (?i) (?P<x>"),
    *_split(r"ε ∅ ∪ · Σ / \Z *? ++ ** # \u0030 \x30 \1"),
    *(" ", "\n", "{" + "9" * 20 + "}"),
)
_PYTHON = (
    *("formulaToFind = ", "formulaToFind: ", "AtomicProposition(", 'AtomicProposition("x1")', "LNot(", "LAnd(", "And("),
    *(
        "LImplies(",
        "Always(",
        "Until(",
        "Literal(",
        "x1",
        "x1 = ",
        "import x\n",
        "def f():\n",
        "class A:\n",
        "for x in ",
    ),
    *(
        "if x:",
        "while ",
        "with x as ",
        "left=",
        "not ",
        "and ",
        "or ",
        "&",
        "|",
        "~",
        "lambda x: ",
        "print(",
        "return ",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ",",
        "=",
        "==",
        ":",
        ";",
        '"',
        "'",
        '"""',
        "'''",
        "\\\n",
        "#",
        "```",
        "```python\n",
    ),
    *(">>> ", "... ", "\n", "    ", " ", "\t", ".", "\\", "1", "f"),
)
_TRACE = (
    *(
        "x1",
        "!x1",
        "x1 & !x2",
        "1",
        "true",
        "false",
        "{}",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "&",
        "∧",
        ",",
        ";",
        "; cycle{",
    ),
    *("cycle{", "loop", "Loop starts here", "-- ", "State 1:", "-> State: 1.1 <-", "x1 = TRUE", "x1=1", "=", ":", "|"),
    *("…", "...", "^ω", "^\\omega", "_", "'", '"', '{"prefix": [', '"loop": [', "]}", "traceToFind = ", "Trace("),
    *("prefix=[", "loop=[", "True", "False", "not ", "-", "+", "*", "#", "\n", " ", "\\", "\\emptyset", "∅", "t=0"),
)
_QUESTION = (
    "yes",
    "no",
    "True",
    "False",
    "Uncertain",
    "not",
    "but",
    "Answer: ",
    "1",
    "42",
    "(1)",
    "#1",
    ">",
    ",",
    "option ",
)
_LIST = (
    *(
        '"',
        "“",
        "”",
        '": x1',
        '"the door is open": x1',
        "x1",
        ":",
        "=",
        "→",
        "-",
        "Larger(x, y): x is larger than y",
        "(",
    ),
    *("x", ", ", ")", "/2", "a: block a", "predicate: ", "symbol", "is ", "not ", "∀", "* ", "_", "`", "\n", " ", "\\"),
)
_ENGLISH = (
    *(
        "it is not the case that ",
        "either ",
        "or ",
        "both ",
        "and ",
        "if ",
        "then ",
        "for every ",
        "there is ",
        "such that ",
    ),
    *(
        "the following holds: ",
        "at the next step ",
        "always ",
        "until ",
        "once ",
        "a 0",
        "zero or more ",
        "times",
        "x1",
        "p1",
    ),
    *("(", ")", ", ", ".", ":", ";", "\n", " ", "one of ", "the string ", "Cube", "block a", "is ", "x"),
)
_VOCABULARY = {
    "propositional": Vocabulary(propositions=("p1", "p2", "p3")),
    "first_order": Vocabulary(
        propositions=("p",), predicates=(("P", 1), ("Larger", 2)), functions=(("f", 1),), constants=("a", "c1"),
        variables=("x", "y"),
    ),
    "ltl": Vocabulary(propositions=("x1", "x2", "G1")),
    "regex": Vocabulary(alphabet=("0", "1")),
}  # fmt: skip
_FORMULAS = {
    "propositional": (_LOGIC, ("(p1 ∧ ¬p2) → (p3 ↔ p1)", "~(p1 & p2) | p3", "p1 ⊕ (⊤ ∨ p2)")),
    "first_order": (
        _FIRST_ORDER,
        (
            "∀x. (P(x) → ∃y. Larger(x, y))",
            "P(a) ∧ ¬(c1 = f(a))",
            "forall x (P(x) & ~(x = f(a)))",
            "∀x∀y (P(x) ∧ P(y) → ¬Larger(x, f(f(c1))))",
        ),
    ),
    "ltl": (_LTL, ("G (x1 -> F x2)", "!x1 U (x2 & X x1)", "H (x1 S O x2) <-> Z Y x1", "[](x1 → <>x2)")),
    "regex": (
        _REGEX,
        ("(0*(10)*1)*", "(01)*0", r"(0|1)*01{2,3}", r"[01]+(?:00)?\*", r"[^0]{0,3}1*|ε", r"^(a|b)+\.[a-c\-]$"),
    ),
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
    """Checks that what was read can be written and read again."""
    assert lang.tree(lang.format(formula)) == formula, f"{lang.format(formula)!r} is read as another formula"


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
    for name, (tokens, formulas) in _FORMULAS.items():
        lang = language(name)
        yield Reader(name, partial(_strict, lang, lang.parse), (FormulaSyntaxError,), tokens, formulas)
        around, texts = (*tokens, *_AROUND), _replies(formulas)
        yield Reader(f"{name} answer", partial(_answer, lang, _VOCABULARY[name]), (), around, texts)
        yield Reader(f"{name} answer, any names", partial(_answer, lang, None), (), around, texts)
        described = tuple(lang.describe(lang.parse(text)) for text in formulas[:2])
        yield Reader(f"{name} English", lang.read_description, (EnglishError,), _ENGLISH, described)
    yield Reader(
        "NuSMV",
        partial(_strict, language("ltl"), parse_nusmv),
        (FormulaSyntaxError,),
        _LTL,
        ("G (x1 -> F x2)", "x1 V !x2 xnor x3"),
    )


_PROGRAMS = (
    'formulaToFind = Always(LImplies(AtomicProposition("x1"), Eventually(AtomicProposition("x2"))))',
    'x1 = AtomicProposition("x1")\nx2 = AtomicProposition("x2")\nformulaToFind = Until(LNot(x1), x2)\nprint(formulaToFind)',
    'Here is it:\n```python\nfrom ltl import *\n\ndef f():\n    return 1\n\na = AtomicProposition("x1")\n'
    "formulaToFind = LAnd(a, Next(left=a))\n```\nIt says `And(a, b)`.",
)
_TRACES = (
    "x1 & !x2; !x1; cycle{x1; x2 & !x1}",
    "The trace is:\n\n```\n{x1}, {}, ({x1, x2})^ω\n```",
    "-> State: 1.1 <-\n  x1 = TRUE\n  x2 = FALSE\n-- Loop starts here\n-> State: 1.2 <-\n  x1 = FALSE\n",
    'traceToFind = Trace(prefix=[{"x1": True, "x2": False}], loop=[{"x1": False}])',
    '{"prefix": [["x1"]], "loop": [["x2"], []]}',
    "x1, !x1, x1, !x1, ...",
)
_ANSWERS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "yes or no": (read_yes_no, ("Answer: yes", "They differ on p1.\n\nAnswer: no.", "**Final answer:** Yes, they do")),
    "label": (read_label, ("Answer: True", "It follows.\n\n**Answer: Uncertain**", '{"answer": "False"}')),
    "number": (
        partial(read_number, options=["P(a)", "Q(a)"]),
        ("Answer: 2", "Answer: 1. P(a)", "The answer is option (2) — Q(a)", '{"reasoning": "1 or 2", "answer": 2}'),
    ),
    "order": (read_order, ("Answer: 2, 5, 1", "Ranking: 3 > 1 > 2", '{"answer": [1, 2, 3]}')),
}
_LISTS = (
    '"the door is open": x1\n"the alarm rings": x2',
    'Here are the propositions:\n\n1. “the door is open”: x1\n2. "the car\'s light is on" : `x2`.',
    "Cube(x): x is a cube\nLarge(x): x is large\na: block a",
    "No symbols are needed.",
)


def _answer_readers() -> Iterator[Reader]:
    yield Reader("Python notation", _python, (), (*_PYTHON, "$", "<think>", "\x00", "\ud800"), _PROGRAMS)
    traces = (*_TRACE, *_AROUND)
    yield Reader("trace answer", _trace, (), traces, _TRACES)
    yield Reader("trace answer in Python", partial(_trace, notation="python", is_explicit=True), (), traces, _TRACES)
    yield Reader("trace", partial(parse_trace, atoms=("x1", "x2")), (FormulaSyntaxError,), _TRACE, _TRACES[:1])
    for name, (read, texts) in _ANSWERS.items():
        yield Reader(name, read, (UnreadableError,), (*_QUESTION, *_AROUND), texts)
    lists = (*_LIST, *_AROUND)
    yield Reader("phrases", read_phrases, (UnreadableError,), lists, _LISTS)
    yield Reader("symbols", read_symbols, (UnreadableError,), lists, _LISTS)
    about = ltl_item(sentence="If the door is open, the alarm rings.", propositions=[("the door is open", "x1")] * 2)
    yield Reader("phrases, judged", partial(_judged, PROPOSITIONS, about), (), lists, _LISTS)
    yield Reader("symbols, judged", partial(_judged, ONTOLOGY_EXTRACTION, item()), (), lists, _LISTS)
    verbal, formulas = (
        Ontology(BLOCKS),
        ("∀x. (Cube(x) → Larger(x, a))", "¬Cube(a) ∧ (Small(b) ∨ ∃x. Between(a, x, b))"),
    )
    texts = tuple(verbalize(cast("Sentence", language("first_order").parse(formula)), verbal) for formula in formulas)
    yield Reader("verbalized English", partial(read_verbal, ontology=verbal), (EnglishError,), _ENGLISH, texts)


# --- what servers and files hold ---

_JSON = (
    *_split('{ } [ ] , : " \\ \\u0041 \\ud800 null true NaN Infinity -Infinity 1e999 -0 1.5 0x "": "a": [[ {"a":'),
    *(" ", "\n", "\x00", "\ud800", "9" * 20, "é", "\u2028"),
)
_COMPLETION = {
    "id": "chatcmpl-1", "model": "m", "usage": {"prompt_tokens": 3, "completion_tokens": 5, "total_tokens": 8},
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "¬p1"}}],
}  # fmt: skip
_EMBEDDING = {"model": "m", "data": [{"index": 0, "embedding": [0.5, -1.0]}], "usage": {"prompt_tokens": 3}}
_BODY = {"model": "m", "messages": [{"role": "user", "content": "Translate:\n¬p1"}]}
_YAML = (
    *(
        "- ",
        "? ",
        ": ",
        "a: ",
        "&a ",
        "*a",
        "!!python/object/apply:os.system ",
        "!!str ",
        "!a ",
        "|",
        ">",
        "|-\n",
        "---\n",
    ),
    *(
        "...\n",
        "%YAML 1.1\n",
        "<<: ",
        "[",
        "]",
        "{",
        "}",
        ",",
        '"',
        "'",
        "#",
        "\\",
        "\n",
        " ",
        "  ",
        "\t",
        "\x00",
        "\x85",
    ),
    *("parsed_body:", "interactions:\n", "null", "~", "1e999", "0x1", "2001-01-01", "=", "@", "`", "\ufeff", "\ud800"),
)
_CSV = (
    *(",", ";", "\t", '"', '""', "\n", "\r", "\r\n", " ", "sentence", "formula", "propositions", "trace", "satisfies"),
    *(
        "Natural Language",
        "Ground Truth",
        "Groups Truth",
        "G (x1 -> F x2)",
        '"a" : x1',
        ":",
        "x1",
        "'",
        "\x00",
        "\ud800",
        "é",
    ),
)
_LTL_ROW = {
    "id": "1",
    "sentence": "If a, then b later.",
    "propositions": {"a": "x1", "b": "x2"},
    "formula": "G (x1 -> F x2)",
}
_STORY = {
    "premises": ["Every cube is large.", "a is a cube."], "premises-FOL": ["∀x. (Cube(x) → Large(x))", "Cube(a)"],
    "conclusion": "a is large.", "conclusion-FOL": "Large(a)", "label": "True",
}  # fmt: skip
_ROWS = (
    _LTL_ROW, _STORY, {"sentence": "Every cube is large.", "formula": "∀x. (Cube(x) → Large(x))"},
    {"formula": "G x1", "trace": "x1; cycle{x1}", "satisfies": "yes"}, {"text": "G ( x1", "well_formed": "no"},
    {"formula": "p1 ∧ p2", "other": "p2 ∧ p1", "same": "yes", "language": "propositional"},
    {"sentence": "a is a cube.", "formula": "Cube(a)", "ontology": {"Cube(x)": "x is a cube", "a": "block a"}},
)  # fmt: skip
_TABLES = (
    'Natural Language,Ground Truth,Atomic Proposition\n"If a, then b.",G (x1 -> F x2),"""a"" : x1 , ""b"" : x2"\n',
    "LTL Formula;Trace;Groups Truth\nF x1;!x1; cycle{x1};Satisfying\nG x2;cycle{!x2};Violating\n",
    "formula\tother\tsame\np1 & p2\tp2 & p1\tyes\n",
)
_FORMULA_CELLS = (
    "G (x1 -> F x2)",
    "∀x (Cube(x) → Large(x)).",
    "∃x(Dog(x) ∧ Older(x, mr.smith)",
    "P(captain america) & 4.5 = x",
)
_CELLS = ('"a opens" : x1 , "b shuts" : x2', "x1: a opens, x2: b shuts", '{"a opens": "x1"}', "“Green” x1, 'red' : x2")
_LARK = (
    *(
        "start: ",
        "a: ",
        "?b: ",
        "_c: ",
        "PROPOSITION",
        "PROPOSITION: /p/\n",
        "SYMBOL",
        "CONSTANT",
        '"¬" ',
        '"',
        "'",
        "/a/",
        "|",
    ),
    *(
        "(",
        ")",
        "[",
        "]",
        "*",
        "+",
        "?",
        "~1..9",
        "~100000",
        "-> x",
        "%ignore ",
        "%import ",
        "%extend a: ",
        "{",
        "}",
        "!",
        ".",
    ),
    *("//", "#", "\n", " ", "\\", "a ", "start ", "// language: propositional\n", "\x00", "é", "\ud800", ".1: "),
)
_GRAMMARS = (
    '// language: propositional\nstart: PROPOSITION | compound\ncompound: "¬" PROPOSITION | "(" start "∧" start ")"\n'
    "PROPOSITION: /[a-z]+/\n",
    '// language: regex\nstart: SYMBOL | "(" start start ")" | _star\n_star: "(" start ")*"\nSYMBOL: /[01]/\n%ignore " "\n',
)
_TOML = (
    *(
        "system = ",
        "user = ",
        "refine = ",
        "[[examples]]\n",
        "[examples]\n",
        "answer = ",
        '"""',
        "'''",
        '"',
        "'",
        "=",
        ".",
        "#",
    ),
    *(
        "${formula}",
        "${part:refine}",
        "${part:",
        "${",
        "$$",
        "}",
        "[",
        "]",
        "{",
        ",",
        "\\",
        "\n",
        " ",
        "1",
        "1e9",
        "2001-01-01",
    ),
    *("a.", "[[", "true", "\x00", "\ud800", "é", "_"),
)
_TEMPLATE = (
    'system = "You translate."\nuser = """\n${formula}\n"""\n[[examples]]\nformula = "p1"\nanswer = "p1 holds."\n'
)
_SCORES = "model,human_eval,bbh\ngpt-5-mini,0.9,0.5\noffline/student,0.1,\n"
_KEPT = {
    "schema_version": 1, "suite": "s", "grammar": "ltl", "language": "ltl", "vocabulary": "default", "formula": "G x1",
    "operators": 1, "outcome": "different", "first_seen": "2026-01-01", "last_seen": "2026-01-02", "model": "m",
}  # fmt: skip


@contextmanager
def _written(name: str, text: str) -> Iterator[Path]:
    """A file with a text, in a folder of its own."""
    with TemporaryDirectory() as folder:
        file = Path(folder, name)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        yield file


def _of_file(name: str, read: Callable[[Path], object]) -> Callable[[str], None]:
    """A reader of texts by a reader of files."""

    def of_text(text: str) -> None:
        with _written(name, text) as file:
            read(file)

    return of_text


def _server(read: Callable[[Any], object]) -> Callable[[str], object]:
    return lambda text: read(decode(text.encode("utf-8", "surrogatepass"), Redactor(["a secret of ours"])))


def _vectors(payload: Any) -> None:
    read_embedding(payload, 1)
    read_vectors(payload, 1)
    trimmed(payload)


def _recording(file: Path) -> None:
    read_request(file)
    read_recording(file, _BODY)


def _report(file: Path) -> None:
    merged = merge([file])
    analysis = analyse(merged.rows, Rules(threshold=0.5))
    summary_text(analysis, analysis.exit_code)


def _template(file: Path) -> None:
    load("informalize", "ltl", [file.parent.parent], slots=("formula",)).render({"formula": "p"}, few_shot=False)


def _drawn(file: Path) -> None:
    sample_formulas(file, operators=2, count=3)


def _shown_recording() -> str:
    with TemporaryDirectory() as folder:
        file = Path(folder, "recording.yaml")
        write_recording(file, _BODY, _COMPLETION, overwrite=True)
        return file.read_text("utf-8")


def _lines(*values: object) -> str:
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def _file_readers() -> Iterator[Reader]:
    answers = (json.dumps(_COMPLETION), json.dumps({"error": {"message": "no", "code": 429}}))
    keys = (
        '"choices": [',
        '"message": {',
        '"content": "',
        '"usage": {',
        '"data": [',
        '"embedding": [',
        '"index": 0',
        "0.5,",
    )
    yield Reader("server's answer", _server(read_completion), (CallError,), (*_JSON, *keys), answers)
    vectors = (json.dumps(_EMBEDDING), json.dumps({"data": [{"index": 0, "embedding": "AAAAPwAAgL8="}]}))
    yield Reader("server's vectors", _server(_vectors), (CallError,), (*_JSON, *keys), vectors)
    yield Reader("recording", _of_file("a.yaml", _recording), (ConfigurationError,), _YAML, (_shown_recording(),))
    results = "".join(
        map(to_line, (row(), row("different", index=1, witness={"kind": "assignment"}, witness_text="p1")))
    )
    tokens = (*_JSON, *(f'"{key}": ' for key in json.loads(results.partition("\n")[0])))
    yield Reader("results", _of_file("results.jsonl", _report), (ResultsError,), tokens, (results,))
    yield Reader(
        "kept counterexample", _of_file("a.json", lambda file: read_folder(file.parent)), (), _JSON, (_lines(_KEPT),)
    )
    rows = _lines(*_ROWS)
    columns = tuple(f'"{name}": ' for one in _ROWS for name in one)
    for ending, known, texts in (
        ("csv", _CSV, _TABLES),
        ("jsonl", (*_JSON, *columns, "}\n{"), (rows, results)),
        ("json", (*_JSON, *columns), (json.dumps(_ROWS, indent=1), json.dumps(_ROWS[:2]))),
    ):
        read = _of_file(f"data.{ending}", lambda file: file_problems((file,)))
        yield Reader(f"data set, {ending}", read, (DataSetError,), known, texts)
    yield Reader("temporal formula of a row", formula_of, (FormulaSyntaxError,), _LTL, _FORMULA_CELLS)
    yield Reader("formula of a row, repaired", repaired, (FormulaSyntaxError,), _FIRST_ORDER, _FORMULA_CELLS)
    cells = (*_CSV, "“", "”", "‘", "’", "„", "->", "→", "=", "{", "}", "[", "]", "X2", "\u2009", "\x01")
    yield Reader("propositions of a row", read_propositions, (ValueError,), cells, _CELLS)
    ontology = json.dumps(_ROWS[-1]["ontology"])
    glossary = partial(glossary_of_row, data=Path("data.jsonl"))
    yield Reader("ontology of a row", glossary, (DataSetError,), (*_JSON, "(", ")", "x", ", "), (ontology, "a.json"))
    yield Reader("grammar", _of_file("a.lark", _drawn), (AutoevalError,), _LARK, _GRAMMARS, seconds=5.0)
    yield Reader("template", _of_file("informalize/ltl.toml", _template), (PromptError,), _TOML, (_TEMPLATE,))
    yield Reader(
        "scores", _of_file("scores.csv", read_scores), (CorrelateError,), (*_CSV, "model", "0.5", "nan"), (_SCORES,)
    )


READERS = {reader.name: reader for reader in (*_formula_readers(), *_answer_readers(), *_file_readers())}
