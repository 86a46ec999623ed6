"""What holds here for each row of `docs/explanation/where-we-differ.md`: from the code, or from a measurement.

Where another test shows a rule, the function names that test.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest

from pytest_autoeval import SampleEnded, language, pass_rate_test, run_suites, sample_formulas
from pytest_autoeval.datasets.catalogue import data_set
from pytest_autoeval.engine.settings import OPTIONS
from pytest_autoeval.generation.drawing import DrawingOptions, formula_space
from pytest_autoeval.generation.vocabularies import ready_made
from pytest_autoeval.languages.logic.laws import LAWS, perturbations
from pytest_autoeval.languages.logic.le_score import le_score
from pytest_autoeval.languages.logic.syntax import Sentence
from pytest_autoeval.languages.logic.verbalization import verbalize
from pytest_autoeval.languages.ontology import ontology_of_facts
from pytest_autoeval.models.model_names import EmbedderName
from pytest_autoeval.prompts.template import load
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.studies.first_order_translation import candidates, choices
from pytest_autoeval.studies.temporal_logic import propositions, questions, translation
from pytest_autoeval.tasks.judge import JUDGE

ROOT = Path(__file__).parents[2]
#: A batch has this many formulas of each size.
OF_A_SIZE = 50
DEFAULT = ready_made("default")
Values = Mapping[str, Callable[[], object]]


def shown_by(text: str, test: str) -> Callable[[], str]:
    """The text of a rule that another test shows: a file of tests and the name of a test."""

    def check() -> str:
        file, name = test.split("::")
        assert f"def {name}(" in (ROOT / "tests" / file).read_text("utf-8"), test
        return text

    return check


@cache
def marker(file: str, test: str) -> pytest.Mark:
    """The marker of a test in a packaged suite or an example."""
    spec = spec_from_file_location("_suite", ROOT / file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    mark: pytest.Mark = getattr(module, test).pytestmark[0]
    return mark


def suite_sizes(name: str, test: str = "test_round_trip", key: str = "operators") -> str:
    sizes = marker(f"suites/test_{name}.py", test).kwargs[key]
    return f"{sizes[0]} to {sizes[-1]} in the suite"


def items_in_suite(test: str) -> str:
    arguments = marker("suites/test_ltl_tasks.py", test).kwargs
    return f"{len(arguments['operators']) * arguments['samples']} in the suite"


def batch(grammar: str, sizes: Sequence[int], **options: Any) -> int:
    """How many formulas a batch has. Only small sizes can have too few, and these are drawn."""
    space = formula_space(grammar, None, None, DrawingOptions(**options))

    def of_size(size: int) -> int:
        many = space.derivations(size) > 10_000
        return (
            OF_A_SIZE
            if many
            else len(sample_formulas(grammar, size, OF_A_SIZE, warn=False, **options))
        )

    return sum(of_size(size) for size in sizes if size in space)


def samples(
    source: str,
    model: str = "offline/faithful",
    options: Mapping[str, Any] | None = None,
    **marked: Any,
) -> list[Sample]:
    """The samples of a suite, asked as a run asks them."""
    events = run_suites(
        [pass_rate_test(source, **marked)], [model], **{"shrink_budget": 0, **(options or {})}
    )
    return [event.sample for event in events if isinstance(event, SampleEnded)]


@cache
def example_of_readme(copies: str) -> list[Sample]:
    options = {
        "prompting": "few-shot",
        "temperature": 0.0,
        "max_tokens": 300,
        "copies": copies,
        "record_mode": "none",
    }
    return samples(
        "propositional", "Qwen2.5-Coder-0.5B-Instruct", options, operators=range(9), samples=5
    )


def pass_rate_of_readme(copies: str) -> str:
    found = example_of_readme(copies)
    passed = sum(sample.outcome == "equivalent" for sample in found)
    return f"{passed / len(found):.1%}".replace("%", " %")


def drawn_trivial(*, trivial: bool | None) -> bool:
    found = samples("propositional", operators=1, samples=9, vocabulary=["p1"], trivial=trivial)
    return any(sample.trivial for sample in found)


def drawn_vacuous(**options: Any) -> bool:
    formulas = map(str, sample_formulas("first_order", 5, 100, **options))
    return any(
        formula.count(name) == 1
        for formula in formulas
        for name in re.findall(r"[∀∃](\w+)", formula)
    )


def arities() -> str:
    return ", ".join(
        f"{arity} for {number}"
        for arity, number in sorted(Counter(dict(DEFAULT.predicates).values()).items())
    )


def names_in_prompt(stage: str) -> str:
    """Which names a prompt of a round trip has: one formula of the vocabulary has only some of its names."""
    (sample,) = samples("propositional", operators=2, samples=1)
    messages = next(call.messages for call in sample.calls if call.stage == stage)
    assert messages
    listed = set(re.findall(r"\bp\d+", str(messages[-1].content).partition("\n\n")[0]))
    if listed == {*DEFAULT.propositions}:
        return "the whole vocabulary"
    return (
        "those of the formula"
        if listed == set(re.findall(r"\bp\d+", sample.formula))
        else f"{listed}"
    )


def where_examples_stand() -> str:
    (sample,) = samples("propositional", options={"prompting": "few-shot"}, operators=2, samples=1)
    turns = [[message.role for message in call.messages or ()] for call in sample.calls]
    in_turns = all(roles == ["system", *["user", "assistant"] * 2, "user"] for roles in turns)
    return "earlier turns of the conversation" if in_turns else f"{turns}"


def examples_of(task: str, languages: Sequence[str], interface: str = "") -> str:
    return "; ".join(
        {f"{len(load(task, name, interface=interface).examples)}": None for name in languages}
    )


def tokens(*prompts: tuple[str, str, str]) -> str:
    limits = {
        f"{load(task, name, interface=form).max_tokens:,}": None for task, name, form in prompts
    }
    return "; ".join(limits)


def large_automata() -> str:
    regex = language("regex")
    states = [
        regex.measure(one)["states"]
        for size in range(1, 41)
        for one in sample_formulas("regex", size, 10, warn=False)
    ]
    return f"{sum(number > 7 for number in states) / len(states):.0%} to depth 40".replace(
        "%", " %"
    )


def reading(name: str, text: str) -> str:
    read = language(name).read(text)
    if read.formula is None:
        return "no formula"
    return "compliant" if read.compliant else "read, not compliant"


def not_sent(name: str) -> str:
    return "not sent" if OPTIONS[name].default is None else f"{OPTIONS[name].default}"


def default_of(function: Callable[..., object], name: str) -> int:
    return int(inspect.signature(function).parameters[name].default)


def number_of(name: str) -> int:
    found = data_set(name)
    assert found is not None
    assert found.sizes is not None
    return sum(len(found.items(size)) for size in found.sizes)


def first_order(text: str) -> Sentence:
    return cast("Sentence", language("first_order").parse(text))


def exclusive_sentences() -> str:
    """Whether a sentence whose formula has ⊕ can be asked about."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "one.jsonl")
        file.write_text(
            '{"sentence": "Ann is tall or kind, but not both.", "formula": "Tall(ann) ⊕ Kind(ann)"}',
            "utf-8",
        )
        return "left out" if data_set("fol_translation", [file]) is None else "kept"


