"""The round trip that starts at a sentence: sentence → formula → description → formula. Nobody writes a formula for it.

The model formalizes the sentence (F1), describes F1 in a conversation that has not seen the sentence (D), and
formalizes D in a third one (F2). The verifier compares F1 and F2. If they are equivalent, the model is consistent; it
need not be right, because errors can cancel.

Source: Amrollahi, Lopez, Barrett, "Faithful Autoformalization via Roundtrip Verification and Repair" (arXiv 2604.25031,
2026).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from pytest_autoeval.languages import Formula, Language, language
from pytest_autoeval.languages.author_cases import answers_of_facts, contradicted_answer
from pytest_autoeval.languages.base import VerdictOutcome
from pytest_autoeval.languages.glossary import describe_in_phrases
from pytest_autoeval.lazy_pattern import lazy_pattern
from pytest_autoeval.models.protocols import AnswerForm, Reply
from pytest_autoeval.outcomes import Outcome
from pytest_autoeval.record.author_answers import CONTRADICTED, case_in
from pytest_autoeval.record.paraphrases import says_again
from pytest_autoeval.record.task_parts import Formalized
from pytest_autoeval.tasks.formula_answers import formula_form, judge_formula, listed_phrases
from pytest_autoeval.tasks.halves import Halves
from pytest_autoeval.tasks.round_trip import description_in, formula_in_reply
from pytest_autoeval.tasks.task import Task, answer_text, complete, constraint, converse, rendered
from pytest_autoeval.tasks.trial import Judgement, MeaningLostError, Trial, UnsuitableSampleError

#: The names of the prompt files, by which users replace them.
FORMALIZE = "formalize_sentence"
DESCRIBE = "describe_formula"
PARAPHRASE = "paraphrase"
#: A line of paraphrases.
_NUMBERED = lazy_pattern(r"[*_ \t]*(\d{1,4})[.):][*_]*[ \t]+(.*\w.*)")
#: What the outcomes of a comparison are called here.
_OUTCOMES: Mapping[str, str] = {
    Outcome.EQUIVALENT: Outcome.CONSISTENT,
    Outcome.DIFFERENT: Outcome.INCONSISTENT,
}
#: A constant would come back equivalent from every round trip, and so pass.
_SAYS_NOTHING = "the formula {} has no names, so it says nothing of the sentence"


def glossary_of(trial: Trial) -> dict[str, str]:
    """The names that the formulas may use, each with its phrase.

    They are those of the file, or the propositions or the ontology of the sample. Raises `UnsuitableSampleError`.
    """
    facts: Mapping[str, Any] = getattr(trial.about, "facts", {})
    # The file's own glossary first: it is what the author wrote for these sentences.
    if "glossary" in facts:
        return dict(trial.fact("glossary", dict))
    if "propositions" in facts:
        return {name: phrase for phrase, name in trial.fact("propositions", list)}
    if "ontology" in facts:
        return {symbol: gloss for symbol, _, gloss, _ in trial.fact("ontology", list)}
    raise UnsuitableSampleError(
        "the sample has no names with phrases: name a file of sentences, or their data set"
    )


class SentenceRoundTrip(Task):
    """Sentence and glossary → formula → description → formula."""

    name = "sentence_round_trip"
    constrained_interfaces = ("",)
    takes_paraphrases = True

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return self._slots(trial, "sentence", trial.fact("sentence", str))

    def judge(self, answer: str, trial: Trial) -> Judgement:
        """Compares the formula of the description with the one that was described."""
        judgement = judge_formula(answer, trial, trial.described)
        return replace(judgement, outcome=_OUTCOMES.get(judgement.outcome, judgement.outcome))

    def answer_form(self, trial: Trial) -> AnswerForm | None:
        return formula_form(trial)

    def halves(self, trial: Trial) -> Halves | None:
        """The halves of the way from the formula of the sentence and back; a faithful description has its phrases."""
        if trial.described is None:
            return None
        lang = language(trial.about.language)
        describe = partial(describe_in_phrases, glossary=glossary_of(trial), language=lang.name)
        return Halves(lang, describe, lambda probe, text: self._formalized(probe, text, lang))

    def ask_the_rest(self, trial: Trial) -> None:
        lang = language(trial.about.language)
        sentence = trial.fact("sentence", str)
        formalized = trial.part(Formalized)
        # A plan asks no model, and nothing follows the first question. What would follow is asked here, to be counted.
        has_paraphrase = formalized is not None and formalized.paraphrased is not None
        if trial.paraphrase and not has_paraphrase:
            sentence += f" (paraphrase {trial.paraphrase})"
            self._formalizations(trial, sentence, lang)
        slots = self._slots(trial, "formula", sentence)
        converse(trial, rendered(trial, DESCRIBE, lang.name, slots))
        # These stand in for what the model would write: a plan needs the length of the prompt, not its words.
        trial.described = next(iter(lang.trivial().values()))
        trial.description = f"{sentence} (described)"
        self._formalizations(trial, trial.description, lang)

    def _ask_and_judge(self, trial: Trial) -> Judgement:
        lang = language(trial.about.language)
        sentence = trial.fact("sentence", str)
        # Noted before any question, so that a sample that fails later shows it too.
        trial.note(Formalized, glossary=glossary_of(trial))
        if trial.paraphrase:
            sentence = paraphrase(trial, self._slots(trial, "sentence", sentence))
            trial.note(Formalized, paraphrased=sentence)
        original = self._formalized(trial, sentence, lang)
        trial.note(Formalized, formula=lang.format(original), answer=trial.answer)
        if _is_constant(original, lang):
            raise MeaningLostError(
                Outcome.REFUSED_OR_EMPTY, _SAYS_NOTHING.format(lang.format(original))
            )
        # The author's answers come before the round trip: a consistent formula may still be wrong.
        _check_answers(trial, original, lang)
        # What the first reading left in the trial is not an answer to the second one.
        trial.reading = None
        trial.answer = None
        trial.described = original
        slots = self._slots(trial, "formula", lang.format(original))
        replies = converse(trial, rendered(trial, DESCRIBE, lang.name, slots))
        description = description_in(replies, DESCRIBE, original, lang, trial)
        return self._judge_replies(self._formalizations(trial, description, lang), trial)

    def _formalized(self, trial: Trial, text: str, lang: Language) -> Formula:
        """The formula that the model writes for a sentence or description, in a fresh conversation.

        Raises `MeaningLostError`.
        """
        *_, final = self._formalizations(trial, text, lang)
        trial.answer = final.text
        return formula_in_reply(final, FORMALIZE, lang, trial.about.vocabulary, trial)

    def _formalizations(self, trial: Trial, text: str, lang: Language) -> list[Reply]:
        form = None
        if trial.constrained:
            form = constraint(self.answer_form(trial), lang.name)
        slots = self._slots(trial, "sentence", text)
        return converse(trial, rendered(trial, FORMALIZE, lang.name, slots), form)

    def _slots(self, trial: Trial, name: str, text: str) -> Mapping[str, str]:
        return {name: text, "names": _listed(glossary_of(trial), trial.about.language)}


def _is_constant(formula: Formula, lang: Language) -> bool:
    """Whether a formula has no names and is always true or never true, so that it says nothing of a sentence."""
    trivial = lang.trivial().values()
    return not lang.symbols(formula).names and any(
        lang.equivalent(formula, constant).outcome == VerdictOutcome.EQUIVALENT
        for constant in trivial
    )


def _check_answers(trial: Trial, formula: Formula, lang: Language) -> None:
    """Raises `MeaningLostError` if the formula contradicts an answer of the sentence's author."""
    facts: Mapping[str, Any] = getattr(trial.about, "facts", {})
    answer = contradicted_answer(lang, formula, answers_of_facts(facts.get("answers") or ()))
    if answer is not None:
        trial.note(Formalized, contradicted=answer.id)
        reason = f"the author says: {CONTRADICTED[answer.allowed]}. {case_in(answer.question)}"
        raise MeaningLostError(Outcome.CONTRADICTS_ANSWER, reason)


