"""`check FILE --formulas=RESULTS`: the sentences of files, with the formulas of one model, examined as a set."""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pytest_autoeval.datasets.plain_sentences import PlainSentence, read_plain_sentences
from pytest_autoeval.engine.reproducing import command_of
from pytest_autoeval.errors import AutoevalError, unknown_name
from pytest_autoeval.judging.rules import Rules
from pytest_autoeval.languages import EnglishError, Formula, FormulaSyntaxError, Language, language
from pytest_autoeval.record.lines import Sample
from pytest_autoeval.record.merging import Merged, merge
from pytest_autoeval.record.task_parts import Formalized, Given
from pytest_autoeval.report.analysis import INCONCLUSIVE, analyse
from pytest_autoeval.report.document import document
from pytest_autoeval.report.renderers.terminal import lines
from pytest_autoeval.requirements.meanings import TASK, glossary_of
from pytest_autoeval.requirements.whole_set import WholeSet, examine_formulas
from pytest_autoeval.requirements.whole_set_sections import SetData, set_document, whole_set
from pytest_autoeval.running.outputs import progress
from pytest_autoeval.text import printed

_NO_SAMPLES = (
    "{}: it has no results of the task {} for the sentences of {}; mark a test with @autoeval.sentences and run it "
    "with --autoeval-results"
)


#: The time limit of the check of a set, and the exit code after a Ctrl-C.
_SECONDS, _INTERRUPTED = 300.0, 130
#: The columns of the report on a set.
_WIDTH = 80


def main(args: Namespace) -> int:
    """Runs the command with its parsed arguments, and returns its exit code. Raises :class:`AutoevalError`."""
    args.seconds = _SECONDS if args.seconds is None else args.seconds
    try:
        found, data, merged = check_set(args, progress)
    finally:
        progress("")
    exit_code = _exit_code(found)
    if args.json:
        sys.stdout.write(json.dumps(data, ensure_ascii=True, indent=2) + "\n")
    else:
        printed(
            line.text
            for line in lines(
                set_document(data, exit_code), width=_WIDTH, verbosity=int(args.verbose)
            )
        )
    if args.html is not None:
        from pytest_autoeval.report.renderers.page import write_page

        shown = document(analyse(merged.suites, Rules()), exit_code=exit_code, more=whole_set(data))
        write_page(args.html, shown, merged.suites, command_of=command_of)
        sys.stderr.write(f"{args.html}: open it in a browser\n")
    return exit_code


def _exit_code(found: WholeSet) -> int:
    if found.stopped == "interrupted":
        return _INTERRUPTED
    if not found.is_clean:
        return 1
    return 0 if found.is_decided else INCONCLUSIVE


def check_set(args: Namespace, progress: Callable[[str], None]) -> tuple[WholeSet, SetData, Merged]:
    """Examines the sentences of `args.files` with the formulas of `args.formulas`.

    Raises :class:`AutoevalError`.
    """
    found_in = [
        (file, sentence)
        for file in dict.fromkeys(args.files)
        for sentence in read_plain_sentences(file)
    ]
    sentences = [sentence for _, sentence in found_in]
    merged = merge([args.formulas], progress)
    texts = {sentence.sentence for sentence in sentences}
    asked = [
        sample
        for suite in merged.suites
        for sample in suite.counted
        if suite.asked.task == TASK and _sentence(sample) in texts
    ]
    samples = _samples_of_model(asked, args)
    lang = language(samples[0].suite.asked.language)
    # A sentence has its id, and the file too where another sentence has the id: ``r:1 of old/r.md``.
    times = Counter(sentence.item for sentence in sentences)
    named = [
        one if times[one.item] == 1 else replace(one, item=f"{one.item} of {file}")
        for file, one in found_in
    ]
    formalized = list(zip(named, _with_formulas(sentences, samples, lang), strict=True))
    taken = [
        (sentence, formula) for sentence, formula in formalized if isinstance(formula, Formula)
    ]
    if not taken:
        raise AutoevalError(
            f"{args.formulas}: no sentence of {_names(args.files)} has a formula by {samples[0].model}"
        )
    found = examine_formulas(
        [formula for _, formula in taken], lang, args.timeout, args.seconds, progress
    )
    data: dict[str, Any] = {
        "file": _names(args.files),
        "model": samples[0].model,
        "language": lang.name,
        "sentences": [
            _as_json(sentence) | {"formula": lang.format(formula)} for sentence, formula in taken
        ],
        "without_formula": [
            _as_json(one) | {"why": why} for one, why in formalized if isinstance(why, str)
        ],
        **_findings(found, [sentence.item for sentence, _ in taken]),
        **_case_of(found, taken, samples, lang),
        **_names_of(taken, samples, lang),
    }
    return found, data, merged


def _sentence(sample: Sample) -> str | None:
    return sample.part_or_empty(Given).sentence


