"""A grammar file is a plain context-free grammar; what is wrong with one is told with line and column."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from lark import Lark
from support.snapshot import UPDATE, assert_same

from pytest_autoeval.by_name import shipped_folder
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.generation.drawing_errors import GrammarError, UnknownGrammarError
from pytest_autoeval.generation.grammar_file import KEPT, grammar_in, read_grammar
from pytest_autoeval.generation.grammar_text import GrammarText
from pytest_autoeval.generation.grammars import find_grammar, grammar_names
from pytest_autoeval.generation.samples import sample_formulas as sample
from pytest_autoeval.languages import Formula, UnknownLanguageError, language
from pytest_autoeval.languages.propositional.language import Propositional
from pytest_autoeval.registry import Registry

Written = Callable[[str], Path]
SHIPPED = (
    "boolean_regex",
    "first_order",
    "ksat",
    "ltl",
    "ltlf",
    "past_ltl",
    "propositional",
    "regex",
)


def test_the_kept_productions_are_those_that_lark_reads() -> None:
    read: dict[str, dict[str, list[list[list[str]]]]] = {}
    for path in sorted(shipped_folder("grammars").glob("*.lark")):
        source = GrammarText(str(path), path.read_text("utf-8"))
        grammar = grammar_in(source)
        read[source.digest] = {
            rule: [[list(symbol) for symbol in production.symbols] for production in alternatives]
            for rule, alternatives in grammar.productions.items()
        }
        # What a run takes is the same: the productions, and their order.
        taken = read_grammar(path, shipped=True)
        assert taken.source == source
        if UPDATE not in os.environ:
            assert [*taken.productions.items()] == [*grammar.productions.items()]
    rules = [
        f'"{digest}": ' + json.dumps(grammar, ensure_ascii=False).replace("]]], ", "]]],\n  ")
        for digest, grammar in read.items()
    ]
    text = "{\n" + ",\n".join(rules) + "\n}\n"
    kept = shipped_folder("grammars") / KEPT
    if os.environ.get(UPDATE):
        kept.write_text(text, "utf-8")
    assert_same(kept.read_text("utf-8"), text, KEPT)


def test_a_changed_shipped_grammar_is_read_by_lark(tmp_path: Path) -> None:
    path = tmp_path / "propositional.lark"
    path.write_text(RULE, "utf-8")
    grammar = read_grammar(path, shipped=True)
    assert [*map(str, grammar.productions["start"])] == ["PROPOSITION", '"(" start "∧" start ")"']


RULE = 'start: PROPOSITION\n     | "(" start "∧" start ")"\nPROPOSITION: /[a-z]+/\n'

#: A mistake in a file, where it is, and what is said of it.
MISTAKES = {
    "missing quote": (
        'start: "p"\n | "(" start "∧ start ")"\n',
        2,
        24,
        "unexpected ')'; expected the end of the line; the line has an odd number of double quotes: is one missing?",
    ),
    "missing opening quote": (
        'start: "p"\n | "(" start ∧" start ")"\n',
        2,
        14,
        "unexpected '∧'; expected a rule, a slot or a symbol in double quotes; the line has an odd number",
    ),
    "no quotes": (
        'start: "p"\n | "(" start ∧ start ")"\n',
        2,
        14,
        'expected a rule, a slot or a symbol in double quotes; a symbol of a formula stands in double quotes: "∧"',
    ),
    "other quotes": ("start: 'p'\n", 1, 8, 'write symbols in double quotes: "∧"'),
    "typographic quotes": ("start: “p”\n", 1, 8, 'write symbols in double quotes: "∧"'),
    "missing colon": ('start "p"\n', 1, 7, "unexpected '\"p\"'; expected ':'"),
    "equals sign for a colon": (
        'start = "p"\n',
        1,
        7,
        "unexpected '='; expected a rule, a slot or a symbol in double quotes; a rule is written `name: …`",
    ),
    "BNF for a colon": ('start ::= "p"\n', 1, 8, "a rule is written `name: …`"),
    "angle brackets": ('<start>: "p"\n', 1, 1, "a rule is written `name: …`"),
    "semicolon": (
        'start: "p";\n',
        1,
        11,
        "unexpected ';'; expected a rule, a slot or a symbol in double quotes; no sign ends a line",
    ),
    "capital letter": (
        'Start: "p"\n',
        1,
        2,
        "write start: the names of rules are in small letters, those of slots in capitals",
    ),
    "slot in small letters": (
        "start: proposition\nproposition: /[a-z]+/\n",
        2,
        1,
        "Write PROPOSITION in capitals",
    ),
    "comment of SQL": (
        "-- conjunctions\n" + RULE,
        1,
        1,
        "unexpected '-'; expected a rule, a slot or a symbol in double quotes; a comment begins with //",
    ),
    "comment of TeX": ('start: "p" % a name\n', 1, 12, "a comment begins with //"),
    "open regular expression": (
        "start: PROPOSITION\nPROPOSITION: /[a-z]+\n",
        2,
        14,
        r"stands between two slashes: /\w+/",
    ),
    "broken regular expression": (
        "start: PROPOSITION\nPROPOSITION: /[a-z+/\n",
        2,
        15,
        "this is not a regular expression: unterminated character set",
    ),
    "undefined rule": (
        'start: "p" | "(" strat "∧" start ")"\n',
        1,
        18,
        "the rule strat is used but not defined; known are: start. Did you mean 'start'?",
    ),
    "undefined slot": ("start: PROPOSITION\n", 1, 8, r"add a line such as PROPOSITION: /\w+/"),
    "misspelt slot": (
        'start: "¬" PROPOSITON\n',
        1,
        12,
        "known are: PROPOSITION, ATOM, VARIABLE, CONSTANT, SYMBOL, start. Did you mean 'PROPOSITION'?",
    ),
    "unknown slot": (
        "start: PREDICATE\nPREDICATE: /[a-z]+/\n",
        2,
        1,
        "the slots are PROPOSITION, ATOM, VARIABLE, CONSTANT",
    ),
    "regexp in a rule": ('start: "p" | /q+/\n', 1, 1, "the slots are PROPOSITION, ATOM"),
    "open parenthesis": ('start: ("p" | "q"\n', 1, 18, "unexpected the end of the line; expected"),
    "rule defined twice": ('start: "p"\nstart: "q"\n', 2, 1, "more than once"),
    "misspelt start": ('strat: "p" | "(" start ")"\n', 1, 18, "is strat a misspelling of it?"),
    "misspelt start in every place": (
        '// none\nstrat: "p" | "(" strat ")"\n',
        2,
        1,
        "there is no rule `start`, from which every formula is derived; is strat a misspelling of it?",
    ),
    "no start": (
        'formula: "p"\n',
        1,
        1,
        "which every formula is derived; rename the rule of whole formulas to start, or add `start: formula`",
    ),
    "empty file": (
        "",
        1,
        1,
        "no rule `start`, from which every formula is derived; the file has no rules",
    ),
    "a word for an operator": (
        'start: "not" PROPOSITION\nPROPOSITION: /p/\n',
        *(1, 1, '"not" is a word: write the sign of the operator'),
    ),
    "no formula": (
        'start: "p"\n     | "p" "∧"\n',
        1,
        1,
        '`"p" "∧"` is not a formula of the language propositional',
    ),
    "nothing behind |": (
        'start: "p" |\n',
        1,
        1,
        "an alternative of start is empty; write a formula there, or remove its |",
    ),
    "part of a formula": (
        'start: "(" "p" tail ")"\ntail: "∧" "q"\n',
        2,
        1,
        "a rule that is not a formula by itself needs a name that begins with _: write _tail for tail",
    ),
    "operator as a rule": (
        'start: "p" | op "p"\nop: "¬"\n',
        2,
        1,
        '`"¬"` is not a formula of the language propositional: the text ends too early; a rule that is not a formula',
    ),
    "part that contains itself": (
        'start: "p" _tail\n_tail: "∧" "q" | "∧" "q" _tail\n',
        2,
        1,
        "the rule _tail contains itself; make each of its alternatives a whole formula, and write its name without _",
    ),
    "rule without end": (
        'start: "(" start "∧" start ")"\n',
        1,
        1,
        "the rule start never ends: each alternative leads to start again; add an alternative without it",
    ),
    "rules without end": (
        'start: "p" | left\nleft: "¬" right\nright: "¬" left\n',
        2,
        1,
        "the rule left never ends: each alternative leads to right again",
    ),
    "rule without end behind another": (
        'start: "(" events ")"\nevents: "(" events "∧" "p" ")"\n',
        2,
        1,
        "the rule events never ends: each alternative leads to events again",
    ),
    "repetition": ('start: "p" ("∧" "q")*\n', 1, 21, "write a recursive rule"),
    "name for a formula": (
        'start: "p"\n  | "(" "p" "∨" VARIABLE ")"\nVARIABLE: /x/\n',
        1,
        1,
        "VARIABLE stands where",
    ),
    "rules that form a cycle": (
        "start: other\nother: start | PROPOSITION\nPROPOSITION: /p/\n",
        2,
        1,
        "form a cycle",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_reported_with_its_place_and_what_to_do(
    grammar_file: Written, mistake: str
) -> None:
    text, line, column, told = MISTAKES[mistake]
    path = grammar_file(text)
    with pytest.raises(GrammarError) as caught:
        sample(path, 1, 1, language="propositional")
    assert told in str(caught.value)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert str(caught.value).startswith(f"{path}, line {line}, column {column}: ")
    assert "\n" not in str(caught.value)
    assert "hole1" not in str(caught.value)


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
def test_line_ends_and_the_mark_of_windows_change_nothing(
    tmp_path: Path, grammar_file: Written, ends: str
) -> None:
    path = tmp_path / "windows.lark"
    path.write_bytes(("\ufeff// language: propositional\n" + RULE).replace("\n", ends).encode())
    assert sample(path, 2, 5) == sample(path, 2, 5, language="propositional")
    path.write_bytes(path.read_bytes() + b'start: "p"')
    with pytest.raises(GrammarError, match=r"line 5, column 1: .*more than once"):
        sample(path, 2, 5)


def test_left_recursion_is_allowed(grammar_file: Written) -> None:
    path = grammar_file('start: "p" | start "∧" "p"\n')
    assert [str(formula) for formula in sample(path, 2, 1, language="propositional")] == [
        "p ∧ p ∧ p"
    ]


def test_a_file_in_another_encoding_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "latin.lark"
    path.write_bytes('// für\nstart: "p"\n'.encode("latin-1"))
    with pytest.raises(GrammarError, match="the grammar cannot be read: save the file as UTF-8"):
        sample(path, 0, 1, language="propositional")


class Conjunctions(Propositional):
    """Propositional logic with another measure, under which negations cost nothing."""

    name = "conjunctions"

    def measure(self, formula: Formula | str) -> dict[str, int | float]:
        return {"operators": super().measure(formula)["conjunctions"], "depth": 1}


def test_sizes_are_those_of_the_language(grammar_file: Written) -> None:
    path = grammar_file(
        'start: PROPOSITION | "¬" pair | pair\npair: "(" start "∧" start ")"\nPROPOSITION: /p/\n'
    )
    with Registry().active() as registry:
        registry.add_language(Conjunctions())
        found = sample(path, 3, 20, language="conjunctions")
        endless = grammar_file(
            'start: PROPOSITION\n  | "¬" start\n  | "(" start "∧" start ")"\nPROPOSITION: /p/\n'
        )
        with pytest.raises(
            GrammarError, match=r"line 1, column 1: .*infinitely many formulas of size 0"
        ):
            sample(endless, 3, 1, language="conjunctions")
    assert {str(formula).count("∧") for formula in found} == {3}


def test_endless_derivations_of_one_formula_are_reported(grammar_file: Written) -> None:
    endless = grammar_file(
        'start: PROPOSITION | "(" other ")"\nother: start | "q"\nPROPOSITION: /p/\n'
    )
    with pytest.raises(GrammarError, match=r"line 2, column 1: .*form a cycle"):
        sample(endless, 1, 1, language="propositional")


def test_a_size_that_is_no_sum_of_its_parts_is_refused(grammar_file: Written) -> None:
    # A concatenation to the right reads as one to the left: its depth is not one more than the deeper part's.
    path = grammar_file("// language: regex\nstart: SYMBOL | start start\nSYMBOL: /[a-z]/\n")
    with pytest.raises(AutoevalError, match="was drawn with size 6, but measures"):
        sample(path, 6, 3)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_grammars_are_lark_grammars_that_accept_what_is_drawn(name: str) -> None:
    parser = Lark(
        (shipped_folder("grammars") / f"{name}.lark").read_text(encoding="utf-8"),
        parser="earley",
        lexer="dynamic",
    )
    written: dict[str, Callable[[object], str]] = {
        "first_order": _bracketed,
        "propositional": _bracketed,
        "ksat": _clauses,
        "ltl": _with_brackets,
        "ltlf": _with_brackets,
        "past_ltl": _with_brackets,
        "regex": str,
        "boolean_regex": str,
    }
    for size in (2, 5) if name in ("ksat", "regex", "boolean_regex") else (0, 2, 5):
        for formula in sample(name, size, 15):
            parser.parse(written[name](formula))


def test_each_boolean_regex_has_one_derivation() -> None:
    parser = Lark(
        (shipped_folder("grammars") / "boolean_regex.lark").read_text(encoding="utf-8"),
        parser="earley",
        lexer="dynamic_complete",
        ambiguity="explicit",
    )
    for size in (2, 3, 4):
        for formula in sample("boolean_regex", size, 40):
            assert not list(parser.parse(str(formula)).find_data("_ambig")), str(formula)


def _clauses(formula: object) -> str:
    return " ∧ ".join(f"({clause.strip('()')})" for clause in str(formula).split(" ∧ "))


def _bracketed(formula: object) -> str:
    """The formula with every parenthesis that the grammar writes."""
    from pytest_autoeval.languages.logic.syntax import And, Atom, Binary, Forall, Not, Quantified

    match formula:
        case Not(Atom() as atom):
            return f"¬{atom}"
        case Not(operand):
            return f"(¬{_bracketed(operand)})"
        case Binary(left, right):
            return (
                f"({_bracketed(left)}{'∧' if isinstance(formula, And) else '∨'}{_bracketed(right)})"
            )
        case Quantified(variable, body):
            return f"({'∀' if isinstance(formula, Forall) else '∃'}{variable}.{_bracketed(body)})"
        case _:
            return str(formula)


def _with_brackets(formula: object) -> str:
    """The temporal formula with every parenthesis that the grammar writes."""
    nodes: Any = import_module(type(formula).__module__)
    match formula:
        case nodes.Not(nodes.Atom() as atom):
            return f"!{atom}"
        case nodes.Unary(operand):
            return f"({nodes.PREFIX_SIGNS[type(formula)].strip()} {_with_brackets(operand)})"
        case nodes.Binary(left, right):
            sign = nodes.INFIX_SIGNS[type(formula)]
            return f"({_with_brackets(left)} {sign} {_with_brackets(right)})"
        case _:
            return str(formula)


def test_the_language_is_said_in_the_file_or_by_the_user(grammar_file: Written) -> None:
    silent = grammar_file("start: PROPOSITION\nPROPOSITION: /p/\n")
    with pytest.raises(GrammarError, match="the grammar does not name its language"):
        sample(silent, 0, 1)
    assert language("first_order").owns(sample(silent, 0, 1, language="first_order")[0])
    with pytest.raises(UnknownLanguageError, match="propositional"):
        sample(silent, 0, 1, language="propositionl")
    said = grammar_file("// language: propositional\nstart: PROPOSITION\nPROPOSITION: /p/\n")
    assert str(sample(str(said), 0, 1)[0]).startswith("p")


def test_unknown_grammars_are_told_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownGrammarError,
        match=r"boolean_regex, first_order, ill_formed_ltl, ksat, ltl, ltlf, past_ltl, propositional, regex"
        r".*Did you mean 'ksat'",
    ):
        sample("k-sat", 2, 1)
    (tmp_path / "horn.lark").touch()
    (tmp_path / "a.lark").touch()
    with pytest.raises(UnknownGrammarError, match=r"no grammar file b.lark in .*/\.$"):
        sample(tmp_path / "b.lark", 2, 1)
    with pytest.raises(
        UnknownGrammarError, match=r"no grammar file hron.lark in .*/\. Did you mean 'horn.lark'\?"
    ):
        sample(tmp_path / "hron.lark", 2, 1)
    with pytest.raises(
        UnknownGrammarError, match=r"no grammar file nowhere.lark in the current folder\.$"
    ):
        sample("nowhere.lark", 2, 1)


def test_an_added_grammar_is_known_by_name(grammar_file: Written) -> None:
    path = grammar_file('start: ATOM | "(" start "→" start ")"\nATOM: /a/\n')
    with Registry(path.parent).active() as registry:
        registry.add_grammar(
            "implications", path.name, language="first_order", vocabulary="english"
        )
        assert "implications" in grammar_names()
        assert find_grammar("implications").path == path
        formula = sample("implications", 2, 1)[0]
    assert language("first_order").measure(formula)["implications"] == 2
    assert "pred" not in str(formula)
    assert "implications" not in grammar_names()


def test_words_and_other_connectives_serve_as_signs(grammar_file: Written) -> None:
    path = grammar_file(
        "// language: first_order\n"
        'start: "forall" VARIABLE "." start | "exists" VARIABLE "." start | body\n'
        'body: ATOM | CONSTANT "=" CONSTANT | "(" body _connective body ")" | NOT negated\n'
        'negated: "(" body "<->" body ")"\n'
        '_connective: "->" | "<->" | "⊕" | "&"\n'
        'NOT: "~"\nATOM: /a/\nVARIABLE: /x/\nCONSTANT: /c/\n'
    )
    for size in range(6):
        for formula in sample(path, size, 20):
            assert language("first_order").measure(formula)["operators"] == size


HOSTILE = {
    "exponential for Lark": ("start: " + '("¬"|"p") ' * 30 + "\n", "it takes more than"),
    "exponential for Lark's lexer": ('start: "' + "\\" * 60 + "\n", "it takes more than"),
    "repeated": (
        'start: "¬"~1..100000 "p"\n',
        "line 1, column 11: repetitions of more than 2,000 parts",
    ),
    "repeated often": (
        "start: r0\n"
        + "".join(f'r{number}: "¬"~30 r{number + 1}\n' for number in range(90))
        + 'r90: "p"\n',
        "line 68, column 9: repetitions of more than 2,000 parts",
    ),
    "nested": ("start: " + "(" * 500 + '"p"' + ")" * 500 + "\n", "it takes more than"),
    "large": ("// " + "x" * 1_000_000 + '\nstart: "p"\n', "the file has more than 1 MB"),
    "empty lines": ("\n" * 900_000 + 'start: "p" | VARIABLE\n', "it takes more than"),
    "chained": (
        "".join(f"r{number}: r{number + 1}\n" for number in range(120)) + 'r120: "p"\nstart: r0\n',
        "from one to",
    ),
    "ambiguous": (
        "".join(
            f"r{number}: r{number + 1} | s{number}\ns{number}: r{number + 1}\n"
            for number in range(40)
        )
        + 'r40: "p"\nstart: r0\n',
        "leads to more than 2,000 alternatives",
    ),
    "broad": (
        "start: "
        + " | ".join(f'"(" start "∧ p{number})"' for number in range(320))
        + " | PROPOSITION\nPROPOSITION: /p/\n",
        "too many to be",
    ),
}


def test_a_repetition_in_a_sign_or_a_comment_is_none(grammar_file: Written) -> None:
    text = 'start: "~" start | "p" // "~1..100000"\n# ~3000\nUNUSED: /~4000/\n'
    assert sample(grammar_file(text), 1, 1, language="propositional")


def test_a_grammar_with_too_many_repetitions_is_refused_before_lark_sees_it(
    grammar_file: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pytest_autoeval.generation.grammar_file.session", None)
    with pytest.raises(GrammarError, match="repetitions"):
        sample(grammar_file(HOSTILE["repeated"][0]), 1, 1, language="propositional")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_grammar_without_measure_is_refused_in_a_line(
    grammar_file: Written, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, message = HOSTILE[name]
    if message == "it takes more than":
        monkeypatch.setattr("pytest_autoeval.generation.grammar_file._SECONDS", 0.5)
    started = time.process_time()
    with pytest.raises(GrammarError, match=message) as caught:
        sample(grammar_file(text), 1, 1, language="propositional")
    assert time.process_time() - started < 5
    assert "\n" not in str(caught.value)
