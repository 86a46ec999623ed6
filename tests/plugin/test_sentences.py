"""Sentences of the user's own: the marker's forms, names from a glossary or from a model, and the shipped suites."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from support.documents_read import read_summary, value
from support.documents_read import suite as suite_in

from pytest_autoeval.engine.suite_files import SHIPPED_SUITES

from .conftest import Rows, Run, said

SAFE = "At the start, at this and every later step, if the door is open, then it is not the case that the lift moves."
ONCE = "At the start, at this or some later step, the door is open."
GLOSSARY = 'door = "the door is open"\nlift = "the lift moves"\n'
SUITE = """
import pytest
from pytest_autoeval import autoeval

@autoeval.sentences("requirements.md", language="ltl"{more})
def test_requirements(perform):
    perform()
"""
SHIPPED = SHIPPED_SUITES / "test_sentences.py"


@pytest.fixture(autouse=True)
def _files(pytester: pytest.Pytester) -> None:
    write(pytester, "requirements.md", f"# Door\n- {SAFE}\n# Later\n- {ONCE}\n")
    write(pytester, "requirements.toml", GLOSSARY)


def write(pytester: pytest.Pytester, name: str, text: str) -> Path:
    path = pytester.path / name
    path.write_text(text, "utf-8")
    return path


def suite(pytester: pytest.Pytester, more: str = "") -> None:
    pytester.makepyfile(test_suite=SUITE.replace("{more}", more))


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_every_sentence_is_asked_with_the_names_of_the_glossary(
    pytester: pytest.Pytester, run: Run, rows: Rows, workers: tuple[str, ...]
) -> None:
    suite(pytester, ", threshold=1")
    result = run("--autoeval-results=out.jsonl", *workers)
    assert result.ret == 0
    found = {row["item"]: row for row in rows("out.jsonl")}
    assert {(row["outcome"], row["formula"], row["grammar"]) for row in found.values()} == {
        ("consistent", "", "sentences_ltl")
    }
    first = found["requirements.md:2"]
    assert (first["sentence"], first["group"], first["source"]) == (
        SAFE,
        "Door",
        "requirements.md:2",
    )
    assert first["formalization"] == first["translation"] == "G (door -> !lift)"
    assert first["glossary"] == {"door": "the door is open", "lift": "the lift moves"}
    assert (first["operators"], first["measures"], first["paraphrase"]) == (24, {"words": 24}, 0)
    assert "listed by" not in said(result)


def test_formulas_that_are_always_true_are_counted_as_trivial(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    always = "At the start, the door is open or it is not the case that the door is open."
    write(pytester, "requirements.md", f"- {ONCE}\n- {always}\n")
    suite(pytester)
    result = run("--autoeval-results=out.jsonl", "-v")
    found = {row["item"]: (row["outcome"], row["trivial"]) for row in rows("out.jsonl")}
    assert found == {
        "requirements.md:1": ("consistent", None),
        "requirements.md:2": ("consistent", "tautology"),
    }
    assert "trivial formulas: tautology 1" in said(result)


@pytest.mark.parametrize(
    "marker",
    [
        'pytest.mark.autoeval("requirements.md", language="ltl", task="sentence_round_trip")',
        'autoeval("requirements.md", language="ltl", task="sentence_round_trip", vocabulary="names.toml")',
        'autoeval.sentences("requirements.md", language="ltl", vocabulary=NAMES)',
    ],
)
def test_the_marker_has_several_forms(
    pytester: pytest.Pytester, run: Run, rows: Rows, marker: str
) -> None:
    if "vocabulary" in marker:
        (pytester.path / "requirements.toml").rename(pytester.path / "names.toml")
    folder = pytester.mkdir("below")  # files are found in the root folder too
    (folder / "test_suite.py").write_text(
        "import pytest\nfrom pytest_autoeval import autoeval\n"
        f"NAMES = {tomllib.loads(GLOSSARY)}\n@{marker}\ndef test_it(perform):\n    perform()\n"
    )
    run("--autoeval-results=out.jsonl", "--rootdir=.")
    found = rows("out.jsonl")
    assert [row["suite"] for row in found] == ["below/test_suite.py::test_it"] * 2
    assert {row["outcome"] for row in found} == {"consistent"}


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ('"requirements.md"', "the language of the formulas is missing"),
        (
            '"requirements.md", language="regex"',
            'in the language \'regex\'; give one of language="ltl", language="propositional", language="first_order"',
        ),
        (
            '"requirements.docx", language="ltl"',
            "requirements.docx: a file of sentences ends in .md, .markdown, .txt",
        ),
        ('"requirement.md", language="ltl"', "requirement.md: there is no such file"),
        ('"requirements.md", language="ltl", vocabulary=["door"]', "gives sentences no names"),
        (
            '"requirements.md", language="ltl", vocabulary={"G": "x"}',
            "'G' cannot be the name of a proposition",
        ),
        ('"requirements.md", language="ltl", trivial=True', "trivial= is for grammars"),
        ('"sentences_ltl", language="first_order"', "sentences_ltl is for the language ltl"),
    ],
)
def test_a_mistake_in_the_marker_is_explained(
    pytester: pytest.Pytester, run: Run, more: str, problem: str
) -> None:
    pytester.makepyfile(
        test_suite=f"import pytest\n@pytest.mark.autoeval({more}, task='sentence_round_trip')\n"
        "def test_it(perform):\n    perform()\n"
    )
    result = run("--autoeval-dataset=requirements.md")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert problem in said(result)


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_model_lists_the_names_once_if_there_is_no_glossary(
    pytester: pytest.Pytester, run: Run, rows: Rows, workers: tuple[str, ...]
) -> None:
    (pytester.path / "requirements.toml").unlink()
    write(
        pytester,
        "requirements.md",
        "- At the start, at this and every later step, open holds.\n- At the start, F1 holds.",
    )
    suite(pytester)
    models = ("--autoeval-model=offline/faithful", "--autoeval-model=offline/prose")
    result = run("--autoeval-results=out.jsonl", *models, *workers)
    text = said(result)
    assert text.count("names in requirements.md, listed by offline/faithful: 2 names") == 1
    assert 'open = "open holds"' in text
    file = pytester.path / "out.requirements.ltl.toml"
    assert f"written to {file}" in text
    names = {"open": "open holds", "F1": "F1 holds"}
    assert tomllib.loads(file.read_text("utf-8")) == names
    found = rows("out.jsonl")
    assert len(found) == 4
    assert all(row["glossary"] == names for row in found)
    # The file is the glossary of the next run.
    file.rename(pytester.path / "requirements.toml")
    assert "listed by" not in said(run("--autoeval-results=again.jsonl"))
    assert {row["outcome"] for row in rows("again.jsonl")} == {"consistent"}


def test_without_a_results_file_the_names_are_in_the_cache(
    pytester: pytest.Pytester, run: Run
) -> None:
    (pytester.path / "requirements.toml").unlink()
    write(pytester, "requirements.md", "- At the start, open holds.\n")
    suite(pytester)
    run(cache=True)
    (file,) = (pytester.path / ".pytest_cache").rglob("requirements.ltl.toml")
    assert file.read_text("utf-8") == 'open = "open holds"\n'


def test_names_are_listed_with_examples_whatever_the_prompting(
    pytester: pytest.Pytester, run: Run
) -> None:
    (pytester.path / "requirements.toml").unlink()
    suite(pytester)
    pytester.makeconftest("""
        class Small:
            def complete(self, messages, *, repeat=0):
                examples = [message for message in messages if message.role == "assistant"]
                listing = "You list" in messages[0].content
                return '"the door is open": door' if listing and examples else "F door"

        def pytest_autoeval_register(registry):
            registry.add_model("small", Small)
        """)
    assert "listed by small: 1 name" in said(
        run("--autoeval-model=small", "--autoeval-prompting=zero-shot")
    )


def test_a_suite_fails_if_no_names_can_be_read(pytester: pytest.Pytester, run: Run) -> None:
    (pytester.path / "requirements.toml").unlink()
    suite(pytester)
    write(pytester, "requirements.md", "- It rains.\n")
    result = run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "the names of requirements.md are not known: offline/faithful listed none" in said(
        result
    )
    assert "write a glossary, requirements.toml, with a line for each name: door_open =" in said(
        result
    )


def test_the_parts_of_a_run_need_a_glossary(pytester: pytest.Pytester, run: Run) -> None:
    suite(pytester)
    assert run("--autoeval-shard=1/2").ret == 0
    (pytester.path / "requirements.toml").unlink()
    result = run("--autoeval-shard=1/2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "the parts of a run (--autoeval-shard) need the same names; write a glossary" in said(
        result
    )


@pytest.mark.parametrize("glossary", [True, False])
@pytest.mark.parametrize("blame", [(), ("--autoeval-blame",)])
def test_the_plan_has_all_calls(
    pytester: pytest.Pytester, run: Run, rows: Rows, glossary: bool, blame: tuple[str, ...]
) -> None:
    if not glossary:
        (pytester.path / "requirements.toml").unlink()
    suite(pytester)
    text = said(run("--autoeval-plan", *blame))
    planned = next(line for line in text.splitlines() if "in all" in line).split()[1]
    assert int(planned) == 2 * (3 + len(blame)) + (not glossary)


def test_a_model_that_misreads_is_inconsistent_and_blamed(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    suite(pytester)
    options = ("--autoeval-model=offline/globally-for-eventually", "--autoeval-blame")
    result = run(*options, "--autoeval-results=out.jsonl")
    text = said(result)
    found = rows("out.jsonl")
    assert {row["outcome"] for row in found} == {"inconsistent"}
    assert all(row["blame"]["half"] == "reading" for row in found)
    assert all(row["witness"] for row in found)
    assert "in the reading 2" in text
    shown = [
        line.split(maxsplit=1)
        for line in text.splitlines()
        if line.startswith("    ") and "  " in line.strip()
    ]
    fields = {label.strip(): value.strip() for label, value in shown}
    assert fields["sentence"] == ONCE  # the smallest
    assert (fields["formula"], fields["translation"]) == ("G door", "F door")
    assert fields["reproduce"].endswith("--autoeval-formula=requirements.md:4")


def test_a_listed_sentence_is_formalized_wrongly_and_the_errors_are_not_seen(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    write(pytester, "wrong.txt", f"{SAFE}\n")
    suite(pytester)
    model = "--autoeval-model=offline/misread-sentences?sentences=wrong.txt"
    run("--autoeval-results=out.jsonl", model)
    found = {row["item"]: (row["formalization"], row["outcome"]) for row in rows("out.jsonl")}
    assert found == {
        "requirements.md:2": ("F (door -> !lift)", "consistent"),
        "requirements.md:4": ("F door", "consistent"),
    }
    run("--autoeval-results=all.jsonl", "--autoeval-model=offline/misread-sentences")
    assert {row["outcome"] for row in rows("all.jsonl")} == {"inconsistent"}
    assert "it has sentences=FILE" in said(
        run("--autoeval-model=offline/misread-sentences?sentence=wrong.txt")
    )
    missing = said(run("--autoeval-model=offline/misread-sentences?sentences=none.txt"))
    assert "none.txt cannot be read: No such file or directory" in missing


def test_one_sentence_is_asked_again_by_its_name(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    suite(pytester)
    run("--autoeval-results=out.jsonl", "--autoeval-formula=requirements.md:4")
    assert [row["item"] for row in rows("out.jsonl")] == ["requirements.md:4"]


def test_results_are_paired_with_a_baseline_by_sentence(
    pytester: pytest.Pytester, run: Run
) -> None:
    suite(pytester)
    run("--autoeval-results=before.jsonl")
    model = "--autoeval-model=offline/faithful"
    result = run(model, "--autoeval-baseline=before.jsonl", "--autoeval-summary=summary.json")
    found = suite_in(read_summary(pytester.path / "summary.json"))
    assert result.ret == 0
    assert [value(found, name) for name in ("pairs", "won", "lost")] == [2, 0, 0]


# --- the shipped suites ---


def test_the_shipped_suites_take_a_file_and_its_glossary(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    option = "--autoeval-dataset=requirements.md"
    assert run(f"{SHIPPED}::test_ltl", option, "--autoeval-results=out.jsonl").ret == 0
    assert [row["outcome"] for row in rows("out.jsonl")] == ["consistent"] * 2


def test_a_glossary_of_one_language_leaves_the_shipped_suites_of_others_out(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    write(pytester, "requirements.md", "- Ann is tall.\n")
    write(pytester, "requirements.toml", '"Tall(x)" = "x is tall"\nann = "Ann"\n')
    options = ("--autoeval-dataset=requirements.md", "--autoeval-results=out.jsonl")
    result = run(f"{SHIPPED}::test_first_order", *options)
    assert (result.ret, [row["outcome"] for row in rows("out.jsonl")]) == (0, ["consistent"])
    run(str(SHIPPED), *options).assert_outcomes(passed=1, skipped=2)
    write(pytester, "requirements.toml", '"a b" = "Ann is tall"\n')
    result = run(str(SHIPPED), str(SHIPPED.with_name("test_propositional.py")), *options)
    assert result.ret == pytest.ExitCode.INTERRUPTED, (
        "a mistake in the glossary is no reason to leave the suites out"
    )
    assert "'a b' cannot be the name of a proposition in ltl" in said(result)


def test_without_a_file_the_shipped_suites_are_left_out(run: Run) -> None:
    result = run(str(SHIPPED))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "for your own sentences: --autoeval-dataset=FILE takes a list of Markdown (.md), a sentence on each line (.txt)"
        in said(result)
    )


@pytest.mark.parametrize("asked", [False, True])
def test_beside_other_suites_only_verbose_names_them_without_a_file(
    run: Run, *, asked: bool
) -> None:
    others = str(SHIPPED.with_name("test_propositional.py"))
    result = run(
        str(SHIPPED),
        others,
        "-k",
        "propositional",
        "--autoeval-samples=1",
        *(["-v"] if asked else []),
    )
    assert result.ret == 0
    assert (
        "skipped: 1 suite: for your own sentences: --autoeval-dataset=FILE takes" in said(result)
    ) is asked


def test_data_with_formulas_is_left_to_the_other_suites(
    pytester: pytest.Pytester, run: Run
) -> None:
    write(pytester, "temporal.csv", "sentence,formula,propositions\nIt rains.,F x1,rain : x1\n")
    result = run(
        str(SHIPPED), str(SHIPPED.with_name("test_ltl_tasks.py")), "--autoeval-dataset=temporal.csv"
    )
    assert result.ret == 0
    assert (
        "skipped: 3 suites: --autoeval-dataset: nothing in temporal.csv is sentences alone"
        in said(result)
    )


def test_the_lines_of_sentences_may_move_between_a_run_and_its_baseline(
    pytester: pytest.Pytester, run: Run
) -> None:
    suite(pytester)
    run("--autoeval-results=before.jsonl")
    write(pytester, "requirements.md", f"# Door\n\nSome words.\n\n- {SAFE}\n# Later\n- {ONCE}\n")
    run("--autoeval-baseline=before.jsonl", "--autoeval-summary=summary.json")
    found = suite_in(read_summary(pytester.path / "summary.json"))
    assert value(found, "pairs") == 2


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_an_offline_model_says_once_that_it_reads_only_its_own_english(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    write(pytester, "requirements.md", "- The door never opens.\n- The lift is here.\n")
    suite(pytester)
    result = run("--autoeval-model=offline/faithful", *workers)
    text = " ".join(said(result).split())
    assert result.ret == 1
    assert (
        "offline/faithful understands only its own English; name a model that reads yours: "
        "--autoeval-model=NAME"
    ) in text
    assert "unparseable" not in text


def test_a_sentence_that_an_offline_model_reads_is_asked(
    pytester: pytest.Pytester, run: Run, rows: Rows
) -> None:
    write(pytester, "requirements.md", f"- {SAFE}\n- The lift is here.\n")
    suite(pytester)
    run("--autoeval-model=offline/faithful", "--autoeval-results=out.jsonl")
    assert {row["item"]: row["outcome"] for row in rows("out.jsonl")} == {
        "requirements.md:1": "consistent",
        "requirements.md:2": "unparseable",
    }


def test_names_that_cannot_be_listed_end_the_suite_with_a_hint(
    pytester: pytest.Pytester, run: Run
) -> None:
    (pytester.path / "requirements.toml").unlink()
    suite(pytester)
    result = run("--autoeval-model=offline/faithful")
    text = said(result)
    assert result.ret == 1
    assert "write a glossary, requirements.toml" in " ".join(text.split())
    assert "KeyError" not in text


def test_a_permission_that_the_formula_lost_is_in_the_report_of_a_run(
    pytester: pytest.Pytester, run: Run
) -> None:
    write(pytester, "rules.md", "- R-1: An admin can see the log.\n- R-2: An admin sees the log.\n")
    write(pytester, "rules.toml", '"Admin(x)" = "x is an admin"\n"Sees(x)" = "x sees the log"\n')
    pytester.makeconftest(
        "class Model:\n"
        "    def complete(self, messages, repeat=0):\n"
        "        return 'Formula: all x. (Admin(x) -> Sees(x))'\n\n"
        "def pytest_autoeval_register(registry):\n"
        "    registry.add_model('mine', Model)\n"
    )
    pytester.makepyfile(
        test_suite=SUITE.replace("requirements.md", "rules.md")
        .replace('"ltl"', '"first_order"')
        .replace("{more}", "")
    )
    text = said(run("--autoeval-model=mine"))
    section = text.partition("permission lost in the formula")[2]
    assert "R-1: An admin can see the log." in section
    assert "it permits (“can see”)" in section
    assert "R-2: An admin" not in section
