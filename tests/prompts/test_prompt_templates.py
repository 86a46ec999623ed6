"""Templates of a user's own: slots, overriding, and error messages; and the form of every shipped prompt."""

from __future__ import annotations

import re
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_autoeval import prompts
from pytest_autoeval.errors import AutoevalError
from pytest_autoeval.prompts import PromptError, PromptTemplate, Templates, check_folder
from pytest_autoeval.prompts import template as templates_module
from pytest_autoeval.prompts.folders import offered_slots
from pytest_autoeval.prompts.template import shipped_folders, shipped_stems, slots_in
from pytest_autoeval.tasks import task, task_names


def write(folder: Path, text: str, name: str = "informalize/propositional.toml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def refused(folder: Path, text: str, message: str) -> None:
    path = write(folder, text)
    with pytest.raises(PromptError, match="^" + re.escape(f"{path}{message}") + "$"):
        prompts.load("informalize", "propositional", [folder], slots=("formula", "vocabulary"))


@given(st.text(), st.text())
def test_payloads_are_put_in_literally_and_once(formula: str, vocabulary: str) -> None:
    template = PromptTemplate(Path("x.toml"), "", "a ${vocabulary} b ${formula}")
    rendered = template.render({"formula": formula, "vocabulary": vocabulary}, few_shot=False)
    assert rendered == [("user", f"a {vocabulary} b {formula}")]


@pytest.mark.parametrize(
    "payload", ["$", "${formula}", "${vocabulary}", "$$", "\\1", "$\\land$", "{}", "%s"]
)
def test_signs_that_mean_something_elsewhere_survive_in_a_payload(payload: str) -> None:
    template = PromptTemplate(Path("x.toml"), "", "${formula}")
    assert template.render({"formula": payload}, few_shot=False) == [("user", payload)]


def test_a_stray_dollar_in_a_template_stands_for_itself(tmp_path: Path) -> None:
    write(tmp_path, "user = 'costs $5 or $formula, not $${formula}: ${formula}'")
    template = prompts.load("informalize", "propositional", [tmp_path])
    assert template.render({"formula": "p"}, few_shot=False) == [
        ("user", "costs $5 or $formula, not ${formula}: p")
    ]


def test_a_users_file_wins_and_the_first_folder_wins_over_the_second(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    mine = write(first, "user = 'mine ${formula}'")
    write(second, "user = 'other ${formula}'")
    other = write(second, "user = 'regex ${formula}'", "informalize/regex.toml")
    folders = [first, second]
    assert prompts.load("informalize", "propositional", folders).path == mine
    assert prompts.load("informalize", "regex", folders).path == other
    assert prompts.load("informalize", "first_order", folders) == prompts.load(
        "informalize", "first_order"
    )


def test_threads_that_ask_together_get_one_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "user = '${formula}'")
    templates, together, go_on = Templates(), Barrier(5), Event()
    loaded: list[str] = []
    found: list[PromptTemplate] = []

    def slow(task: str, *others: object) -> PromptTemplate:
        loaded.append(task)
        go_on.wait(10)
        return load(task, *others)  # type: ignore[arg-type]

    def ask() -> None:
        together.wait()
        found.append(templates.load("informalize", "propositional", (tmp_path,), "", ("formula",)))

    load = prompts.load
    monkeypatch.setattr(templates_module, "load", slow)
    threads = [Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    together.wait()
    go_on.set()
    for thread in threads:
        thread.join()
    assert loaded == ["informalize"]
    assert len(found) == 4
    assert all(template is found[0] for template in found)


def test_a_template_is_read_for_each_set_of_slots_and_folders(tmp_path: Path) -> None:
    own, templates = write(tmp_path, "user = '${formula} ${vocabulary}'"), Templates()
    assert (
        templates.load(
            "informalize", "propositional", (tmp_path,), "", ("formula", "vocabulary")
        ).path
        == own
    )
    with pytest.raises(PromptError, match="unknown slot"):
        templates.load("informalize", "propositional", (tmp_path,), "", ("formula",))
    assert (
        templates.load("informalize", "propositional", (), "", ("formula", "vocabulary")).path
        != own
    )


def test_a_run_keeps_a_template_and_a_later_run_reads_the_edited_one(tmp_path: Path) -> None:
    request = "informalize", "propositional", (tmp_path,), "", ("formula",)
    write(tmp_path, "user = 'Describe ${formula}.'")
    run = Templates()
    assert run.load(*request).user == "Describe ${formula}."
    write(tmp_path, "user = 'Explain ${formula}.'")
    assert run.load(*request).user == "Describe ${formula}."
    assert Templates().load(*request).user == "Explain ${formula}."


def test_few_shot_without_examples_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "user = '${formula}'")
    template = prompts.load("informalize", "propositional", [tmp_path])
    with pytest.raises(
        PromptError, match=re.escape(f"{path}: few-shot prompting needs [[examples]]")
    ):
        template.render({"formula": "p"}, few_shot=True)


def test_without_a_prompt_for_a_language_the_error_names_the_file_to_write(tmp_path: Path) -> None:
    with pytest.raises(
        AutoevalError,
        match=re.escape(f"write the file {tmp_path / 'informalize' / 'klingon.toml'}"),
    ):
        prompts.load("informalize", "klingon", [tmp_path])
    with pytest.raises(
        AutoevalError, match=r"shipped for this task: first_order, first_order\.paper, ltl, "
    ):
        prompts.load("informalize", "klingon")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="nowhere: there is no such folder of prompts"):
        prompts.load("informalize", "regex", [tmp_path / "nowhere"])