def revisions() -> int:
    """How many answers a self-refined question has after its first one."""
    (sample,) = samples(
        "ltl_future", options={"prompting": "self-refine"}, task="translate", operators=1, samples=1
    )
    return len(sample.calls) - 1


def traces() -> str:
    found = data_set("ltl_traces")
    assert found is not None
    (item,) = found.items(1, 1)
    return "infinite, with a loop" if "cycle{" in item.facts["trace"] else "finite"


def edits() -> str:
    kinds = {kind for kind, _ in perturbations(first_order("∀x. (P(x) → Q(x))"))}
    return ", ".join(sorted(kinds, key=["connective", "quantifier", "negation"].index))


def laws() -> str:
    names = [name.partition(" of ") for name in LAWS]
    more = [of for _, _, of in names if of]
    return f"{len({law for law, _, _ in names})}; commutativity also of {' and '.join(more)}"


def in_english() -> str:
    """How a candidate reads in the words of the shipped glossary."""
    found = data_set("fol_translation")
    assert found is not None
    (item,) = found.items(1, 1)
    return verbalize(
        first_order("∀x. (Cube(x) → ¬Small(x))"), ontology_of_facts(item.facts["ontology"])
    )


def signs_of_temporal_logic() -> str:
    """The operators of NuSMV that are read as they are written."""
    one, two = ["!", "X", "F", "G", "Y", "O", "H"], ["&", "|", "->", "<->", "U", "S"]
    for text in (*(f"{sign} x1" for sign in one), *(f"x1 {sign} x2" for sign in two)):
        assert str(language("ltl").parse(text)).replace(" ", "") == text.replace(" ", "")
    return r"`! & \| -> <-> X F G U Y O H S`"


