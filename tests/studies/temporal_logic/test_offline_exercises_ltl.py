"""The exercises of temporal logic: answered rightly by the faithful model in each notation, wrongly by the faults."""

from __future__ import annotations

import pytest

from pytest_autoeval import prompts
from pytest_autoeval.datasets import Item, data_set
from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.ltl.english import ENGLISH
from pytest_autoeval.languages.ltl.python_notation import read_python, to_python
from pytest_autoeval.languages.ltl.syntax import Temporal
from pytest_autoeval.languages.ltl.traces.lasso import parse_trace
from pytest_autoeval.languages.ltl.traces.lasso import to_python as trace_to_python
from pytest_autoeval.models.offline.answer_key import AnswerKey
from pytest_autoeval.models.offline.answering import answer
from pytest_autoeval.models.protocols import Message

LTL = language("ltl")
SENTENCE = "Whenever the crane lifts, some hook is locked at that step or later."
PROPOSITIONS = '"the crane lifts": a\n"some hook is locked": b'
UNKNOWN = "I cannot tell what this says"


def shipped(name: str) -> list[Item]:
    """All items of a data set."""
    items = data_set(name)
    assert items is not None
    return [item for size in items.sizes or () for item in items.items(size)]


def asked(
    task: str, interface: str, slots: dict[str, str], *, few_shot: bool = False
) -> list[Message]:
    """The conversation of a shipped prompt."""
    template = prompts.load(task, "ltl", interface=interface)
    return [Message(role, content) for role, content in template.render(slots, few_shot=few_shot)]


def said(
    model: str,
    task: str,
    interface: str = "detailed",
    key: AnswerKey | None = None,
    /,
    **slots: str,
) -> str:
    """What a model answers to a shipped prompt."""
    return answer(f"offline/{model}", asked(task, interface, slots), answer_key=key or KEY).text


def listed(item: Item) -> str:
    """The propositions of an item as prompts list them."""
    return "\n".join(f'"{phrase}": {name}' for phrase, name in item.facts["propositions"])


def formula(text: str) -> Temporal:
    """The formula of a text."""
    parsed = LTL.parse(text)
    assert isinstance(parsed, Temporal)
    return parsed


def crane() -> AnswerKey:
    """A key that was taught one sentence of a user's own."""
    facts = {
        "sentence": SENTENCE,
        "propositions": [["the crane lifts", "x1"], ["some hook is locked", "x2"]],
    }
    tree = formula("G (x1 -> F x2)")
    key = AnswerKey()
    key.add_meanings(
        [Item("own", "ltl", Vocabulary(propositions=("x1", "x2")), "custom", 3, 0, 0, tree, facts)]
    )
    return key


KEY = crane()


# Sentences


@pytest.mark.parametrize(
    ("task", "name"), [("translate", "ltl_future"), ("translate_past", "ltl_past")]
)
@pytest.mark.parametrize("interface", ["minimal", "detailed", "python"])
def test_every_shipped_sentence_is_translated_rightly(task: str, name: str, interface: str) -> None:
    items = shipped(name)
    assert len(items) >= 60
    for item in items:
        text = said(
            "faithful", task, interface, sentence=item.facts["sentence"], propositions=listed(item)
        )
        reading = read_python(text) if interface == "python" else LTL.read(text)
        assert reading.compliant
        assert reading.formula is not None
        same = (
            reading.formula == item.formula
            or LTL.equivalent(reading.formula, item.formula).outcome == "equivalent"
        )
        assert same, item.facts["sentence"]


@pytest.mark.parametrize("name", ["ltl_propositions", "ltl_future", "ltl_past"])
def test_every_shipped_sentence_is_taken_apart_rightly(name: str) -> None:
    for item in shipped(name):
        assert said("faithful", "propositions", sentence=item.facts["sentence"]) == listed(item)


def test_the_offline_english_is_read_in_sentences_too() -> None:
    sentence = ENGLISH.describe(formula("G (p1 -> X p2)"))
    assert said("faithful", "propositions", sentence=sentence) == '"p1 holds": p1\n"p2 holds": p2'
    given = '"p1 holds": x1\n"p2": x2'
    assert said("faithful", "translate", sentence=sentence, propositions=given) == "G (x1 -> X x2)"


@pytest.mark.parametrize(
    ("task", "slots"),
    [
        ("propositions", {"sentence": "Dogs bark."}),
        ("translate", {"sentence": "Dogs bark.", "propositions": '"dogs bark": x1'}),
        ("translate_sentence", {"requirement": "Dogs bark."}),
        ("judge_trace", {"formula": "G x1 ->", "trace": "cycle{x1}"}),
        ("judge_trace", {"formula": "G x1", "trace": "x1; x1"}),
        ("write_trace", {"formula": "G x1 ->", "wanted": "a satisfying trace"}),
    ],
)
def test_what_is_not_known_is_not_guessed(task: str, slots: dict[str, str]) -> None:
    assert answer(
        "offline/faithful", asked(task, "detailed", slots), answer_key=KEY
    ).text.startswith(UNKNOWN)


