"""How the formulas of temporal logic in a file are read: what other rows, propositions and sentences show."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_autoeval.datasets.temporal_formulas import FileFormulas, beside_sentences
from pytest_autoeval.datasets.temporal_rows import read_rows
from pytest_autoeval.languages import FormulaSyntaxError


def test_the_names_of_other_rows_show_what_is_an_operator() -> None:
    file = FileFormulas.of(["G(a -> Fb)", "GFa", "a U b", "b | XXgrant", "grant"])
    assert [str(file.formula(text)) for text in ("G(a -> Fb)", "GFa", "b | XXgrant")] == [
        "G (a -> F b)",
        "G F a",
        "b | X X grant",
    ]
    with pytest.raises(FormulaSyntaxError, match="can be a name or operators: write 'F c'"):
        file.formula("Fc")
    assert str(FileFormulas.of(["Fault -> Open"]).formula("G(Fault)")) == "G Fault"


def test_a_file_in_prefix_notation_is_read_so_and_a_mixed_one_is_not() -> None:
    rows = ["& F a G b", "F a", "U a X b", "a"]
    file = FileFormulas.of(rows)
    assert [str(file.formula(text)) for text in rows] == ["F a & G b", "F a", "a U X b", "a"]
    mixed = FileFormulas.of([*rows, "a & b"])
    with pytest.raises(FormulaSyntaxError, match="prefix notation"):
        mixed.formula("& F a G b")
    assert not FileFormulas.of(["F a", "a", "broken ("]).is_prefix


def test_the_propositions_of_a_row_are_names(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    lines = [
        "sentence,propositions,formula",
        'If it rings it opens.,"""it rings"": req, ""it opens"": Fa","G(req -> Fa)"',
        'If it rings it opens later.,"""it rings"": req, ""it opens"": a","G(req -> Fa)"',
        'It rings some day.,"""it rings"": x1",Fx1',
    ]
    file.write_text("\n".join(lines), "utf-8")
    read = read_rows([file])
    assert [str(row.formula) for row in read.rows] == ['G (req -> "Fa")', "G (req -> F a)", "F x1"]
    assert read.problems == ()


def test_the_words_of_a_sentence_beside_a_formula_are_names() -> None:
    pairs = beside_sentences("Whenever a holds, b holds later.;G(a -> Fb)\nAt some time c.;Fc\n")
    assert pairs is not None
    assert [pair.letters for pair in pairs] == [("a", "b"), ("c",)]
