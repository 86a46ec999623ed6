"""Tasks that translate sentences into formulas of temporal logic, over given names or the model's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from pytest_autoeval.languages import Vocabulary, language
from pytest_autoeval.languages.answers import UnreadableError
from pytest_autoeval.languages.ontology import Symbol
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.protocols import AnswerForm
from pytest_autoeval.tasks.aligned import Signatures, judged_by_alignment
from pytest_autoeval.tasks.answer_readers import read_phrases
from pytest_autoeval.tasks.formula_answers import (
    formula_form,
    formula_in,
    judge_formula,
    listed_phrases,
    with_form,
)
from pytest_autoeval.tasks.task import Judgement, Task
from pytest_autoeval.tasks.trial import Trial

#: The forms that the prompts ask for: one line for each phrase or symbol, then the formula.
_PHRASES_FORM = lazy_pattern(
    r'(?:"[^"\n]+": [A-Za-z_]\w*\n)+(?:Formula: )?(?P<formula>[^\n]+|`{3}.*)', re.DOTALL
)


class Translation(Task):
    """Sentence and propositions → formula of temporal logic; facts are ``sentence`` and ``propositions``."""

    interfaces = ("detailed", "minimal", "python")
    constrained_interfaces = ("detailed", "minimal")
    figures = "translation"

    def __init__(self, name: str) -> None:
        self.name = name

    def slots(self, trial: Trial) -> Mapping[str, str]:
        propositions = trial.fact("propositions", list)
        return {
            "sentence": trial.fact("sentence", str),
            "propositions": listed_phrases(propositions),
        }

    def answer_form(self, trial: Trial) -> AnswerForm | None:
        return formula_form(trial)

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject = trial.about
        lang = language(trial.about.language)
        in_python = self.interface(trial) == "python"
        return judge_formula(
            formula_in(answer, lang, subject.vocabulary, in_python=in_python), trial
        )


class SentenceTranslation(Task):
    """Sentence → phrases with names, and a formula of temporal logic over these names."""

    name = "translate_sentence"
    interfaces = ("detailed", "minimal", "python")
    figures = "translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"requirement": trial.fact("sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject = trial.about
        in_python = self.interface(trial) == "python"
        lang = language(subject.language)
        try:
            listed = tuple(Symbol(name, (), phrase) for phrase, name in read_phrases(answer))
        except UnreadableError:
            listed = ()
        names = None
        if listed:
            names = Vocabulary(propositions=tuple(symbol.name for symbol in listed))
        read = partial(formula_in, lang=lang, vocabulary=names, in_python=in_python)
        reading = with_form(read(answer), _PHRASES_FORM, answer, read)
        phrases = {atom: phrase for phrase, atom in trial.fact("propositions", list)}
        atoms = lang.symbols(subject.formula).propositions
        expected = tuple(Symbol(name, (), phrases.get(name, "")) for name in atoms)
        return judged_by_alignment(reading, listed, Signatures(expected, ()), trial)


TRANSLATE = Translation("translate")
TRANSLATE_PAST = Translation("translate_past")
TRANSLATE_SENTENCE = SentenceTranslation()