LOGICS = ("propositional", "first_order", "regex")
OF_AUTOEVAL: Values = {
    "propositions": lambda: len(DEFAULT.propositions),
    "predicates": lambda: len(DEFAULT.predicates),
    "objects": lambda: len(DEFAULT.constants),
    "numbers of arguments": lambda: arities().replace("for 4,", "for 4 predicates,"),
    "symbols of regular expressions": lambda: len(DEFAULT.alphabet),
    "chance that an argument is a variable": lambda: DrawingOptions().variable_probability,
    "quantifiers of a formula": lambda: "{} to {}".format(*DrawingOptions().quantifiers),  # type: ignore[misc]
    "quantifiers that bind nothing": lambda: "drawn" if drawn_vacuous() else "never",
    "trivial formulas": lambda: "drawn" if drawn_trivial(trivial=None) else "left out",
    "English names": lambda: (
        f"{len(ready_made('english').predicates)} verbs, {len(ready_made('english').constants)} first names"
    ),
    "how formulas are drawn": shown_by(
        "each derivation of a size is equally likely",
        "generation/test_uniform_derivations.py::test_derivations_are_equally_likely",
    ),
    "size in logic": lambda: (
        "operators, without negations of literals"
        if language("propositional").measure("¬p1 ∧ ¬¬p2")["operators"] == 2
        else "another"
    ),
    "size of regular expressions": lambda: (
        "depth of the derivation" if language("regex").size_measure == "depth" else "another"
    ),
    "sizes of `propositional`": lambda: suite_sizes("propositional"),
    "sizes of `ksat`": lambda: suite_sizes("ksat"),
    "sizes of `first_order`": lambda: suite_sizes("first_order", "test_synthetic_names") + "s",
    "sizes of `regex`": lambda: suite_sizes("regex", key="depth"),
    "formulas of a size": lambda: (
        f"{marker('suites/test_regex.py', 'test_round_trip').kwargs['samples']} in the suites, else "
        f"{len(samples('propositional', operators=3))}"
    ),
    "batch of `propositional`": lambda: f"{batch('propositional', range(40)):,}",
    "batch of `ksat`": lambda: f"{batch('ksat', range(2, 60, 3)):,}",
    "batch of `first_order`": lambda: (
        f"{batch('first_order', range(38)):,}; {batch('first_order', range(40)):,} to size 39"
    ),
    "batch of `regex`": lambda: (
        f"{batch('regex', range(1, 39)):,}; {batch('regex', range(1, 41)):,} to depth 40"
    ),
    "automata with more than 7 states": large_automata,
    "batches": lambda: 1 if isinstance(OPTIONS["seed"].default, int) else "several",
    "prompting": lambda: ", ".join(OPTIONS["prompting"].default),
    "examples in a few-shot prompt": lambda: "; ".join(
        {examples_of("informalize", LOGICS): None, examples_of("autoformalize", LOGICS): None}
    ),
    "where these examples stand": where_examples_stand,
    "names given with a formula": lambda: names_in_prompt("informalize"),
    "names given with a description": lambda: names_in_prompt("autoformalize"),
    "temperature": lambda: not_sent("temperature"),
    "longest answer, in tokens": lambda: tokens(
        *((task, name, "") for task in ("informalize", "autoformalize") for name in LOGICS)
    ),
    "repeats": lambda: OPTIONS["repeats"].default,
    "a description that copies the formula": lambda: (
        "a failure" if OPTIONS["copies"].default == "fail" else "read like others"
    ),
    "the pass rate of README's example": lambda: (
        f"{pass_rate_of_readme('fail')}; with copies read {pass_rate_of_readme('count')}"
    ),
    "a formula inside prose": lambda: reading("propositional", "The formula is `p1 ∧ p2`."),
    "one quantifier for several variables": lambda: reading(
        "first_order", "∀x1 x2. (P(x1) ∧ Q(x2))"
    ),
    "`(p1` as an answer": lambda: reading("propositional", "(p1"),
    "what the verifier cannot decide": shown_by(
        "undecided",
        "languages/test_first_order_decide.py::test_what_has_only_infinite_models_is_undecided",
    ),
    "pairs to judge": shown_by(
        "drawn, half of them equivalent",
        "datasets/test_judge_pairs.py::test_half_of_the_pairs_mean_the_same",
    ),
    "the judge's answer": lambda: JUDGE.interfaces[0],
    "rate at which prompts are good enough": lambda: (
        "no threshold"
        if "threshold" not in marker("suites/test_ksat.py", "test_round_trip").kwargs
        else "another"
    ),
    "error rate of tests": lambda: f"{OPTIONS['alpha'].default:.0%}".replace("%", " %"),
}

