"""Witnesses as the page draws them: made by the languages, each drawing shows what its witness says."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.page_canvas import Canvas

from pytest_autoeval import language, sample_formulas
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.ltl.traces.lasso import Lasso
from pytest_autoeval.languages.propositional.evaluate import evaluate

Row = dict[str, Any]
PHONE = 390


def row(name: str, reference: str, answer: str) -> Row:
    """What a results row says of two formulas that differ."""
    tongue = language(name)
    formulas = [tongue.read(text).formula for text in (reference, answer)]
    assert None not in formulas
    verdict = tongue.equivalent(formulas[0], formulas[1])  # type: ignore[arg-type]
    assert verdict.witness is not None
    texts = [tongue.format(formula) for formula in formulas if formula is not None]
    return {
        "language": name,
        "formula": texts[0],
        "translation": texts[1],
        "other": None,
        "trace": None,
        "witness": verdict.witness.to_json(),
    }


def test_an_assignment_is_a_table_of_its_propositions(canvas: Canvas) -> None:
    shown = row("propositional", "(p2 ∧ p10) → p3", "p2 ∧ (p10 → p3)")
    canvas.draw("drawWitness", shown)
    values = shown["witness"]["values"]
    assert canvas.all(".assignment th") == ["p2", "p3", "p10"], "in the order of their numbers"
    assert canvas.all(".assignment td") == [
        str(values[name]).lower() for name in ("p2", "p3", "p10")
    ]
    assert canvas.all(".sides tbody th") == ["given", "model's"]
    sides = [str(shown["witness"][side]).lower() for side in ("left", "right")]
    assert canvas.all(".sides td:last-child") == sides


def test_the_formulas_that_a_test_compared_stand_beside_the_witness(canvas: Canvas) -> None:
    shown = row("propositional", "p1 ∧ p2", "p1 ∨ p2")
    canvas.draw("drawWitness", {**shown, "translation": "p1 ∧ p2", "compared": "p1 ∨ p2"})
    assert canvas.all(".sides .token-sign") == ["p1", "∧", "p2", "p1", "∨", "p2"]
    with_another = {**shown, "formula": "p9", "compared_with": "p1 ∧ p2"}
    canvas.draw("drawWitness", with_another)
    assert canvas.all(".sides .token-sign") == ["p1", "∧", "p2", "p1", "∨", "p2"]


def test_every_sub_formula_has_its_value_below_its_main_sign(canvas: Canvas) -> None:
    canvas.draw("drawWitness", row("propositional", "¬(p1 ∨ p2) ↔ (p1 ⊕ p2 ⊕ ⊤)", "⊥"))
    signs = canvas.all("tr:first-child .token-sign")
    values = canvas.all("tr:first-child .token .value")
    assert "".join(signs) == "¬(p1∨p2)↔(p1⊕p2⊕⊤)"
    p1, p2 = (values[signs.index(name)] == "T" for name in ("p1", "p2"))
    either, first, second = p1 or p2, p1 != p2, (p1 != p2) is False
    main = (not either) == second
    words = {True: "T", False: "F", None: "\xa0"}
    expected = [
        not either,
        None,
        p1,
        either,
        p2,
        None,
        main,
        None,
        p1,
        first,
        p2,
        second,
        True,
        None,
    ]
    assert values == [words[value] for value in expected]
    assert canvas.one("tr:first-child .token.main .token-sign") == "↔"
    assert canvas.one(
        "tr:first-child .formula-values", "element.getAttribute('aria-label')"
    ).endswith(f": {str(main).lower()}")


def test_drawn_formulas_are_valued_as_the_verifier_values_them(canvas: Canvas) -> None:
    """The page's own evaluation against the language's, on formulas of every size that the grammar has."""
    chance = random.Random(5)
    tongue = language("propositional")
    for formula in sample_formulas("propositional", operators=9, count=30, seed=3):
        assert isinstance(formula, Sentence)
        text = tongue.format(formula)
        values = {name: chance.random() < 0.5 for name in tongue.symbols(formula).propositions}
        value = evaluate(formula, values)
        witness = {"kind": "assignment", "values": values, "left": value, "right": not value}
        canvas.draw("drawWitness", {"formula": text, "translation": text, "witness": witness})
        assert canvas.count("tr:nth-child(1) .formula-values") == 1, text
        assert canvas.count("tr:nth-child(2) .formula-values") == 0, (
            "a value that is not that of the verifier is not shown"
        )


@pytest.mark.parametrize(
    "text",
    ["p1 ∧ p2 ∨ p1", "p1 → p2 → p1", "(p1", "p1)", "p9", "∀x. P(x)", "p1 p2", "", "¬" * 400 + "p1"],
)
def test_what_is_no_formula_in_canonical_notation_is_shown_as_it_is(
    canvas: Canvas, text: str
) -> None:
    witness = {
        "kind": "assignment",
        "values": {"p1": True, "p2": True},
        "left": True,
        "right": True,
    }
    canvas.draw("drawWitness", {"formula": text, "translation": text, "witness": witness})
    assert canvas.count(".formula-values") == 0
    assert canvas.all(".sides .formula") == [text, text]


def test_a_finite_model_shows_its_elements_and_what_holds_of_them(canvas: Canvas) -> None:
    shown = row("first_order", "P(f(a)) ∧ ¬P(a) ∧ R(a, b) ∧ Q(c)", "P(a) ∧ ¬P(f(a))")
    canvas.draw("drawWitness", shown)
    witness = shown["witness"]
    cells = {line[0]: line[1:] for line in canvas.rows("table.truths")}
    assert list(cells) == list(map(str, witness["domain"]))
    unary = [
        name for name, tuples in witness["predicates"].items() if tuples and len(tuples[0]) == 1
    ]
    for element in witness["domain"]:
        names = [name for name, its in witness["constants"].items() if its == element]
        holds = [str([element] in witness["predicates"][name]).lower() for name in unary]
        assert cells[str(element)] == [", ".join(names), *holds]
    assert canvas.rows(".relation table") == [
        list(map(str, line)) for line in witness["functions"]["f"]
    ]
    empty = [name for name, tuples in witness["predicates"].items() if not tuples]
    assert sorted(canvas.all(".empty-predicates .name")) == sorted(empty)


def test_a_relation_is_a_graph_with_an_arrow_for_each_pair(canvas: Canvas) -> None:
    shown = row(
        "first_order", "∀x. ∃y. (loves(x, y) ∧ ¬loves(y, x)) ∧ loves(a, b)", "∃y. ∀x. loves(x, y)"
    )
    canvas.draw("drawWitness", shown)
    pairs = shown["witness"]["predicates"]["loves"]
    assert canvas.count(".graph .node") == len(shown["witness"]["domain"])
    assert canvas.count(".graph path.arrow") == len(pairs) > 0
    label = canvas.one(".graph", "element.getAttribute('aria-label')")
    assert label == "loves relates " + ", ".join(f"{pair} to {other}" for pair, other in pairs)


def test_propositions_and_relations_of_many_places_are_tables(canvas: Canvas) -> None:
    canvas.draw(
        "drawWitness", row("first_order", "B(a, a, a) ∧ p ∧ ∃x. ¬B(x, x, x)", "¬p ∧ B(a, a, a)")
    )
    drawn = [line for line in canvas.rows("table.truths") if line[0] == "p"]
    assert drawn in ([["p", "true"]], [["p", "false"]])
    assert canvas.all(".relation figcaption") == ["B"]
    assert canvas.all(".relation th[scope=col]") == ["argument 1", "argument 2", "argument 3"]


@pytest.mark.parametrize(
    ("reference", "answer"),
    [
        ("G (request -> F grant)", "F (request -> G grant)"),
        ("p & X !p & X X G (p <-> X !p)", "false"),
        ("G p", "F p"),
    ],
)
def test_a_trace_is_a_row_of_states_that_comes_back(
    canvas: Canvas, reference: str, answer: str
) -> None:
    shown = row("ltl", reference, answer)
    canvas.draw("drawWitness", shown)
    witness = shown["witness"]
    states = [*witness["prefix"], *witness["loop"]]
    assert canvas.all(".timeline .node text") == [str(step) for step in range(1, len(states) + 1)]
    assert canvas.all(".timeline text.atom", "element.lastChild.data") == witness["atoms"]
    marks = [["T" if atom in state else "F" for state in states] for atom in witness["atoms"]]
    assert canvas.all(".timeline .cell text") == [mark for line in marks for mark in line]
    assert canvas.count(".timeline path.arrow.back") == 1
    assert canvas.count(".timeline path.arrow:not(.back)") == len(states), (
        "into the first state, and between states"
    )
    back = "(({x}) => x)(element.getPointAtLength({at}))"
    columns = canvas.all(".timeline .node circle", "Number(element.getAttribute('cx'))")
    start = canvas.one(".timeline .back", back.replace("{at}", "0"))
    end = canvas.one(".timeline .back", back.replace("{at}", "element.getTotalLength()"))
    assert start == pytest.approx(columns[-1], abs=8)
    assert end == pytest.approx(columns[len(witness["prefix"])], abs=8)


def test_the_trace_of_a_sample_is_drawn_without_a_witness(canvas: Canvas) -> None:
    lasso = Lasso(("x1", "cycle"), (frozenset({"x1"}),), (frozenset({"cycle"}), frozenset()))
    canvas.draw("drawWitness", {"formula": "F x1", "witness": None, "trace": str(lasso)})
    assert canvas.all(".timeline .cell text") == list("TFFFTF")
    assert canvas.one(".loop-ground", "Number(element.getAttribute('width'))") == 2 * 44 - 6


@pytest.mark.parametrize(
    "text",
    ["", "F p", "p; q", "cycle{p", "cycle{p}; q", "p | q; cycle{1}", "cycle{}", "<b>; cycle{1}"],
)
def test_a_text_that_is_no_trace_is_not_drawn(canvas: Canvas, text: str) -> None:
    canvas.draw("drawWitness", {"formula": "F p", "witness": None, "trace": text})
    assert canvas.count("*") == 0


def test_a_string_is_shown_with_both_automata_and_its_runs(canvas: Canvas) -> None:
    shown = row("regex", "0*1*0*", "0*1+0+")
    canvas.draw("drawWitness", shown)
    assert shown["witness"]["text"] == ""
    assert canvas.one("figcaption .string") == "ε"
    for side, automaton in enumerate(shown["witness"]["automata"].values()):
        within = f".side:nth-child({side + 1}) "
        assert canvas.count(within + ".node") == 3
        assert canvas.count(within + ".node .accepting") == len(automaton["accepting"]), (
            "a second circle"
        )
        assert canvas.count(within + "path.arrow:not(.start)") == len(automaton["edges"])
        assert canvas.count(within + "path.arrow.start") == 1
        assert canvas.all(within + ".edge-label") == [label for _, label, _ in automaton["edges"]]
        assert canvas.all(within + ".node.walked text") == ["0"]
        assert canvas.count(within + "path.walked:not(.start)") == 0, "ε takes no edge"
    assert canvas.all(".run") == [
        "run of ε: stays in 0, an accepting state",
        "run of ε: stays in 0, not an accepting state",
    ]
    assert canvas.all("h4 > span") == ["✓ accepts ε", "✗ does not accept ε"]


def test_a_run_is_highlighted_to_where_it_gets_stuck(canvas: Canvas) -> None:
    shown = row("regex", "0101", "01")
    assert shown["witness"]["text"] == "01"
    canvas.draw("drawWitness", shown)
    assert canvas.all(".run") == [
        "run: 0 –0→ 1 –1→ 2, not an accepting state",
        "run: 0 –0→ 1 –1→ 2, an accepting state",
    ]
    assert canvas.all(".side:first-child .edge-label.walked") == ["0", "1"]
    assert canvas.count(".side:first-child path.walked:not(.start)") == 2
    assert canvas.count(".node.tone-bad") == canvas.count(".node.tone-good") == 1
    canvas.draw("drawWitness", row("regex", "00", "01"))
    assert canvas.all(".run") == [
        "run: 0 –0→ 1 –0→ 2, an accepting state",
        "run: 0 –0→ 1, stuck: no edge for 0",
    ]
    assert canvas.all(".side:last-child .node.walked text") == ["0", "1"]


def test_an_automaton_that_is_too_large_is_said_to_be_left_out(canvas: Canvas) -> None:
    shown = row("regex", "(0|1)*1(0|1)(0|1)(0|1)(0|1)", "0")
    assert shown["witness"]["automata"]["first"] is None
    canvas.draw("drawWitness", shown)
    assert canvas.count(".side:first-child .not-drawn") == 1
    assert canvas.count(".side:last-child .diagram") == 1
    older = {"kind": "string", "text": "0", "accepted_by": "second"}
    canvas.draw("drawWitness", {**shown, "witness": older})
    assert canvas.count(".not-drawn") == 2, "results files from before this had no automata"


def test_the_symbol_at_which_two_strings_part_is_named(canvas: Canvas) -> None:
    tongue = language("ltl_strings")
    verdict = tongue.equivalent("! p1 & p2", "! p1 & p2 )")
    assert verdict.witness is not None
    canvas.draw(
        "drawWitness",
        {
            "formula": "! p1 & p2",
            "translation": "! p1 & p2 )",
            "witness": verdict.witness.to_json(),
        },
    )
    assert canvas.one("figcaption") == "The two differ first in their symbol number 5"
    assert canvas.all(".sides td:last-child") == ["none: it has ended", ")"]


def test_a_witness_of_an_unknown_kind_is_left_to_its_text(canvas: Canvas) -> None:
    for witness in (
        None,
        {"kind": "constructor"},
        {"kind": "of a later release", "left": True, "right": False},
    ):
        canvas.draw("drawWitness", {"formula": "a", "translation": "b", "witness": witness})
        assert canvas.count("*") == 0


def test_texts_of_models_stay_text(canvas: Canvas) -> None:
    hostile = '</script><img src=x onerror="alert(1)">\u202ex\x1b[1m'
    base = {"formula": hostile, "translation": hostile}
    sides = {"left": True, "right": False}
    model = {
        "kind": "finite model",
        "domain": [1],
        "constants": {hostile: 1},
        "functions": {hostile: [[1, 1]]},
    }
    automaton = {"start": 0, "accepting": [0], "edges": [[0, "<,\u202e,&", 0]]}
    witnesses: list[Row] = [
        {"kind": "assignment", "values": {hostile: True}, **sides},
        {
            **model,
            "predicates": {
                hostile: [[1]],
                hostile + "2": [[1, 1]],
                hostile + "3": True,
                hostile + "4": [],
            },
            **sides,
        },
        {"kind": "trace", "prefix": [], "loop": [[hostile]], "atoms": [hostile], **sides},
        {
            "kind": "string",
            "text": "<\u202e",
            "accepted_by": "first",
            "automata": {"first": automaton, "second": automaton},
        },
        {"kind": "symbol", "place": 0, "left": hostile, "right": "", **sides},
    ]
    for witness in witnesses:
        canvas.draw("drawWitness", {**base, "witness": witness})
        whole = canvas.page.value("document.getElementById('canvas').outerHTML")
        assert "\u202e" not in whole, witness["kind"]
        assert "\x1b" not in whole, witness["kind"]
        assert "\\u202e" in whole
        assert canvas.count("img") == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_drawings_fit_a_phone_or_are_moved_by_keys(canvas: Canvas, scheme: str) -> None:
    canvas.page.prefers(prefers_color_scheme=scheme)
    canvas.page.size(PHONE)
    canvas.page.until(f"innerWidth === {PHONE}")
    wide = " ∧ ".join(f"(p{number} ∨ ¬p{number + 1})" for number in range(1, 12))
    for shown in (
        row("propositional", wide, "⊥"),
        row("first_order", "∀x. (knows(x, Alexandra) → ∃y. (knows(y, x) ∧ ¬knows(x, y)))", "⊥"),
        row("regex", "0101010101", "1"),
        {"formula": "F p", "witness": None, "trace": "p; " * 30 + "cycle{!p}"},
    ):
        canvas.draw("drawWitness", shown)
        assert canvas.page.value("document.documentElement.scrollWidth") <= PHONE
        beyond = canvas.all(
            "*",
            "element.getBoundingClientRect().right > 390 && !element.closest('.scrolled[tabindex]')",
        )
        assert not any(beyond)
