"""Traces: as values, as canonical text, as Python, and as models write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lassos import lassos

from pytest_autoeval.languages.base import FormulaSyntaxError, LimitError
from pytest_autoeval.languages.ltl.traces.lasso import Lasso, State, parse_trace, to_python
from pytest_autoeval.languages.ltl.traces.notation import read_trace

ATOMS = ("x1", "x2")
LISTING = """\
-- specification  G (x1 -> F x2)  is false
-- as demonstrated by the following execution sequence
Trace Description: LTL Counterexample
Trace Type: Counterexample
  -> State: 1.1 <-
    x1 = TRUE
    x2 = FALSE
  -- Loop starts here
  -> State: 1.2 <-
    x1 = FALSE
  -> State: 1.3 <-
    x2 = TRUE
  -> State: 1.4 <-
    x2 = FALSE"""
PROGRAM = """\
from dataclasses import dataclass

@dataclass
class Trace:
    prefix: list
    loop: list

start = {"x1": True, "x2": False}
traceToFind = Trace(prefix=[start], loop=[{"x1": False, "x2": True}])
print(traceToFind)"""


def read(answer: str) -> str:
    """The canonical text of what is read, or nothing."""
    lasso = read_trace(answer, ATOMS, is_explicit=True).lasso
    return "" if lasso is None else str(lasso)


# The trace itself.


def test_a_loop_has_states_over_the_atoms() -> None:
    with pytest.raises(ValueError, match="at least one state"):
        Lasso(ATOMS, (frozenset(),), ())
    with pytest.raises(ValueError, match="states over x3, which are not among its atoms"):
        Lasso(ATOMS, (frozenset({"x3"}),), (frozenset(),))


# The canonical text and Python.


def test_a_trace_is_written_in_both_notations() -> None:
    lasso = Lasso(ATOMS, (frozenset({"x1"}), frozenset({"x2"})), (frozenset(ATOMS), frozenset()))
    assert str(lasso) == "x1 & !x2; !x1 & x2; cycle{x1 & x2; !x1 & !x2}"
    assert to_python(lasso) == (
        'Trace(prefix=[{"x1": True, "x2": False}, {"x1": False, "x2": True}], '
        'loop=[{"x1": True, "x2": True}, {"x1": False, "x2": False}])'
    )
    assert str(Lasso((), (), (frozenset(),))) == "cycle{1}"


@given(
    st.sampled_from([(), ("a",), ("x2", "x1"), ("door.open", "cycle", "loop", "true1")]).flatmap(
        lassos
    )
)
def test_what_is_written_is_read_back(lasso: Lasso) -> None:
    assert parse_trace(str(lasso)) == parse_trace(str(lasso), lasso.atoms) == lasso
    reading = read_trace(str(lasso), lasso.atoms)
    assert (reading.lasso, reading.compliant, reading.recovered) == (lasso, True, False)
    for answer in (f"traceToFind = {to_python(lasso)}", to_python(lasso)):
        reading = read_trace(answer, lasso.atoms, notation="python")
        assert (reading.lasso, reading.compliant, reading.recovered) == (lasso, True, False)


@pytest.mark.parametrize("name", ["run", "trace", "path", "answer", "loop", "state"])
def test_an_atom_may_be_named_like_a_word_about_traces(name: str) -> None:
    for answer in (
        f"{name}=1; cycle{{{name}=0}}",
        f"{name}: true; cycle{{{name}: false}}",
        f"Trace: {name}; cycle{{!{name}}}",
    ):
        assert str(read_trace(answer, (name,)).lasso) == f"{name}; cycle{{!{name}}}"


def test_an_atom_that_a_state_does_not_mention_is_false() -> None:
    assert str(parse_trace("x1;1;\tcycle {x2}", ATOMS)) == "x1 & !x2; !x1 & !x2; cycle{!x1 & x2}"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("x1; x2", "line 1, column 7: the trace has no loop at its end; expected '; cycle{…}'"),
        (
            "x1;\nx2 x1; cycle{1}",
            "line 2, column 1: 'x2 x1' is not a literal; expected an atom, !, 1",
        ),
        ("x1; cycle{}", "line 1, column 11: '' is not a literal; expected an atom, !, 1"),
        ("x1 & !x1; cycle{1}", "line 1, column 6: the state says both x1 and !x1"),
        ("x1 & x3; cycle{1}", "line 1, column 6: the atom 'x3' is not among x1, x2"),
        (
            "x1\u00a0; cycle{1}",
            "line 1, column 1: 'x1\\xa0' is not a literal; expected an atom, !, 1",
        ),
    ],
)
def test_what_is_no_trace_is_refused_with_its_place(text: str, error: str) -> None:
    with pytest.raises(FormulaSyntaxError) as raised:
        parse_trace(text, ATOMS)
    assert str(raised.value) == error


def test_traces_are_limited() -> None:
    with pytest.raises(LimitError, match="more than 1,000 states"):
        parse_trace("x1;" * 1_000 + "cycle{x1}")
    with pytest.raises(LimitError, match="at most 100,000"):
        parse_trace(" " * 100_001)


# Reading what models write.


@pytest.mark.parametrize(
    "answer",
    [
        "x1 ∧ ¬x2; cycle{x2}",
        "{x1}{x2}^ω",
        "[x1 = TRUE, x2 = FALSE]; -- Loop starts here -- [x1 = FALSE, x2 = TRUE]",
        "State 0: {x1}\nLoop:\nState 1: {x2}",
        "State 0:\n  x1 = TRUE\n  x2 = FALSE\n-- Loop starts here --\nState 1:\n  x1 = FALSE\n  x2 = TRUE",
        "A satisfying trace is:\n\n```text\nx1; cycle{x2}\n```\n\nIt holds since cycle{x2} goes on for ever.",
        "Formula: G(x1 -> X x2)\nTrace: x1; cycle{x2}",
        '{"prefix": [{"x1": true, "x2": false}], "loop": [{"x1": false, "x2": true}]}',
        f"```python\n{PROGRAM}\n```",
        'traceToFind = Trace(\n    prefix=[{"x1": True}],\n    loop=[{"x2": True}],\n)\n\nSo x2 always holds.',
        'traceToFind = Trace(prefix=[{"x1"}], loop=[[("x1", False), ("x2", True)]])',
    ],
)
def test_a_trace_is_read_in_many_spellings(answer: str) -> None:
    assert read(answer) == "x1 & !x2; cycle{!x1 & x2}"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("x1; cycle{x1}\nThat fails.\nFinal answer: x1; cycle{x2}", "x1 & !x2; cycle{!x1 & x2}"),
        (
            "```\ncycle{x1}\n```\nOr rather:\n\n**Final answer:**\n```\ncycle{x2}\n```",
            "cycle{!x1 & x2}",
        ),
        ("({x1},{x2})^ω", "cycle{x1 & !x2; !x1 & x2}"),
        (
            f"NuSMV says:\n\n{LISTING}\n\nSo the formula is violated.",
            "x1 & !x2; cycle{!x1 & !x2; !x1 & x2}",
        ),
        (
            LISTING.partition("    x2 = TRUE")[0],
            "x1 & !x2; cycle{!x1 & !x2}",
        ),  # a state without changes
    ],
)
def test_the_place_of_the_highest_rank_counts(answer: str, expected: str) -> None:
    assert read(answer) == expected


@pytest.mark.parametrize(
    "answer",
    [
        "Violating: x1; cycle{x2}\nSatisfying: x2; cycle{x1}",
        "I give `x1; cycle{x2}` instead of `x2; cycle{x1}`.",
        "x2; cycle{x1}\nx1; cycle{x2}",
    ],
)
def test_different_traces_none_of_which_is_final_are_unreadable(answer: str) -> None:
    assert not read(answer)


def test_numbers_that_go_on_into_the_loop_leave_none_out() -> None:
    assert (
        read("0: x1\n1: x2\nloop:\n2: x1\n3: x2") == "x1 & !x2; !x1 & x2; cycle{x1 & !x2; !x1 & x2}"
    )
    assert not read("0: x1\n1: x2\nloop:\n2: x1\n4: x2")
    assert not read("0: x1\n1: x2\nloop:\n2: x1 & !x2\nx2 & !x1")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "the answer is empty"),
        ("x1; x2", "has no loop"),
        ("x3; cycle{x1}", "atom 'x3' is not among x1, x2"),
        ("x1 & !x1; cycle{x1}", "both that x1 is true and that it is false"),
        (
            'traceToFind = Trace(prefix=[], loop=[{"x1": True, "x1": False}])',
            "'x1' is not a name, or has two values",
        ),
        ('traceToFind = Trace(prefix=[], loop=[{"x1": 2}])', "something other than atoms"),
        (
            'traceToFind = Trace(prefix=[], loop=[{"x1": True}] * 2)',
            "something other than plain values",
        ),
        (f'{PROGRAM}\nstart["x1"] = False', "does not just assign a value"),
        ("x1 | x2; cycle{x1}", "'|' is not allowed"),
        ("cycle{x1}; x2", "states after the loop"),
        # In which states the atoms stand cannot be told.
        ("x1; cycle{x1, x2}", "unclear where a state ends"),
        ("x1 & x2, x1; cycle{x1}", "joins its literals in two ways"),
        (LISTING.replace("1.3", "1.7"), "have gaps"),
        ("-> State: . <-", "'.' is not allowed"),
        # The last offered trace is broken: no earlier one, and no part of it, stands in for it.
        ("x1; cycle{x2}\n\nFinal answer: x1 | x2; cycle{x1}", "'|' is not allowed"),
        ("| time | x1 | x2 |\n|---|---|---|\n| 0 | T | F |", "no trace was found"),
        ("x" * 100_001, "at most 100,000"),
    ],
)
def test_what_is_no_trace_has_a_problem(answer: str, problem: str) -> None:
    reading = read_trace(answer, ATOMS, is_explicit=True)
    assert (reading.lasso, reading.compliant, reading.recovered) == (None, False, False)
    assert problem in reading.problem


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("[x1 = TRUE, x2 = FALSE];[x1 = FALSE, x2 = TRUE];...", "cycle{x1 & !x2; !x1 & x2}"),
        ("{x1}; {x2}; {}; {x2}; ...", "x1 & !x2; cycle{!x1 & x2; !x1 & !x2}"),
        ("{x1}; {x2}", ""),
    ],
)
def test_the_last_state_closes_a_trace_that_breaks_off(answer: str, expected: str) -> None:
    reading = read_trace(answer, ATOMS)
    assert (str(reading.lasso) if reading.lasso else "") == expected
    assert reading.broke_off == bool(expected)
    assert read(answer) == ""


@pytest.mark.parametrize("notation", ["text", "python"])
def test_only_the_notation_that_was_asked_for_is_compliant(notation: str) -> None:
    lasso = parse_trace("x1; cycle{x2}", ATOMS)
    answers = {"text": str(lasso), "python": f"traceToFind = {to_python(lasso)}"}
    for name, answer in answers.items():
        for text, is_whole in ((answer, True), (f"```\n{answer}\n```", False)):
            reading = read_trace(text, ATOMS, notation="python" if notation == "python" else "text")
            assert reading.lasso == lasso
            assert reading.compliant == (is_whole and name == notation) != reading.recovered


def spelled(lasso: Lasso, state: Callable[[State], str], joint: str, loop: str) -> str:
    """The trace with its states and its loop written in some way."""
    states = [state(each) for each in lasso.states]
    start = len(lasso.prefix)
    return joint.join([*states[:start], loop.format(joint.join(states[start:]))])


def assigned(state: State, sign: str, joint: str, words: tuple[str, str]) -> str:
    return joint.join(f"{atom}{sign}{words[atom in state]}" for atom in ATOMS)


SPELLINGS: list[Callable[[Lasso], str]] = [
    lambda lasso: spelled(
        lasso, lambda state: "{" + ", ".join(sorted(state)) + "}", "; ", "({})^ω"
    ),
    lambda lasso: spelled(
        lasso, lambda state: "{" + ", ".join(sorted(state)) + "}", " -> ", "loop({})"
    ),
    lambda lasso: spelled(
        lasso, lambda state: "{" + ", ".join(sorted(state)) + "}", ", ", "Loop: {}"
    ),
    lambda lasso: spelled(
        lasso, lambda state: assigned(state, "=", " ", ("0", "1")), "; ", "cycle{{{}}}"
    ),
    lambda lasso: spelled(
        lasso,
        lambda state: assigned(state, ": ", ", ", ("false", "true")),
        ";\n",
        "cycle{{\n{}\n}}",
    ),
    lambda lasso: spelled(
        lasso,
        lambda state: f"[{assigned(state, ' = ', ', ', ('FALSE', 'TRUE'))}]",
        ";",
        "loop {{{}}}",
    ),
    lambda lasso: spelled(
        lasso, lambda state: assigned(state, "=", " & ", ("F", "T")), "\n", "Loop:\n{}"
    ),
    lambda lasso: (
        f"Sure:\n\n```\n{str(lasso).replace('; ', chr(10))}\n```\nIt satisfies the formula, I think."
    ),
    lambda lasso: f"```python\ntraceToFind = {to_python(lasso)}\n```",
]


@given(lassos(ATOMS), st.sampled_from(SPELLINGS))
def test_any_trace_is_read_as_it_was_spelled(lasso: Lasso, spell: Callable[[Lasso], str]) -> None:
    reading = read_trace(spell(lasso), ATOMS)
    assert (reading.lasso, reading.recovered) == (lasso, True), reading.problem


@given(st.text(alphabet="x12&!;, {}()[]\n.=TRUE^ω:cyle`-", max_size=80))
def test_whatever_a_model_writes_is_read_or_has_a_problem(answer: str) -> None:
    reading = read_trace(answer, ATOMS)
    assert (reading.lasso is None) == bool(reading.problem)
    if reading.compliant:
        assert reading.lasso == parse_trace(answer, ATOMS)
