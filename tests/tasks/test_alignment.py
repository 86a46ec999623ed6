"""Names of a model aligned with ours: traps in which a wrong alignment would be a wrong verdict."""

from __future__ import annotations

import pytest

from pytest_autoeval.languages import language
from pytest_autoeval.tasks.matching.alignment import (
    Alignment,
    FormulaWithPhrases,
    aligned,
    in_words,
    without_idle_names,
)

LTL = language("ltl")
DOORS = {"x1": "the request is made", "x2": "a grant follows"}


def found(answer: str, theirs: dict[str, str], reference: str, ours: dict[str, str]) -> Alignment:
    return aligned(
        FormulaWithPhrases(LTL.parse(answer), theirs), FormulaWithPhrases(LTL.parse(reference), ours), LTL, 10.0
    )


def equivalent(alignment: Alignment, answer: str, reference: str) -> bool:
    return LTL.equivalent(alignment.renamed(LTL.parse(answer)), reference).outcome == "equivalent"


def test_names_with_the_right_phrases_are_aligned_and_confirmed() -> None:
    alignment = found("G (r -> F g)", {"r": "a request is made", "g": "a grant follows"}, "G (x1 -> F x2)", DOORS)
    assert alignment.pairs == (("r", "x1"), ("g", "x2"))
    assert alignment.basis == "phrases and oracle"
    assert alignment.certain


def test_swapped_roles_are_no_other_alignment() -> None:
    """The formulas are equivalent if g is the request; but g is the grant."""
    alignment = found("G (g -> F r)", {"r": "a request is made", "g": "a grant follows"}, "G (x1 -> F x2)", DOORS)
    assert alignment.pairs == (("r", "x1"), ("g", "x2"))
    assert alignment.basis == "phrases"
    assert not equivalent(alignment, "G (g -> F r)", "G (x1 -> F x2)")


def test_swapped_roles_are_seen_by_the_names_where_no_phrases_are_listed() -> None:
    alignment = found("G (grant -> F request)", {}, "G (x1 -> F x2)", DOORS)
    assert alignment.pairs == (("request", "x1"), ("grant", "x2"))
    assert alignment.basis == "phrases"


@pytest.mark.parametrize("answer", ["G (a -> F b)", "G (b -> F a)"])
def test_phrases_that_differ_in_one_letter_distinguish_the_names(answer: str) -> None:
    ours = {"x1": "door A is open", "x2": "door B is open"}
    theirs = {"a": "the door A gets opened", "b": "the door B gets opened"}
    alignment = found(answer, theirs, "G (x1 -> F x2)", ours)
    assert alignment.pairs == (("a", "x1"), ("b", "x2"))
    assert equivalent(alignment, answer, "G (x1 -> F x2)") is (answer == "G (a -> F b)")


def test_our_own_names_with_other_meanings_are_no_evidence() -> None:
    theirs = {"x1": "a grant follows", "x2": "a request is made"}
    alignment = found("G (x2 -> F x1)", theirs, "G (x1 -> F x2)", DOORS)
    assert alignment.pairs == (("x2", "x1"), ("x1", "x2"))
    assert alignment.basis == "phrases and oracle"
    assert equivalent(alignment, "G (x2 -> F x1)", "G (x1 -> F x2)")


def test_where_phrases_say_nothing_the_oracle_chooses_and_says_so() -> None:
    alignment = found("G (p -> F q)", {}, "G (x2 -> F x1)", {"x1": "rain falls", "x2": "clouds gather"})
    assert alignment.pairs == (("p", "x2"), ("q", "x1"))
    assert alignment.basis == "oracle"
    assert alignment.certain


def test_where_no_bijection_makes_them_equivalent_the_phrases_decide() -> None:
    alignment = found("F (r & g)", {"r": "a request is made", "g": "a grant follows"}, "G (x1 -> F x2)", DOORS)
    assert (alignment.pairs, alignment.basis, alignment.certain) == ((("r", "x1"), ("g", "x2")), "phrases", True)


def test_symmetric_formulas_are_equivalent_either_way_and_aligned_by_their_phrases() -> None:
    alignment = found("g & r", {"r": "a request is made", "g": "a grant follows"}, "x1 & x2", DOORS)
    assert (alignment.pairs, alignment.basis) == ((("r", "x1"), ("g", "x2")), "phrases and oracle")


@pytest.mark.parametrize(
    ("phrase", "answer", "right"),
    [
        ("no siren sounds", "G quiet", True),
        ("no siren sounds", "G !quiet", False),
        ("the siren does not sound", "!F !quiet", True),
        ("a siren sounds", "G quiet", False),
    ],
)
def test_a_name_for_the_contrary_is_aligned_with_the_contrary(phrase: str, answer: str, right: bool) -> None:
    alignment = found(answer, {"quiet": phrase}, "G !x1", {"x1": "a siren sounds"})
    assert alignment.pairs == (("quiet", "x1" if phrase == "a siren sounds" else "!x1"),)
    assert equivalent(alignment, answer, "G !x1") is right