_CHOOSING = "studies/first_order_translation/test_choices_and_rankings.py"
OF_FIRST_ORDER: Values = {
    "sentences": lambda: number_of("fol_translation"),
    "sentences with ⊕": exclusive_sentences,
    "sentences without a useful candidate": shown_by(
        "left out", "studies/first_order_translation/test_candidates.py::test_why_there_is_nothing"
    ),
    "names given": shown_by(
        "all of the ontology, with their meaning",
        f"{_CHOOSING}::test_formulas_come_with_the_glossary_and_sentences_without",
    ),
    "candidates to choose from": lambda: (
        f"1 and up to {default_of(candidates.most_similar, 'count')} edits"
    ),
    "candidates to rank": lambda: (
        f"4 and up to {default_of(candidates.ranking_set, 'count')} edits"
    ),
    "edits": edits,
    "laws for the equivalent": laws,
    "relation of a candidate to the formula": shown_by(
        "proved",
        "studies/first_order_translation/test_sentence_sets.py::"
        "test_the_right_choice_is_the_formula_and_the_others_differ_from_it",
    ),
    "English of `∀x. (Cube(x) → ¬Small(x))`": in_english,
    "a right ranking": shown_by(
        "the two first and the two last, in any order",
        f"{_CHOOSING}::test_an_order_leads_to_its_outcome_and_scores",
    ),
    "prompting": lambda: ", ".join(OPTIONS["prompting"].default),
    "examples in a few-shot prompt": lambda: examples_of("logical_translation", ["first_order"]),
    "answers to choices and rankings": lambda: choices.RANKING_FORMULAS.interfaces[0],
    "answer to a translation": lambda: (
        "the formula alone"
        if load("logical_translation", "first_order").system.endswith(
            "Answer with the formula alone."
        )
        else "another"
    ),
    "repeats": lambda: OPTIONS["repeats"].default,
    "seed of the API": lambda: not_sent("parameters"),
    "temperature": lambda: not_sent("temperature"),
    "longest answer, in tokens": lambda: (
        tokens(
            ("logical_translation", "first_order", ""),
            ("most_similar_formulas", "first_order", "structured"),
        )
        + "; ranking "
        + tokens(("ranking_formulas", "first_order", "structured"))
    ),
    "similarity of embeddings": shown_by("cosine", f"{_CHOOSING}::test_cosines_by_hand"),
    "instructions for embeddings": lambda: (
        "none" if EmbedderName.of("embeddings/some").instruction is None else "another"
    ),
    "equal similarities": shown_by(
        "wrong", f"{_CHOOSING}::test_embedders_rank_by_falling_similarity_and_ties_go_against_them"
    ),
    "verdict": shown_by(
        "models, z3 and more; undecided",
        "languages/test_first_order_decide.py::test_what_has_only_infinite_models_is_undecided",
    ),
    "LE score of a wrong quantifier": lambda: (
        f"{le_score(first_order('∀x. (P(x) → Q(x))'), first_order('∃x. (P(x) → Q(x))')):g}"
    ),
}

_STUDY = "studies/temporal_logic"
OF_TEMPORAL: Values = {
    "sentences about the future": lambda: number_of("ltl_future"),
    "sentences about the past": lambda: number_of("ltl_past"),
    "sentences to take propositions from": lambda: number_of("ltl_propositions"),
    "strings, well-formed or not": lambda: items_in_suite("test_well_formed"),
    "traces to judge": lambda: items_in_suite("test_judged_trace"),
    "traces to write": lambda: items_in_suite("test_written_trace"),
    "interfaces": lambda: translation.TRANSLATE.interfaces[0],
    "interfaces for propositions and strings": lambda: ", ".join(
        dict.fromkeys((*propositions.PROPOSITIONS.interfaces, *questions.WELL_FORMED.interfaces))
    ),
    "promptings": lambda: ", ".join(OPTIONS["prompting"].default),
    "examples in a few-shot prompt": lambda: examples_of("translate", ["ltl"], "detailed"),
    "revisions with self-refine": revisions,
    "temperature": lambda: not_sent("temperature"),
    "traces": traces,
    "notation of formulas": signs_of_temporal_logic,
    "an answer that cannot be compared": shown_by(
        "a failure; the study's accuracy stands beside",
        "report/test_task_figures.py::test_the_study_counts_answers_that_lack_no_atom",
    ),
    "`=` for `<->`": lambda: reading("ltl", "x1 = x2"),
    "phrases": shown_by(
        "the same words; similarities are shown",
        f"{_STUDY}/test_propositions.py::test_propositions_lead_to_an_outcome_and_a_kind_of_error",
    ),
    "names of the model's own": shown_by(
        "aligned by evidence",
        f"{_STUDY}/test_sentence_translation.py::test_propositions_are_aligned_by_their_phrases",
    ),
}
