"""Sentences without formulas: from text, Markdown and tables; their names; published sentences with formulas beside."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_autoeval.datasets import DataSetError, data_set
from pytest_autoeval.datasets.plain_sentence_set import PlainSentenceSet
from pytest_autoeval.datasets.plain_sentences import read_plain_sentences, sentences_in
from pytest_autoeval.datasets.sentence_glossaries import read_glossary
from pytest_autoeval.languages import language

EXPERTS = Path(__file__).parents[3] / "shared" / "data" / "nl2spec-experts.txt"
GLOSSARY = {"open": "the door is open", "moves": "the lift moves"}

MARKDOWN = """\
---
- title: no sentence
---
# Doors and **locks** #

Some words about doors.

- The `door` is
  **never** open.
- A [lock](http://example.org "x") in door_3 _is_ needed,
lazily.

  A second paragraph is a remark.
  1. It is nested.
  2) So is *this* &amp; that.
- [x] It is done.
- Only introduces:
  * What follows.

Lights
------
+ The light is on.
***
<!-- - commented out
-->
```
- code
```
| - a | - b |
|-----|-----|
> - quoted
10. The last one.
-
"""


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


# --- files ---


def test_sentences_of_two_files_of_one_name_have_different_ids(tmp_path: Path) -> None:
    """Rows with one id are answers to one sentence."""
    files = []
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        files.append(put(tmp_path / folder, "rules.md", f"- The {folder} door is open.\n"))
    found = PlainSentenceSet(
        "sentences_ltl",
        "ltl",
        [*files, put(tmp_path, "b.md", "- A lift of ours moves.\n")],
        GLOSSARY,
    )
    assert [item.facts["item"] for item in found.items(5)] == [
        "old/rules.md:1",
        "new/rules.md:1",
        "b.md:1",
    ]


def test_an_id_that_several_files_have_names_what_tells_them_apart(tmp_path: Path) -> None:
    """Also files of one folder, and files of one name in folders of one name."""

    def ids(*paths: str, text: str = "id,sentence\nR1,The door is open.\n") -> list[str]:
        files = []
        for path in paths:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            files.append(put(tmp_path, path, text))
        read = PlainSentenceSet("sentences_ltl", "ltl", files, GLOSSARY)
        return [item.facts["item"] for size in read.sizes for item in read.items(size)]

    assert ids("a/doors.csv", "b/doors.csv") == ["a/R1", "b/R1"]
    assert ids("a/doors.csv", "a/locks.csv") == ["doors.csv/R1", "locks.csv/R1"]
    assert ids("a/doors.csv", "a/locks.csv", "b/doors.csv") == [
        "a/doors.csv/R1",
        "a/locks.csv/R1",
        "b/doors.csv/R1",
    ]
    assert ids("x/a/r.md", "y/a/r.md", text="- The door is open.\n") == [
        "x/a/r.md:1",
        "y/a/r.md:1",
    ]


def test_an_id_with_its_folder_is_no_id_of_another_sentence(tmp_path: Path) -> None:
    """Reports and gates would take the two sentences for one."""
    files = []
    for folder, more in (("a", ""), ("b", "a/R1,The door is shut now.\n")):
        (tmp_path / folder).mkdir()
        rows = f"id,sentence\nR1,The door is open.\n{more}"
        files.append(put(tmp_path / folder, "doors.csv", rows))
    read = PlainSentenceSet("sentences_ltl", "ltl", files, GLOSSARY)
    ids = [item.facts["item"] for size in read.sizes for item in read.items(size)]
    assert ids == ["a/doors.csv/R1", "b/doors.csv/R1", "a/R1"]


def test_items_of_lists_are_sentences_and_headings_their_groups(tmp_path: Path) -> None:
    found = read_plain_sentences(put(tmp_path, "house.md", MARKDOWN))
    assert [(row.sentence, row.group) for row in found] == [
        ("The door is never open.", "Doors and locks"),
        ("A lock in door_3 is needed, lazily.", "Doors and locks"),
        ("It is nested.", "Doors and locks"),
        ("So is this & that.", "Doors and locks"),
        ("It is done.", "Doors and locks"),
        ("What follows.", "Doors and locks"),
        ("The light is on.", "Lights"),
        ("The last one.", "Lights"),
    ]
    assert [(row.item, row.source) for row in found[:3]] == [
        ("house.md:8", "house.md:8"),
        ("house.md:10", "house.md:10"),
        ("house.md:14", "house.md:14"),
    ]


def test_the_id_of_the_author_before_a_sentence_names_it(tmp_path: Path) -> None:
    text = """\