def test_toml_errors_name_line_and_column(tmp_path: Path) -> None:
    path = write(tmp_path, 'system = "x"\nuser = oops\n')
    with pytest.raises(PromptError, match=re.escape(f"{path}:2:8: not TOML: ")):
        prompts.load("informalize", "propositional", [tmp_path])


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes(b"user = '\xff'")
    with pytest.raises(PromptError, match=re.escape(f"{path}: not UTF-8 at byte 8")):
        prompts.load("informalize", "propositional", [tmp_path])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "system = 'x'\nuser = '''\n${formula}\n${fromula}\n'''\n",
            ":4: unknown slot ${fromula}; known are: ${formula}, ${vocabulary}. Did you mean '${formula}'?",
        ),
        ("user = 'hello'", ": the user turn lacks the slot ${formula}, which carries the sample"),
        (
            "usr = 'x'",
            (
                ": there is no key 'usr'; known are: system, user, examples, example, refine, max_tokens, "
                "variable_lists, signs. Did you mean 'user'?"
            ),
        ),
        ("system = 'x'", ": user must be a text, and is missing"),
        ("user = '${formula}'\nvariable_lists = 'yes'", ": variable_lists must be true or false"),
        ("user = '${formula}'\nmax_tokens = 0", ": max_tokens must be an integer ≥ 1"),
        (
            "user = '${formula}'\nexample = '${answer}'",
            ": example is for a user turn with the slot ${examples}, and there is none",
        ),
        (
            "user = '${formula} ${examples}'",
            ":1: unknown slot ${examples}; known are: ${formula}, ${vocabulary}.",
        ),
        (
            "user = '${formula} ${examples}'\nexample = '${formulae}'",
            (
                ":2: unknown slot ${formulae}; known are: ${answer}, ${formula}, ${number}, ${vocabulary}."
                " Did you mean '${formula}'?"
            ),
        ),
        (
            "user = '${formula} ${examples}'\nexample = '${answer}'\n[[examples]]\nformula = 'f'\nanswer = 'a'",
            ": example 1: fills 'formula', which is not a slot of the example; known are: ",
        ),
        (
            "user = '${formula}'\nexamples = 1",
            ": examples must be tables, each under a line [[examples]]",
        ),
        (
            "user = '${formula}'\n[[examples]]\nanswer = 'a'",
            ": example 1: formula must be a text, and is missing",
        ),
        (
            "user = '${formula}'\n[[examples]]\nformula = 'f'\nanswer = 'a'\nvocabulary = 'v'",
            ": example 1: fills 'vocabulary', which is not a slot of the user turn; known are: ${formula}",
        ),
    ],
)
def test_mistakes_in_a_file_are_named(tmp_path: Path, text: str, message: str) -> None:
    refused(tmp_path, text, message)