def _listed(glossary: Mapping[str, str], language_name: str) -> str:
    """A glossary as a prompt shows it, one name on a line."""
    if language_name == "first_order":
        lines = [f"{name}: {phrase}" for name, phrase in glossary.items()]
        return "\n".join(lines)
    # Phrases stand in quotation marks there, so that none of them may have such marks inside.
    phrases = []
    for name, phrase in glossary.items():
        phrases.append((phrase.replace('"', "'"), name))
    return listed_phrases(phrases)


def paraphrase(trial: Trial, slots: Mapping[str, str]) -> str:
    """The paraphrase that a trial is about, of the sentence in ``slots``.

    All repeats and paraphrases of the sentence ask the same question, which the model answers once. Raises
    `MeaningLostError` if the answer has no such paraphrase.
    """
    probe = trial.anew()
    # The model answers once: the journal has the answer under the first repeat.
    probe.repeat = 0
    prompt = rendered(
        trial, PARAPHRASE, trial.about.language, {**slots, "number": str(trial.paraphrases)}
    )
    reply = complete(probe, prompt)
    trial.take_calls(probe)
    text = answer_text(reply, PARAPHRASE)
    lines = read_numbered(text)
    rewording = lines.get(trial.paraphrase)
    if rewording is None:
        problem = f"{PARAPHRASE}: the answer has no line with the number {trial.paraphrase} of {trial.paraphrases}"
        raise MeaningLostError(Outcome.UNREADABLE_ANSWER, problem)
    earlier = [line for number, line in lines.items() if 1 <= number < trial.paraphrase]
    trial.repeats_question = says_again(rewording, slots["sentence"], earlier)
    return rewording


def read_numbered(text: str) -> dict[int, str]:
    """The numbered lines by their numbers; of two with one number, the last."""
    # A model that corrects itself writes the list again, and means the later one.
    lines: dict[int, str] = {}
    for line in text.splitlines():
        numbered_line = _NUMBERED.fullmatch(line.strip())
        if numbered_line:
            number, words = numbered_line.groups()
            lines[int(number)] = " ".join(words.split())
    return lines


SENTENCE_ROUND_TRIP = SentenceRoundTrip()