- R-12: The door is open.
- **[REQ-3.1]** The lift moves.
- R2 is closed.
- Note: It rains.
- S1: It pours.
- S1: It hails.
"""
    found = read_plain_sentences(put(tmp_path, "rules.md", text))
    assert [(row.item, row.sentence) for row in found] == [
        ("R-12", "The door is open."),
        ("REQ-3.1", "The lift moves."),
        ("rules.md:3", "R2 is closed."),
        ("rules.md:4", "Note: It rains."),
        ("S1", "It pours."),
    ]


@pytest.mark.parametrize(("name", "sign"), [("rules.md", "- "), ("rules.txt", "")])
def test_a_sentence_with_the_id_of_an_earlier_one_is_left_out(
    tmp_path: Path, name: str, sign: str
) -> None:
    path = put(tmp_path, name, f"{sign}S1: It pours.\n{sign}S1: It hails.\n{sign}S2: It snows.\n")
    found = sentences_in([path])
    assert found.problems == (f"{path}:2: the id 'S1' is already used by {name}:1",)
    assert [row.item for row in found.rows] == ["S1", "S2"]


def test_code_and_quotations_inside_of_items_are_no_sentences(tmp_path: Path) -> None:
    text = """\
1. The shop is open.
   ```
   - Code.
   ```
   - The light is on.
     ~~~
     - More code, to the end of the item.

     - And more.