def test_a_sentence_alone_gets_propositions_of_the_models_own() -> None:
    assert said("faithful", "translate_sentence", requirement=SENTENCE).splitlines() == [
        '"the crane lifts": the_crane_lifts',
        '"some hook is locked": some_hook_is_locked',
        "Formula: G (the_crane_lifts -> F some_hook_is_locked)",
    ]
    *_, last = said("faithful", "translate_sentence", "python", requirement=SENTENCE).splitlines()
    assert read_python(last).formula == formula("G (the_crane_lifts -> F some_hook_is_locked)")


# Well-formedness and traces


@pytest.mark.parametrize("interface", ["minimal", "detailed"])
@pytest.mark.parametrize(
    ("string", "verdict"),
    [
        ("G (x1 -> F x2)", "yes"),
        ("G x1 ->", "no"),
        ("x1 S", "no"),
        ("(S x1)", "no"),
        ("x1 = x2", "no"),
        ("x1)", "no"),
    ],
)
def test_strict_syntax_tells_what_is_well_formed(interface: str, string: str, verdict: str) -> None:
    assert said("faithful", "well_formed", interface, string=string) == verdict
    assert said("accepts-all", "well_formed", interface, string=string) == "yes"


@pytest.mark.parametrize(
    ("text", "trace", "verdict"),
    [
        ("G (x1 -> F x2)", "x1 & !x2; cycle{x1 & x2; !x1 & !x2}", "yes"),
        ("G (x1 -> F x2)", "x1 & !x2; cycle{x1 & !x2}", "no"),
        ("X Y x1", "cycle{x1}", "yes"),
        ("Y x1", "cycle{x1}", "no"),
    ],
)
def test_traces_are_judged_in_both_notations(text: str, trace: str, verdict: str) -> None:
    for interface in ("minimal", "detailed"):
        assert said("faithful", "judge_trace", interface, formula=text, trace=trace) == verdict
    in_python = to_python(formula(text)), trace_to_python(parse_trace(trace))
    assert (
        said("faithful", "judge_trace", "python", formula=in_python[0], trace=in_python[1])
        == verdict
    )


def test_a_trace_that_does_not_exist_is_not_written() -> None:
    assert (
        said("faithful", "write_trace", formula="G x1 & F !x1", wanted="a satisfying trace")
        == "There is no such trace."
    )
    assert (
        said("faithful", "write_trace", formula="x1 | !x1", wanted="a violating trace")
        == "There is no such trace."
    )


# Faults


def test_over_extraction_adds_a_proposition() -> None:
    assert said("over-extracts", "propositions", sentence=SENTENCE).splitlines() == [
        '"the crane lifts": x1',
        '"some hook is locked": x2',
        '"the system keeps running": x3',
    ]
    assert said("over-extracts", "translate_sentence", requirement=SENTENCE).splitlines()[-2:] == [
        '"the system keeps running": the_system_keeps_running',
        "Formula: G (the_crane_lifts -> F some_hook_is_locked)",
    ]


def test_a_whole_sentence_hides_its_structure() -> None:
    assert (
        said("whole-sentence", "propositions", sentence=SENTENCE)
        == f'"{SENTENCE.removesuffix(".")}": x1'
    )
    named, written = said("whole-sentence", "translate_sentence", requirement=SENTENCE).splitlines()
    assert named.startswith(f'"{SENTENCE.removesuffix(".")}": ')
    assert written == f"Formula: {named.rpartition(': ')[2]}"


@pytest.mark.parametrize(
    ("fault", "answered"),
    [
        ("globally-for-eventually", "F (a -> G b)"),
        ("mis-scoped", "G a -> F b"),
        ("new-atom", "G (event -> F b)"),
        (
            "prose",
            "The statement can be written as `G (a -> F b)`. It is made of:\n\n1. `a -> F b`",
        ),
    ],
)
def test_faults_show_in_translations(fault: str, answered: str) -> None:
    assert said(fault, "translate", sentence=SENTENCE, propositions=PROPOSITIONS) == answered


@pytest.mark.parametrize(
    ("fault", "text", "trace", "verdict"),
    [
        ("globally-for-eventually", "G x1", "!x1; cycle{x1}", "yes"),
        ("dropped-next", "X x1", "x1; cycle{!x1}", "yes"),
        ("weak-until", "x1 U x2", "cycle{x1 & !x2}", "yes"),
        ("mis-scoped", "G (x1 -> F x2)", "!x1 & !x2; cycle{x1 & !x2}", "yes"),
        ("yesterday-for-historically", "Y x1", "cycle{x1}", "yes"),
        ("new-atom", "x1", "cycle{x1}", "no"),
    ],
)
def test_faults_show_in_judgements_of_traces(
    fault: str, text: str, trace: str, verdict: str
) -> None:
    assert said(fault, "judge_trace", formula=text, trace=trace) == verdict
    assert said("faithful", "judge_trace", formula=text, trace=trace) != verdict
