"""A rule of a grammar for a user's language may stand for a part of a formula, which `parse_part` has to read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval import Formula, FormulaSyntaxError, Language, Verdict
from pytest_autoeval.generation.drawing_errors import GrammarError
from pytest_autoeval.generation.grammar_file import read_grammar
from pytest_autoeval.generation.templates import template_of
from pytest_autoeval.languages import Relation

GRAMMAR = """// language: policy
start: "allow" | "when" condition "allow" ";" start
condition: PROPOSITION | "not" PROPOSITION
PROPOSITION: /p/
"""
RULE = re.compile(r"when (?P<condition>.+?) allow ; (?P<rest>.+)")


@dataclass(frozen=True, slots=True, repr=False)
class Node(Formula):
    word: str
    inner: tuple[Node, ...] = ()

    def __str__(self) -> str:
        return " ".join([self.word, *map(str, self.inner)])


def read(text: str, *, names: bool, conditions: bool) -> Node:
    """A policy; with ``names`` also a name in its place, with ``conditions`` also a condition alone."""
    if matched := RULE.fullmatch(text):
        condition = read(matched["condition"], names=True, conditions=True)
        rest = read(matched["rest"], names=names, conditions=False)
        return Node("when", (condition, rest))
    if conditions and text.startswith("not "):
        return Node("not", (read(text[4:], names=True, conditions=False),))
    is_name = text.isalnum() and text != "not"
    if text == "allow" or (is_name and (names or conditions)):
        return Node(text)
    raise FormulaSyntaxError("this is not a policy", text, 0)


class Policy(Language):
    name = "policy"
    nodes = Node

    def parse(self, text: str) -> Node:
        return read(text, names=False, conditions=False)

    def decide(self, relation: Relation, left: Any, right: Any, timeout: float) -> Verdict:
        raise NotImplementedError


class PolicyOrCondition(Policy):
    """Its `parse_part` reads each rule's texts, but no name where a policy stands inside of another one."""

    def parse_part(self, text: str) -> Node:
        return read(text, names=False, conditions=True)


class WithParts(Policy):
    def parse_part(self, text: str) -> Node:
        return read(text, names=True, conditions=True)


def problem_of(language: Language, folder: Path, text: str = GRAMMAR) -> str:
    """The first problem of the alternatives of a grammar; empty if each is a formula or a part of one."""
    path = folder / "policy.lark"
    path.write_text(text, encoding="utf-8")
    grammar = read_grammar(path, shipped=False)
    try:
        for productions in grammar.productions.values():
            for production in productions:
                template_of(production, grammar, language)
    except GrammarError as problem:
        return str(problem)
    return ""


def test_a_language_in_which_a_name_is_no_formula_needs_parse_part(tmp_path: Path) -> None:
    problem = problem_of(Policy(), tmp_path)
    assert "line 2" in problem
    assert "the language policy reads no name as a formula" in problem
    assert "define parse_part: it must read a name wherever a rule stands" in problem


def test_a_parse_part_that_reads_no_name_for_a_rule_is_not_blamed_on_the_grammar(
    tmp_path: Path,
) -> None:
    problem = problem_of(PolicyOrCondition(), tmp_path)
    assert "is not a formula of the language policy: this is not a policy" in problem
    assert "define parse_part: it must read a name wherever a rule stands" in problem
    assert "begins with _" not in problem


def test_a_rule_without_a_tree_may_also_get_another_name(tmp_path: Path) -> None:
    wrong = GRAMMAR.replace('"not" PROPOSITION', "negation PROPOSITION") + 'negation: "not"\n'
    problem = problem_of(WithParts(), tmp_path, wrong)
    assert "If negation is no part with a tree of its own, write _negation for negation" in problem


@pytest.mark.parametrize("word", ["not", "and"])
def test_a_word_of_a_users_language_is_no_wrong_sign(word: str, tmp_path: Path) -> None:
    problem = problem_of(Policy(), tmp_path, GRAMMAR.replace("not", word))
    assert "is a word" not in problem


def test_with_parse_part_every_alternative_is_read(tmp_path: Path) -> None:
    assert problem_of(WithParts(), tmp_path) == ""
