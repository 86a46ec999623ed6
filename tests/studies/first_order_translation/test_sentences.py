"""Sentences with formulas of first-order logic, in rows of our form and of FOLIO's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_autoeval.datasets import data_set, file_problems
from pytest_autoeval.datasets.pairs import read_pairs
from pytest_autoeval.datasets.temporal_rows import read_rows
from pytest_autoeval.languages import language
from pytest_autoeval.studies.first_order_translation.sentence_files import Sentences, read_sentences

ONTOLOGY = {
    "Tall(x)": ["x is tall", "x is not tall"],
    "Likes(x, y)": "x likes y",
    "ann": "Ann",
    "bob": "Bob",
}
SHARED = Path(__file__).parents[4] / "shared" / "data" / "folio-validation.jsonl"


def written(folder: Path, *rows: Mapping[str, Any], name: str = "mine.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def own(sentence: str, formula: str, **more: Any) -> dict[str, Any]:
    return {"sentence": sentence, "formula": formula, "ontology": ONTOLOGY, **more}


def story(
    *premises: tuple[str, str], conclusion: tuple[str, str] = ("Ann is tall.", "Tall(ann)")
) -> dict[str, Any]:
    english, formulas = zip(*premises, strict=True)
    return {
        "premises": list(english),
        "premises-FOL": list(formulas),
        "conclusion": conclusion[0],
        "conclusion-FOL": conclusion[1],
        "label": "True",
    }


ALL = ("Everyone is tall.", "∀x Tall(x)")
#: Stories with what is wrong in published ones: an arrow of another kind, a parenthesis too many, a formula too few.
AS_WRITTEN = (
    story(ALL, ("Ann is tall or kind, but not both.", "Tall(ann) ⊕ Kind(ann)")),
    story(ALL, ("The tall are the kind.", "∀x (Tall(x) ⟷ Kind(x))")),
    story(ALL, ("Ann is tall and kind, or old.", "Tall(ann) ∧ Kind(ann) ∨ Old(ann))")),
    story(ALL, ("Ann is kind.", "Kind(ann)")) | {"premises": ["Everyone is tall."]},
)


def problems_in(found: Sentences, folder: Path) -> list[str]:
    return [problem.replace(f"{folder}/", "") for problem in found.problems]


def test_a_row_of_our_own_form(tmp_path: Path) -> None:
    row = own(" Ann  likes Bob. ", "Likes(ann, bob)", id="likes", group="plain", tags=["new"])
    found = read_sentences([written(tmp_path, row)])
    (entry,) = found.entries
    assert (entry.sentence, str(entry.formula)) == ("Ann likes Bob.", "Likes(ann, bob)")
    assert (entry.data_set, entry.source, entry.id, entry.group) == (
        "mine",
        "mine.jsonl:1",
        "likes",
        "plain",
    )
    assert (entry.repair, entry.ontology.derived) == ("", False)
    assert entry.ontology.vocabulary.predicates == (("Tall", 1), ("Likes", 2))
    assert (found.problems, found.repairs) == ((), ())


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "mine.json",
            '[{"sentence": "Ann is tall.", "formula": "Tall(ann)", "ontology": "people.json"}]',
        ),
        (
            "mine.csv",
            "Natural Language,Ground Truth,Ontology\nAnn is tall.,Tall(ann),people.json\n",
        ),
        (
            "mine.csv",
            'sentence;ontology;formula\nAnn is tall.;"{""Tall(x)"": ""x is tall"", ""ann"": ""Ann""}";Tall(ann)\n',
        ),
    ],
)
def test_every_kind_of_file_says_the_same(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "people.json").write_text('{"Tall(x)": "x is tall", "ann": "Ann"}')
    (tmp_path / name).write_text(text)
    (entry,) = read_sentences([tmp_path / name]).entries
    assert (entry.sentence, str(entry.formula)) == ("Ann is tall.", "Tall(ann)")
    assert entry.ontology.listed() == "Tall(x): x is tall\nann: Ann"


@pytest.mark.parametrize("more", [{}, {"language": "FOL"}, {"ontology": None}])
def test_without_an_ontology_one_is_derived_from_the_formula(
    tmp_path: Path, more: dict[str, Any]
) -> None:
    row = {"sentence": "Every teacher is kind.", "formula": "∀x (Teacher(x) → Kind(x))", **more}
    (entry,) = read_sentences([written(tmp_path, row)]).entries
    assert entry.ontology.derived
    assert entry.ontology.vocabulary.predicates == (("Teacher", 1), ("Kind", 1))


@pytest.mark.parametrize(
    "row",
    [
        {"sentence": "It rains.", "formula": "x1", "propositions": {"rain": "x1"}},
        {"sentence": "It rains.", "formula": "x1", "propositions": ""},
        {"sentence": "x1 holds.", "formula": "x1", "language": "ltl"},
        {"formula": "x1", "other": "x2", "language": "first_order"},
        {"text": "x1", "well_formed": True},
    ],
)
def test_rows_about_something_else_are_for_others(tmp_path: Path, row: dict[str, Any]) -> None:
    path = written(tmp_path, row)
    found = read_sentences([path])
    assert (found.entries, found.rows) == ((), ())
    assert read_rows([path]).rows or read_rows([path]).problems or read_pairs([path]).rows


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (
            own("Ann is tall.", "Tall(x)"),
            "column 'formula': line 1, column 6: no quantifier binds 'x' here",
        ),
        (
            own("Ann is tall.", "Tall(ann, bob)"),
            "column 'formula': not in the ontology: Tall with 2 arguments",
        ),
        (own("", "Tall(ann)"), "column 'sentence': the cell is empty"),
        ({"sentence": "Ann is tall.", "ontology": ONTOLOGY}, "column 'formula': the cell is empty"),
        (own("Ann is tall.", 7), "column 'formula': must be text, not 7"),  # type: ignore[arg-type]
        (
            own("Ann is tall.", "Tall(ann)", ontology={"Tall": 3}),
            "column 'ontology': 'Tall' needs a gloss: ",
        ),
        (
            {"sentence": "It rains.", "formula": "G x1"},
            "column 'formula': line 1, column 3: unexpected 'x1'",
        ),
        (
            own("Ann is tall.", "Tall(ann)") | {"Ground Truth": "P"},
            "the columns 'formula' and 'Ground Truth' have",
        ),
    ],
)
def test_a_row_that_cannot_be_used_is_reported(
    tmp_path: Path, row: dict[str, Any], problem: str
) -> None:
    path = written(tmp_path, own("Bob is tall.", "Tall(bob)"), row)
    found = read_sentences([path])
    (line,) = problems_in(found, tmp_path)
    assert line.startswith(f"mine.jsonl:2: {problem}")
    assert file_problems([path]) == found.problems
    assert len(found.entries) == 1


def test_an_ontology_is_used_alike_by_all_rows_that_have_it(tmp_path: Path) -> None:
    glossary = {"Ann": "Ann", "Tall(x)": "x is tall", "rain": "it rains"}
    rows = [
        {"sentence": "Ann is tall.", "formula": "Tall(Ann)", "ontology": glossary},
        {"sentence": "It rains.", "formula": "rain", "ontology": glossary},
        {"sentence": "All are tall.", "formula": "∀x Tall(x)", "ontology": glossary},
    ]
    entries = read_sentences([written(tmp_path, *rows)]).entries
    assert len({entry.ontology for entry in entries}) == 1
    assert entries[0].ontology.vocabulary.constants == ("Ann",)
    assert entries[0].ontology.vocabulary.propositions == ("rain",)


def test_repeated_and_contradicted_sentences_are_left_out(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        own("Ann is tall.", "Tall(ann)", id="a"),
        own("ann is  tall", "Tall(ann)"),
        own("Ann is tall.", "¬Tall(ann)"),
        own("Ann is tall.", "¬¬Tall(ann)"),
        own("Bob is tall.", "Tall(bob)", id="a"),
        {"sentence": "Ann is tall.", "formula": "High(ann)"},
    )
    found = read_sentences([path])
    assert [entry.source for entry in found.entries] == [
        "mine.jsonl:1",
        "mine.jsonl:4",
        "mine.jsonl:6",
    ]
    assert problems_in(found, tmp_path) == [
        "mine.jsonl:2: repeats mine.jsonl:1",
        "mine.jsonl:3: mine.jsonl:1 has Tall(ann) for the same sentence, which is not equivalent to ¬Tall(ann)",
        "mine.jsonl:5: the id 'a' is already used by mine.jsonl:1",
    ]


def test_a_story_is_a_sentence_for_each_premise_and_the_conclusion(tmp_path: Path) -> None:
    row = story(("[BG] Everyone is tall. ", "∀x Tall(x)"), ("Ann  likes Bob.", "Likes(ann, bob)"))
    found = read_sentences([written(tmp_path, row | {"story_id": 7, "example_id": 11})])
    assert [(entry.sentence, str(entry.formula), entry.source) for entry in found.entries] == [
        ("Everyone is tall.", "∀x. Tall(x)", "mine.jsonl:1 premises-FOL[1]"),
        ("Ann likes Bob.", "Likes(ann, bob)", "mine.jsonl:1 premises-FOL[2]"),
        ("Ann is tall.", "Tall(ann)", "mine.jsonl:1 conclusion-FOL"),
    ]
    assert len({entry.ontology for entry in found.entries}) == 1
    assert found.entries[0].ontology.derived
    assert found.entries[0].ontology.vocabulary.constants == ("ann", "bob")


@pytest.mark.parametrize(
    "keys", [("premises-FOL", "conclusion-FOL"), ("premises_fol", "conclusion_fol")]
)
@pytest.mark.parametrize("formula", ["", None, "lacks"])
def test_the_training_data_of_stories_has_no_formulas_of_conclusions(
    tmp_path: Path, keys: tuple[str, str], formula: str | None
) -> None:
    of_premises, of_conclusion = keys
    rows = [
        {
            "premises": ["All gulls fly.", f"Bird {number} is a gull."],
            of_premises: ["∀x (Gull(x) → Fly(x))", f"Gull(bird{number})"],
            "conclusion": f"Bird {number} does not fly.",
            "label": "False",
            **({} if formula == "lacks" else {of_conclusion: formula}),
        }
        for number in (1, 1, 2)
    ]
    path = written(tmp_path, *rows)
    found = read_sentences([path])
    assert [entry.sentence for entry in found.entries] == [
        "All gulls fly.",
        "Bird 1 is a gull.",
        "Bird 2 is a gull.",
    ]
    assert file_problems([path]) == ()
    suited = [
        name
        for name in ("fol_translation", "fol_most_similar", "fol_ranking")
        if data_set(name, [path])
    ]
    assert suited == ["fol_translation", "fol_most_similar", "fol_ranking"]


def test_premises_may_be_the_lines_of_a_text(tmp_path: Path) -> None:
    premises = {
        "premises": "Everyone is tall.\n\nAnn likes Bob.\n",
        "premises-FOL": "∀x Tall(x)\nLikes(ann, bob)",
    }
    row = story(ALL) | premises
    assert len(read_sentences([written(tmp_path, row)]).entries) == 3
    header, cells = ",".join(row), ",".join(f'"{value}"' for value in row.values())
    (tmp_path / "mine.csv").write_text(f"{header}\n{cells}\n")
    assert len(read_sentences([tmp_path / "mine.csv"]).entries) == 3


def test_a_sentence_of_many_stories_is_one_item(tmp_path: Path) -> None:
    rows = [
        story(ALL),
        story(ALL, conclusion=("Bob is tall.", "Tall(bob)")),
        story(("everyone is tall", "∀x. Tall(x)")),
    ]
    found = read_sentences([written(tmp_path, *rows)])
    assert [entry.sentence for entry in found.entries] == [
        "Everyone is tall.",
        "Ann is tall.",
        "Bob is tall.",
    ]
    assert (found.problems, found.repairs) == ((), ())


def test_a_sentence_has_one_meaning_in_a_story_and_may_have_another_in_the_next(
    tmp_path: Path,
) -> None:
    first = story(ALL, ("People like Ann.", "∀x Likes(x, ann)"))
    again = story(
        ALL,
        ("People like Ann.", "∀x Likes(x, ann)"),
        conclusion=("People like Ann.", "∃x Likes(x, ann)"),
    )
    other = story(("People like Ann.", "Popular(ann)"))
    found = read_sentences([written(tmp_path, first, again, other)])
    (problem,) = problems_in(found, tmp_path)
    assert problem == (
        "mine.jsonl:2: column 'conclusion-FOL': mine.jsonl:1 premises-FOL[2] has ∀x. Likes(x, ann) for the same "
        "sentence, which is not equivalent to ∃x. Likes(x, ann)"
    )
    assert "Popular(ann)" in [str(entry.formula) for entry in found.entries]


def test_premises_and_formulas_of_different_numbers_are_reported(tmp_path: Path) -> None:
    row = story(ALL, ("Ann likes Bob.", "Likes(ann, bob)"))
    row["premises"].append("Bob likes Ann.")
    found = read_sentences([written(tmp_path, row)])
    assert problems_in(found, tmp_path) == [
        "mine.jsonl:1: column 'premises-FOL': 2 formulas for 3 premises: the numbers must be equal"
    ]
    assert [entry.source for entry in found.entries] == ["mine.jsonl:1 conclusion-FOL"]
    assert found.formula_counts() == {"read": 3, "repaired": 0, "reported": 0}
    assert ("Likes", 2) in found.entries[0].ontology.vocabulary.predicates


def test_a_bad_formula_leaves_the_others(tmp_path: Path) -> None:
    row = story(ALL, ("Some are tall.", "∃x Tall(x) ∧ ∧"), ("Ann likes all.", "Likes(ann, x)"))
    found = read_sentences([written(tmp_path, row)])
    assert problems_in(found, tmp_path) == [
        "mine.jsonl:1: column 'premises-FOL[2]': line 1, column 14: unexpected '∧'; expected a formula",
        "mine.jsonl:1: column 'premises-FOL[3]': line 1, column 12: no quantifier binds 'x' here",
    ]
    assert [entry.source for entry in found.entries] == [
        "mine.jsonl:1 premises-FOL[1]",
        "mine.jsonl:1 conclusion-FOL",
    ]
    assert found.formula_counts() == {"read": 2, "repaired": 0, "reported": 2}


def test_a_variable_of_the_story_is_not_a_constant_of_one_of_its_formulas(tmp_path: Path) -> None:
    row = story(("Everyone is tall.", "∀who Tall(who)"), conclusion=("They are tall.", "Tall(who)"))
    found = read_sentences([written(tmp_path, row)])
    assert problems_in(found, tmp_path) == [
        "mine.jsonl:1: column 'conclusion-FOL': line 1, column 6: no quantifier binds 'who' here"
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"premises": None}, "column 'premises': the cell is empty"),
        ({"premises": ["Everyone is tall.", " "]}, "column 'premises': text 2 is empty"),
        ({"premises": [7]}, "column 'premises': must be a list of texts, not [7]"),
        (
            {"premises-FOL": {"a": 1}},
            "column 'premises-FOL': must be a list of texts, not {'a': 1}",
        ),
        ({"conclusion-FOL": ["A"]}, "column 'conclusion-FOL': must be text, not ['A']"),
        ({"ontology": "none.json"}, "column 'ontology': none.json: there is no such file"),
    ],
)
def test_a_malformed_story_is_reported(
    tmp_path: Path, change: dict[str, Any], problem: str
) -> None:
    found = read_sentences([written(tmp_path, story(ALL) | change)])
    assert found.entries == ()
    assert problems_in(found, tmp_path)[0].startswith(f"mine.jsonl:1: {problem}")


def test_a_letter_that_another_formula_of_the_file_binds_is_not_a_constant(tmp_path: Path) -> None:
    rows = [
        {"sentence": "Every student reads.", "formula": "∀s (Student(s) → Reads(s))"},
        {
            "sentence": "All read what the student reads.",
            "formula": "∀x (Reads(x) → SameBook(x, s))",
        },
        {"sentence": "The student reads.", "formula": "Reads(s)"},
        {"sentence": "All like the book.", "formula": "∀x Likes(x, b)"},
    ]
    found = read_sentences([written(tmp_path, *rows)])
    (problem,) = problems_in(found, tmp_path)
    meant = "no quantifier binds 's', which is a variable elsewhere in the file"
    assert problem.startswith(f"mine.jsonl:2: column 'formula': {meant}")
    assert [note.replace(f"{tmp_path}/", "") for note in found.notes] == [
        "mine.jsonl:4: column 'formula': no quantifier binds 'b': read as a constant"
    ]
    assert len(found.entries) == 3


def test_a_letter_that_the_ontology_lists_is_a_constant(tmp_path: Path) -> None:
    rows = [
        own("Everyone likes s.", "∀x Likes(x, s)", ontology={**ONTOLOGY, "s": "the singer"}),
        {"sentence": "Every student reads.", "formula": "∀s (Student(s) → Reads(s))"},
    ]
    found = read_sentences([written(tmp_path, *rows)])
    assert (found.problems, found.notes, len(found.entries)) == ((), (), 2)


def test_names_that_stand_for_several_symbols_are_noted(tmp_path: Path) -> None:
    row = story(
        ALL,
        ("Ann is taller than Bob.", "Tall(ann, bob)"),
        ("Ann has a name.", "Named(tall, Ann(ann))"),
        ("Some name is tall.", "∃x (TALL(x) ∧ Ann(x))"),
    )
    found = read_sentences([written(tmp_path, row)])
    assert [note.partition(": ")[2] for note in found.notes] == [
        "Ann is a function with 1 argument and a predicate with 1 argument: read as different symbols",
        "Tall is a predicate with 1 argument and a predicate with 2 arguments: read as different symbols",
        "Ann and ann differ only in upper and lower case: read as different symbols",
        "TALL and Tall differ only in upper and lower case: read as different symbols",
    ]
    assert (found.problems, found.repairs) == ((), ())
    logic = language("first_order")
    assert [logic.foreign(entry.formula, entry.ontology.vocabulary) for entry in found.entries] == [
        ()
    ] * 5


def test_files_are_read_again_only_if_they_change(tmp_path: Path) -> None:
    ontology = tmp_path / "people.json"
    ontology.write_text(json.dumps(ONTOLOGY))
    path = written(tmp_path, own("Ann is big.", "Big(ann)", ontology="people.json"))
    first = read_sentences([path])
    assert len(first.problems) == 1
    assert read_sentences([path, path]) is first
    ontology.write_text(json.dumps({**ONTOLOGY, "Big(x)": "x is big"}))
    assert read_sentences([path]).problems == ()


@pytest.mark.parametrize("published", [False, True] if SHARED.exists() else [False])
def test_every_row_of_stories_as_people_wrote_them_is_read_repaired_or_reported(
    tmp_path: Path, *, published: bool
) -> None:
    path = SHARED if published else written(tmp_path, *AS_WRITTEN)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    found = read_sentences([path])
    assert [report.place for report in found.rows] == [
        f"{path}:{line}" for line in range(1, len(rows) + 1)
    ]
    counts = 14, {"read": 565, "repaired": 2, "reported": 4}
    made_up = 2, {"read": 4, "repaired": 1, "reported": 1}
    reported = sum(bool(row.problems) for row in found.rows)
    assert (reported, found.formula_counts()) == (counts if published else made_up)
    unequal = {
        at
        for at, row in enumerate(rows, start=1)
        if len(row["premises"]) != len(row["premises-FOL"])
    }
    lines = [int(problem.removeprefix(f"{path}:").partition(":")[0]) for problem in found.problems]
    assert unequal < set(lines)
    assert {
        line for line, told in zip(lines, found.problems, strict=True) if "closes nothing" in told
    } == {*set(lines) - unequal}
    texts = {text for row in rows for text in (*row["premises-FOL"], row["conclusion-FOL"])}
    assert {part.text for row in found.rows for part in row.parts} == texts
    logic = language("first_order")
    for entry in found.entries:
        assert logic.parse(logic.format(entry.formula)) == entry.formula
        assert logic.foreign(entry.formula, entry.ontology.vocabulary) == ()