@pytest.mark.parametrize(
    ("file", "complaint"),
    [
        (None, "there is no prompt in it; write one as informalize/propositional.toml"),
        (
            "informalise/regex.toml",
            "nothing looks for this prompt: there is no task 'informalise'; known are: ",
        ),
        (
            "informalize/propositionl.toml",
            "there is no language 'propositionl'; known are: first_order, ltl, ltlf, propositional, regex. Did",
        ),
    ],
)
def test_a_folder_that_would_change_nothing_is_refused(
    tmp_path: Path, file: str | None, complaint: str
) -> None:
    if file is not None:
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).touch()
    with pytest.raises(PromptError) as caught:
        check_folder(tmp_path, ("propositional", "first_order", "regex"))
    assert complaint in str(caught.value)


def test_a_folder_may_hold_tasks_and_languages_of_ones_own(tmp_path: Path) -> None:
    for file in ("summarize/regex.toml", "informalize/modal.toml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text('user = "${formula}"\n', encoding="utf-8")
    check_folder(tmp_path, ("propositional", "first_order", "regex", "modal"), {"summarize"})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ('usr = "${formula}"\n', "there is no key 'usr'; known are: system, user"),
        (
            '# ${formla}\nuser = "${formla}"\n[[examples]]\nformula = "a"\nanswer = "b"',
            r"regex.toml:2: unknown slot \${formla}; known are: .* Did you mean '\${formula}'\?",
        ),
        # A slot of another task.
        ('user = "${formula} ${description}"\n', r"regex.toml:1: unknown slot \${description}"),
        ('user = "Say something."\n', "the user turn has no slot; known are: "),
        ('user = "${part:words} ${formula}"\n', r"words.txt:2: unknown slot \${fromula}"),
        ('user = "${formula}\n', "not TOML"),
        ('user = "${part:nowhere} ${formula}"\n', "nowhere"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_refused_before_the_run(
    tmp_path: Path, content: str, complaint: str
) -> None:
    (tmp_path / "informalize").mkdir()
    (tmp_path / "informalize" / "regex.toml").write_text(content, encoding="utf-8")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "words.txt").write_text("Say\n${fromula}", encoding="utf-8")
    with pytest.raises(PromptError, match=complaint):
        check_folder(tmp_path, ("regex",))


def test_a_shared_part_may_be_in_another_folder_of_prompts(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    (own / "informalize").mkdir(parents=True)
    (own / "informalize" / "regex.toml").write_text(
        'user = "${part:style} ${formula}"\n', encoding="utf-8"
    )
    (other / "parts").mkdir(parents=True)
    (other / "parts" / "style.txt").write_text("Be exact.", encoding="utf-8")
    check_folder(own, ("regex",), others=[other])


#: The slots that the code of each task fills; the plan of all shipped suites shows them.
FILLED = {
    "answer_question": {"context", "question"},
    "autoformalize": {"description", "vocabulary"},
    "describe_formula": {"formula", "names"},
    "entailment_english": {"conclusion", "premises"},
    "entailment_formulas": {"conclusion", "premises"},
    "formalize_sentence": {"sentence", "names"},
    "informalization": {"formula", "symbols"},
    "informalize": {"formula", "vocabulary"},
    "judge": {"formula", "other"},
    "judge_trace": {"formula", "trace"},
    "list_names": {"sentences"},
    "logical_translation": {"sentence", "symbols"},
    "most_similar_english": {"sentence", "options"},
    "most_similar_formulas": {"sentence", "options", "symbols"},
    "ontology_extraction": {"statement"},
    "open_translation": {"statement"},
    "paraphrase": {"sentence", "names", "number"},
    "propositions": {"sentence"},
    "ranking_english": {"sentence", "candidates"},
    "ranking_formulas": {"sentence", "candidates", "symbols"},
    "translate": {"sentence", "propositions"},
    "translate_past": {"sentence", "propositions"},
    "translate_sentence": {"requirement"},
    "well_formed": {"string"},
    "write_trace": {"formula", "wanted"},
}


def test_the_known_slots_of_a_task_are_those_that_its_code_fills() -> None:
    """A slot that only the code knows would be refused in a prompt of the user's."""
    assert {stage: set(offered_slots(stage)) for stage in shipped_stems()} == FILLED


# --- shipped prompts ---

#: The prompts of the round trip that starts at a sentence, and of the list of names before it.
STEPS_OF_SENTENCES = ("formalize_sentence", "describe_formula", "list_names", "paraphrase")

FILES = sorted(file for folder in shipped_folders() for file in folder.glob("*/*.toml"))
#: A heading of a prompt in the form of the paper.
HEADING = re.compile(r"^\[([A-Z][A-Z0-9 ]+)\]$", re.MULTILINE)
BLOCK = re.compile(r"([A-Z][a-z ]+:)\n\$\{(\w+)\}")
PAPER = [path for path in FILES if path.stem.endswith(".paper")]
each_usual_prompt, each_of_paper = (
    pytest.mark.parametrize("path", paths, ids=lambda path: f"{path.parent.name}/{path.stem}")
    for paths in ([path for path in FILES if path not in PAPER], PAPER)
)


def load(path: Path) -> PromptTemplate:
    language, _, interface = path.stem.partition(".")
    template = prompts.load(path.parent.name, language, interface=interface)
    assert template.path == path
    return template


@each_usual_prompt
def test_the_user_turn_is_labelled_blocks_of_which_nothing_else_has_the_form(path: Path) -> None:
    template = load(path)
    blocks = BLOCK.findall(template.user)
    given = {slot: f"the {slot}" for _, slot in blocks}
    turns = template.render(given, few_shot=False)
    assert [role for role, _ in turns] == ["system", "user"]
    assert turns[-1][1] == "\n\n".join(f"{label}\nthe {slot}" for label, slot in blocks)
    assert "${" not in turns[0][1]
    assert not {label for label, _ in blocks}.intersection(map(str.strip, turns[0][1].splitlines()))


@each_usual_prompt
def test_examples_are_earlier_turns_of_the_same_form(path: Path) -> None:
    template = load(path)
    given = {slot: f"the {slot}" for _, slot in BLOCK.findall(template.user)}
    plain, shown = (template.render(given, few_shot=few_shot) for few_shot in (False, True))
    count = len(template.examples)
    assert count >= 2
    assert [role for role, _ in shown] == ["system", *["user", "assistant"] * count, "user"]
    assert (shown[0], shown[-1]) == (plain[0], plain[-1])
    assert len({content for role, content in shown if role == "user"}) == count + 1
    assert not any("${" in content or content == "the formula" for _, content in shown)


@each_of_paper
def test_a_prompt_in_the_form_of_the_paper_is_one_turn_with_the_examples_in_it(path: Path) -> None:
    template = load(path)
    filled_by_template = ("examples", "signs")
    slots = [slot for slot in slots_in(template.user) if slot not in filled_by_template]
    given = {slot: f"«{slot}»" for slot in slots}
    [(role, without)], [(_, with_examples)] = (
        template.render(given, few_shot=shown) for shown in (False, True)
    )
    assert role == "user"
    headings = HEADING.findall(with_examples)
    numbered = [f"EXAMPLE {number}" for number, _ in enumerate(template.examples, 1)]
    assert [heading for heading in headings if heading.startswith("EXAMPLE")] == numbered
    assert [heading for heading in headings if heading not in numbered] == HEADING.findall(without)
    assert all(
        with_examples.count(sample) == without.count(sample) == 1 for sample in given.values()
    )
    for example in template.examples:
        assert example.answer not in without
        assert all(text in with_examples for text in (*example.slots.values(), example.answer))
    assert not re.search(r"\n{3}|\$\{", with_examples + without)
    assert all(f"\n\n[{heading}]\n" in f"\n\n{with_examples}" for heading in headings)


@pytest.mark.parametrize("name", ["propositional", "first_order", "regex"])
def test_no_prompt_in_the_form_of_the_paper_lists_names_with_a_description(name: str) -> None:
    there, back = (
        prompts.load(half, name, interface="paper") for half in ("informalize", "autoformalize")
    )
    assert "vocabulary" in slots_in(there.user)
    assert [slot for slot in slots_in(back.user) if slot != "signs"] == ["examples", "description"]
    assert back.variable_lists is (name == "first_order")


def test_every_interface_of_every_task_has_its_prompts() -> None:
    shipped = {(path.parent.name, path.stem.partition(".")[2]) for path in FILES}
    halves = ("informalize", "autoformalize")
    steps = {(name, "") for name in (*halves, *STEPS_OF_SENTENCES)} | {
        (name, "paper") for name in halves
    }
    others = [name for name in task_names() if name != "sentence_round_trip"]
    assert shipped == steps | {
        (name, way) for name in others for way in task(name).interfaces or ("",)
    }