2. The bell rings.
- > A quotation.
- The last one.
"""
    sentences = ["The shop is open.", "The light is on.", "The bell rings.", "The last one."]
    assert [row.sentence for row in read_plain_sentences(put(tmp_path, "a.md", text))] == sentences


def test_lines_of_text_are_sentences_without_comments(tmp_path: Path) -> None:
    path = put(
        tmp_path, "rules.txt", "# rules\n\nThe  door is open; always.\n  # more\nIt rains.\n"
    )
    assert [
        (row.sentence, row.item, row.source, row.group) for row in read_plain_sentences(path)
    ] == [
        ("The door is open; always.", "rules.txt:3", "rules.txt:3", ""),
        ("It rains.", "rules.txt:5", "rules.txt:5", ""),
    ]


def test_tables_name_their_rows_and_groups(tmp_path: Path) -> None:
    table = put(
        tmp_path,
        "a.csv",
        "id,sentence,group\nR1,It rains.,weather\n,It pours.,\nR1,It hails.,\nR2,,\n",
    )
    found = sentences_in([table])
    assert [(row.sentence, row.item, row.group, row.source) for row in found.rows] == [
        ("It rains.", "R1", "weather", "a.csv:2"),
        ("It pours.", "a.csv:3", "", "a.csv:3"),
    ]
    assert found.problems == (
        f"{table}:4: the id 'R1' is already used by a.csv:2",
        f"{table}:5: column 'sentence': the cell is empty",
    )
    lines = put(
        tmp_path, "b.jsonl", '{"sentence": "It rains.", "propositions": {"it rains": "rain"}}\n'
    )
    assert read_plain_sentences(lines)[0].glossary == {"rain": "it rains"}
    logic = put(
        tmp_path, "c.jsonl", '{"sentence": "All rain.", "ontology": {"Rains(x)": "x rains"}}\n'
    )
    assert read_plain_sentences(logic)[0].glossary == {"Rains(x)": "x rains"}


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.md", "No list.\n", "write each as an item of a list: - The door is closed."),
        ("a.txt", "# only a comment\n", "no sentence was found; write each on a line of its own"),
        ("a.csv", "text,well_formed\nF a,yes\n", "a.csv:2: there is no column 'sentence'."),
        (
            "a.csv",
            "sentense\nIt rains.\n",
            "there is no column 'sentence'. Did you mean 'sentense'?",
        ),
        ("a.docx", "x", "the name of a data file ends in .csv"),
    ],
)
def test_a_file_without_sentences_is_refused(
    tmp_path: Path, name: str, text: str, problem: str
) -> None:
    with pytest.raises(DataSetError) as caught:
        read_plain_sentences(put(tmp_path, name, text))
    assert problem in str(caught.value)


# --- names ---


def test_a_glossary_is_a_line_for_each_name(tmp_path: Path) -> None:
    path = put(
        tmp_path, "a.toml", 'open = "the  door is open."\n"Larger(x, y)" = "x is larger than y"\n'
    )
    assert read_glossary(path) == {"open": "the door is open", "Larger(x, y)": "x is larger than y"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the glossary is empty"),
        ("open = 3\n", "the phrase of 'open' is 3"),
        ('open = " "\n', "the phrase of 'open' is ' '"),
        ("[names]\nopen = 'x'\n", "the phrase of 'names' is"),
        ("open: the door\n", "not TOML"),
    ],
)
def test_a_file_that_is_no_glossary_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    path = put(tmp_path, "a.toml", text)
    with pytest.raises(DataSetError) as caught:
        read_glossary(path)
    assert str(caught.value).startswith(f"{path}: {problem}")
    assert 'write a line such as door_open = "the door is open"' in str(caught.value)


@pytest.mark.parametrize(
    ("lang", "names"),
    [
        ("ltl", {"G": "always"}),
        ("ltl", {"Open(x)": "x is open"}),
        ("propositional", {"a b": "something"}),
        ("first_order", {"Larger(x, y)": "x is large"}),
        ("first_order", {"Tall(x": "x is tall"}),
    ],
)
def test_a_name_that_no_formula_can_have_is_refused(
    tmp_path: Path, lang: str, names: dict[str, str]
) -> None:
    with pytest.raises(DataSetError):
        PlainSentenceSet("sentences", lang, [put(tmp_path, "a.txt", "It rains.\n")], names)


@pytest.mark.parametrize(
    ("text", "both"),
    [
        (
            'a = "the door is open"\nb = "The door  is open."',
            "a and b have one phrase, 'The door is open'",
        ),
        ('"O(x, y)" = "x opens y"\n"P(u, v)" = "u opens v"', "O(x, y) and P(u, v) have one phrase"),
        ('"O(x, y)" = "x opens y"\n"P(y, x)" = "x opens y"', ""),
    ],
)
def test_two_names_of_one_phrase_are_refused(tmp_path: Path, text: str, both: str) -> None:
    path = put(tmp_path, "a.toml", text)
    if both:
        with pytest.raises(DataSetError, match=re.escape(both)):
            read_glossary(path)
    else:
        assert len(read_glossary(path)) == 2


def test_a_first_order_glossary_of_things_alone_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "The alarm rings.\n")
    glossary = {"alarm": "the alarm rings", "hall": "the hall"}
    with pytest.raises(
        DataSetError, match='alarm is; write Alarm = "the alarm rings" if this is a statement'
    ):
        PlainSentenceSet("sentences", "first_order", [path], glossary)
    [item] = PlainSentenceSet(
        "sentences", "first_order", [path], {**glossary, "Open(x)": "x is open"}
    ).items(3)
    assert item.vocabulary.constants == ("alarm", "hall")


def test_the_glossary_beside_a_file_has_its_names_unless_one_is_given(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", "The door is open.\nThe lift moves.\n")
    assert PlainSentenceSet("sentences_ltl", "ltl", [path]).unnamed == {
        path: ("The door is open.", "The lift moves.")
    }
    put(tmp_path, "a.toml", 'open = "the door is open"\n')
    (item, _) = (beside := PlainSentenceSet("sentences_ltl", "ltl", [path])).items(
        3
    ) + beside.items(4)
    assert beside.unnamed == {}
    assert item.vocabulary.propositions == ("open",)
    given = PlainSentenceSet("sentences_ltl", "ltl", [path], GLOSSARY).items(4)[0]
    assert given.facts["glossary"] == GLOSSARY
    assert given.vocabulary.propositions == ("open", "moves")


def test_an_item_has_a_sentence_and_no_formula_and_its_size_is_in_words(tmp_path: Path) -> None:
    path = put(tmp_path, "a.md", "# Door\n- The door is open.\n- It moves.\n- The lift is here.\n")
    found = PlainSentenceSet("sentences_ltl", "ltl", [path], GLOSSARY)
    assert found.sizes == (2, 4)
    first, second = found.items(4)
    assert (first.text, first.operators, first.index, second.index) == ("", 4, 0, 1)
    assert first.facts == {
        "sentence": "The door is open.",
        "group": "Door",
        "item": "a.md:2",
        "source": "a.md:2",
        "glossary": GLOSSARY,
    }
    assert found.items(4, 1) == [first]
    assert found.named("a.md:4") == [second]
    assert found.typed("G open") == []


def test_a_row_whose_own_names_no_formula_can_have_is_left_out(tmp_path: Path) -> None:
    text = '{"sentence": "It rains.", "propositions": {"it rains": "rain"}}\n'
    path = put(
        tmp_path,
        "a.jsonl",
        text + '{"sentence": "All rain.", "ontology": {"Rains(x)": "x rains"}}\n',
    )
    found = PlainSentenceSet("sentences_ltl", "ltl", [path])
    assert [item.facts["sentence"] for size in found.sizes for item in found.items(size)] == [
        "It rains."
    ]
    (problem,) = found.problems
    assert problem.startswith("a.jsonl:2: 'Rains(x)' cannot be the name of a proposition in ltl")


def test_first_order_names_have_their_kinds(tmp_path: Path) -> None:
    names = {
        "Larger(x, y)": "x is larger than y",
        "kim": "Kim",
        "motherOf(x)": "the mother of x",
        "Rain": "it rains",
    }
    names["likes(x, y)"] = "x likes y"
    found = PlainSentenceSet(
        "sentences_first_order", "first_order", [put(tmp_path, "a.txt", "It rains.\n")], names
    )
    known = found.items(2)[0].vocabulary
    assert known.predicates == (("Larger", 2), ("likes", 2))
    assert (known.constants, known.functions, known.propositions) == (
        ("kim",),
        (("motherOf", 1),),
        ("Rain",),
    )


# --- data sets and formulas beside sentences ---


def test_sentences_alone_suit_their_data_sets_and_no_others(tmp_path: Path) -> None:
    text = put(tmp_path, "a.md", "- It rains.\n")
    table = put(tmp_path, "a.csv", "id,sentence\nR1,It pours.\n")
    temporal = put(tmp_path, "b.csv", "sentence,formula,propositions\nIt rains.,F x1,rain : x1\n")
    assert data_set("ltl_future", [text]) is None
    assert data_set("sentences_ltl", [temporal]) is None
    assert data_set("sentences_ltl") is None
    found = data_set("sentences_ltl", [text, table, temporal])
    assert isinstance(found, PlainSentenceSet)
    assert found.unnamed == {text: ("It rains.",), table: ("It pours.",)}


def test_formulas_beside_sentences_need_no_glossary(tmp_path: Path) -> None:
    path = put(
        tmp_path, "own.txt", "# ours\nEvery a leads to b; always.;G (a -> XX b)\nNever c.; G !c\n"
    )
    found = data_set("ltl_future", [path])
    assert found is not None
    assert {
        item.text: item.facts["propositions"]
        for size in found.sizes or ()
        for item in found.items(size)
    } == {
        "G (a -> X X b)": [["a", "a"], ["b", "b"]],
        "G !c": [["c", "c"]],
    }
    assert [(row.sentence, row.glossary) for row in read_plain_sentences(path)] == [
        ("Every a leads to b; always.", {"a": "a", "b": "b"}),
        ("Never c.", {"c": "c"}),
    ]


def test_a_formula_with_other_names_than_its_sentence_lacks_propositions(tmp_path: Path) -> None:
    path = put(tmp_path, "own.txt", "Every a leads to b.;G (a -> X b)\nIt never rains.;G !r\n")
    found = data_set("ltl_future", [path])
    assert found is not None
    assert found.problems == (
        f"{path}:2: a row with 'sentence' also needs the column 'propositions'",
    )
    assert [row.glossary for row in read_plain_sentences(path)] == [{"a": "a", "b": "b"}, None]


@pytest.mark.skipif(
    not EXPERTS.exists(), reason="the sentences of nl2spec are not beside the repository"
)
def test_all_sentences_of_the_published_experts_are_read() -> None:
    translated, plain = data_set("ltl_future", [EXPERTS]), data_set("sentences_ltl", [EXPERTS])
    assert translated is not None
    assert isinstance(plain, PlainSentenceSet)
    assert translated.problems == plain.problems == ()
    assert plain.unnamed == {}
    for found in (translated, plain):
        items = [item for size in found.sizes or () for item in found.items(size)]
        assert len(items) == 36
        assert all(len(item.vocabulary.propositions) >= 1 for item in items)
    assert data_set("ltl_past", [EXPERTS]) is None


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("G((a -> (b U F(b))))", "G (a -> F b)"),
        ("a U (b | G(a))", "(a U b) || G a"),
    ],
)
def test_two_answers_that_a_published_table_calls_wrong_are_right(
    answer: str, reference: str
) -> None:
    # nl2spec (CAV 2023), the table of the sentences of experts.
    lang = language("ltl")
    read = [lang.read(text).formula for text in (answer, reference)]
    assert read[0] is not None
    assert read[1] is not None
    assert lang.equivalent(read[0], read[1]).outcome == "equivalent"


def test_answers_check_the_sentences_of_their_own_file_only(tmp_path: Path) -> None:
    files = []
    for name, allowed in (("a", "yes"), ("b", "no"), ("c", "")):
        put(tmp_path, f"{name}.toml", 'p = "the door is open"')
        files.append(put(tmp_path, f"{name}.md", "- The door is open.\n"))
        text = f'answer,sentence,id,language,case\n{allowed},The door is open.,1,propositional,"{{""values"":{{}}}}"\n'
        put(tmp_path, f"{name}.answers.csv", text)
    found = PlainSentenceSet("files", "propositional", files)
    answers = [item.facts.get("answers", []) for size in found.sizes for item in found.items(size)]
    assert [[answer["allowed"] for answer in some] for some in answers] == [[True], [False], []]
    assert found.problems == ()


def test_an_answer_for_other_phrases_of_its_names_is_reported_and_not_checked(
    tmp_path: Path,
) -> None:
    file = put(tmp_path, "a.md", "- The door is open.\n")
    row = 'yes,The door is open.,1,propositional,"{""values"":{""p"":true}}","{""p"":""the door is open""}"'
    put(tmp_path, "a.answers.csv", f"answer,sentence,id,language,case,names\n{row}\n")
    for phrase, number in (("the door is open", 1), ("the door is shut", 0)):
        put(tmp_path, "a.toml", f'p = "{phrase}"\nq = "the light is red"')
        found = PlainSentenceSet("files", "propositional", [file])
        [item] = found.items(4)
        assert len(item.facts.get("answers", [])) == number
        assert ["have other phrases now" in problem for problem in found.shortfalls] == [True] * (
            1 - number
        )