def test_a_pair_that_has_nothing_in_common_is_the_oracle_s_word_alone() -> None:
    alignment = found("G alarm", {"alarm": "the bell rings"}, "G x1", {"x1": "a siren sounds"})
    assert (alignment.pairs, alignment.basis) == ((("alarm", "x1"),), "oracle")


def test_a_partly_open_alignment_keeps_what_is_clear() -> None:
    """p is the siren, clearly; only q and r are open, and the swap of p and q would be equivalent too."""
    ours = {"x1": "the siren sounds", "x2": "rain falls", "x3": "clouds gather"}
    theirs = {"p": "the siren sounds", "q": "water", "r": "grey"}
    alignment = found("G (q -> X p) & F r", theirs, "G (x1 -> X x2) & F x3", ours)
    assert alignment.pairs[0] == ("p", "x1")
    assert not equivalent(alignment, "G (q -> X p) & F r", "G (x1 -> X x2) & F x3")
    alignment = found("G (p -> X r) & F q", theirs, "G (x1 -> X x2) & F x3", ours)
    assert alignment.pairs == (("p", "x1"), ("r", "x2"), ("q", "x3"))
    assert alignment.basis == "oracle"


def test_six_names_without_phrases_are_found_among_all_bijections() -> None:
    reference = "G (x1 -> X (x2 U (x3 & !x4))) & F (x5 & X x6)"
    answer = "G (f -> X (e U (d & !c))) & F (b & X a)"
    alignment = found(answer, {}, reference, {f"x{i}": phrase for i, phrase in enumerate("uvwxyz", 1)})
    assert alignment.pairs == tuple(zip("fedcba", ("x1", "x2", "x3", "x4", "x5", "x6"), strict=True))
    assert alignment.basis == "oracle"


def test_more_names_are_aligned_by_phrases_alone_and_doubt_is_reported() -> None:
    atoms = [f"x{i}" for i in range(1, 8)]
    words = ["rain", "snow", "hail", "wind", "fog", "sun", "ice"]
    ours = dict(zip(atoms, words, strict=True))
    reference = " & ".join(f"F {atom}" for atom in atoms[:-1]) + " & G x7"
    right = " & ".join(f"F {word}" for word in words[:-1]) + " & G ice"
    alignment = found(right, {}, reference, ours)
    assert (alignment.pairs, alignment.basis) == (tuple(zip(words, atoms, strict=True)), "phrases and oracle")
    wrong = right.replace("G ice", "F ice")
    assert found(wrong, {}, reference, ours).certain
    renamed = wrong.replace("rain", "drizzle")
    assert not found(renamed, {}, reference, ours).certain


def test_without_time_nothing_is_claimed() -> None:
    """In the order in which they come, p would be x2; traces refute that, and only the oracle could prove the other."""
    theirs = FormulaWithPhrases(LTL.parse("G (p -> F q)"), {})
    ours = FormulaWithPhrases(LTL.parse("(x2 | !x2) & G (x1 -> F x2)"), {"x1": "rain falls", "x2": "clouds gather"})
    assert not aligned(theirs, ours, LTL, 0.0).certain
    assert aligned(theirs, ours, LTL, 10.0).basis == "oracle"


def test_formulas_with_no_names_at_all_are_aligned_with_nothing() -> None:
    alignment = found("true", {}, "G true", {})
    assert (alignment.pairs, str(alignment)) == ((), "")


def test_different_numbers_of_names_are_refused() -> None:
    with pytest.raises(ValueError, match="1 names cannot be aligned with 2"):
        found("F p", {}, "F (x1 & x2)", {})


def test_names_that_prove_to_mean_nothing_are_left_out() -> None:
    formula = LTL.parse("G (a -> F b) & (c | !c)")
    assert LTL.symbols(without_idle_names(formula, 2, LTL, 5.0)).propositions == ("a", "b")
    assert without_idle_names(formula, 3, LTL, 5.0) == formula
    assert without_idle_names(formula, 2, LTL, 0.0) == formula
    meant = LTL.parse("G (a -> F b) & c")
    assert without_idle_names(meant, 2, LTL, 5.0) == meant


@pytest.mark.parametrize(
    ("name", "words"),
    [("door_open", "door open"), ("doorOpen", "door open"), ("x1", "x1"), ("Request", "request"), ("p", "p")],
)
def test_names_are_taken_apart_into_words(name: str, words: str) -> None:
    assert in_words(name) == words