def _samples_of_model(samples: Sequence[Sample], args: Namespace) -> list[Sample]:
    """The samples of one model for the sentences themselves, asked for the first time."""
    if not samples:
        raise AutoevalError(_NO_SAMPLES.format(args.formulas, TASK, _names(args.files)))
    models = sorted({sample.model for sample in samples})
    if args.model is not None and args.model not in models:
        raise AutoevalError(f"--model: {unknown_name('model', args.model, models)}")
    if args.model is None and len(models) > 1:
        raise AutoevalError(
            f"{args.formulas}: it has formulas of {', '.join(models)}; choose one with --model=NAME"
        )
    model = args.model or models[0]
    some = [
        sample
        for sample in samples
        if (sample.model, sample.repeat, sample.paraphrase) == (model, 0, 0)
    ]
    if not some:
        raise AutoevalError(
            f"{args.formulas}: {model} has no sample of a sentence itself with repeat 0"
        )
    if len(languages := sorted({sample.suite.asked.language for sample in some})) > 1:
        raise AutoevalError(
            f"{args.formulas}: the formulas are of {' and '.join(languages)}; give one language"
        )
    return some


def _with_formulas(
    sentences: Iterable[PlainSentence], samples: Iterable[Sample], lang: Language
) -> Iterator[Formula | str]:
    """For each sentence its formula, or why it has none: of the sample with its id and text, else with its text.

    Raises :class:`AutoevalError` if samples of one sentence have different formulas.
    """
    texts: dict[tuple[str | None, str | None], Sample] = {}
    for sample in samples:
        item = sample.part_or_empty(Given).item
        for key in ((item, _sentence(sample)), (None, _sentence(sample))):
            first, second = map(_formalized, (texts.setdefault(key, sample), sample))
            if key[0] and first != second:
                problem = f"two formulas of {sample.model}: {first} and {second}"
                raise AutoevalError(
                    f"the sentence {item} has {problem}; give the results of one suite"
                )
    for sentence in sentences:
        written = texts.get((sentence.item, sentence.sentence)) or texts.get(
            (None, sentence.sentence)
        )
        if written is None:
            yield "not in the results; the text may have changed since the run"
        elif (text := _formalized(written)) is None:
            yield written.outcome
        else:
            try:
                yield lang.parse(text)
            except FormulaSyntaxError as problem:
                where = f"the formula of {sentence.item} in the results"
                raise AutoevalError(f"{where} cannot be read: {problem}") from None


def _formalized(sample: Sample) -> str | None:
    return sample.part_or_empty(Formalized).formula


def _findings(found: WholeSet, items: Sequence[str]) -> dict[str, Any]:
    def named(numbers: Iterable[int]) -> list[str]:
        return [items[number - 1] for number in sorted(numbers)]

    return {
        "satisfiable": found.satisfiable,
        "kept": named(found.kept),
        "never_true": named(found.never_true),
        "always_true": named(found.always_true),
        "contradictions": [
            {"sentences": named(core.numbers), "proved": core.proved}
            for core in found.contradictions
        ],
        "repeats": [named(group) for group in found.repeats],
        "consequences": [
            {
                "sentence": items[sentence - 1],
                "premises": named(core.numbers),
                "proved": core.proved,
            }
            for sentence, core in found.consequences.items()
        ],
        "undecided": {
            kind: [named(case) for case in cases] for kind, cases in found.undecided.items()
        },
        "stopped": found.stopped,
    }


def _case_of(
    found: WholeSet,
    taken: Sequence[tuple[PlainSentence, Formula]],
    samples: Iterable[Sample],
    lang: Language,
) -> dict[str, Any]:
    """The case in which all sentences that are kept hold: as JSON, and in English in the phrases of the glossaries."""
    if (witness := found.witness) is None:
        return {"witness": None, "witness_text": ""}
    case = witness.to_json()
    entries = dict.fromkeys(entry for sample in samples for entry in glossary_of(sample).items())
    phrases = Counter(name for name, _ in entries)
    try:
        text = lang.situation(
            witness, {name: phrase for name, phrase in entries if phrases[name] == 1}
        )
    except EnglishError:  # a language of the user's
        return {"witness": case, "witness_text": str(witness)}
    if any(lang.holds_in(taken[number - 1][1], case) is None for number in found.kept):
        others = f", and other terms are thing {case['domain'][0]}" if "domain" in case else ""
        text += f" What is not mentioned does not hold{others}."
    return {"witness": case, "witness_text": text}


def _names_of(
    taken: Sequence[tuple[PlainSentence, Formula]], samples: Iterable[Sample], lang: Language
) -> dict[str, Any]:
    """The names that one sentence uses, and those of the glossary that none uses."""
    used = [(sentence.item, lang.symbols(formula).names) for sentence, formula in taken]
    times = Counter(name for _, names in used for name in names)
    glossary = dict.fromkeys(
        name.partition("(")[0] for sample in samples for name in glossary_of(sample)
    )
    once = [
        {"name": name, "item": item}
        for item, names in used
        for name in sorted(names)
        if times[name] == 1
    ]
    return {"names_used_once": once, "unused_names": [name for name in glossary if not times[name]]}


def _as_json(sentence: PlainSentence) -> dict[str, str]:
    return {key: getattr(sentence, key) for key in ("item", "source", "group", "sentence")}


def _names(files: Iterable[Path]) -> str:
    return ", ".join(str(file) for file in dict.fromkeys(files))
