"""A sentence into a formula over names of the model's own; they are aligned with ours, and the alignment is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from pytest_autoeval.languages import Formula, Reading, Vocabulary, language
from pytest_autoeval.languages.ltl.python_notation import read_python
from pytest_autoeval.tasks.answers.phrase_lists import read_phrases
from pytest_autoeval.tasks.base import Judgement, Task
from pytest_autoeval.tasks.comparison import NOT_ALIGNED, compared, not_compared, without_formula
from pytest_autoeval.tasks.matching.alignment import FormulaWithPhrases, aligned, without_idle_names
from pytest_autoeval.tasks.questions import fact
from pytest_autoeval.tasks.trial import Trial

#: The form that the prompts ask for: a line for each phrase, and the formula, or its assignment, on the last line.
_FORM = re.compile(r'(?:"[^"\n]+": [A-Za-z_]\w*\n)+(?:Formula: )?(?P<formula>[^\n]+)')


class SentenceTranslation(Task):
    """Sentence → phrases with names, and a formula over these names.

    The subject's facts are the ``sentence`` and its ``propositions`` (pairs of phrase and atom). A formula with a name
    that the answer does not list, in the place of one that it lists, has a foreign symbol.
    """

    name = "translate_sentence"
    interfaces = ("detailed", "minimal", "python")
    figures = "translation"

    def slots(self, trial: Trial) -> Mapping[str, str]:
        return {"requirement": fact(trial.about, "sentence", str)}

    def judge(self, answer: str, trial: Trial) -> Judgement:
        subject = trial.about
        lang = language(subject.language)
        names = Vocabulary(propositions=tuple(dict.fromkeys(name for _, name in read_phrases(answer).pairs)))
        in_python = self.interface(trial) == "python"
        read = read_python if in_python else partial(lang.read, vocabulary=names if names.names else None)
        reading = read(answer)
        formula = reading.formula
        if formula is None:
            return not_compared(reading, without_formula(reading, lang), NOT_ALIGNED)
        in_form = _FORM.fullmatch(answer.strip())
        compliant = in_form is not None and read(in_form["formula"]).compliant
        reading = replace(reading, compliant=compliant, recovered=not compliant)
        return _judged_formula(answer, reading, formula, trial)


def _judged_formula(answer: str, reading: Reading, formula: Formula, trial: Trial) -> Judgement:
    subject = trial.about
    lang = language(subject.language)
    timeout = trial.seconds_for(lang)
    theirs, ours = (lang.symbols(tree).propositions for tree in (formula, subject.formula))
    their_phrases = {name: phrase for phrase, name in read_phrases(answer, theirs).pairs}
    unlisted = [name for name in theirs if name not in their_phrases]
    unused = [name for name in their_phrases if name not in theirs]
    if unlisted and unused:
        return not_compared(
            reading,
            f"the formula uses {', '.join(unlisted)}, which the answer does not list, "
            f"and not {', '.join(unused)}, which it lists: what the names stand for cannot be told",
            NOT_ALIGNED,
        )
    if len(theirs) > len(ours):
        formula = without_idle_names(formula, len(ours), lang, timeout)
        theirs = lang.symbols(formula).propositions
    if len(theirs) != len(ours):
        return not_compared(
            reading,
            f"the formula says something of {len(theirs)} propositions ({', '.join(theirs) or 'none'}), "
            f"the sentence of {len(ours)}: they cannot be compared",
            NOT_ALIGNED,
        )
    our_phrases = {atom: phrase for phrase, atom in fact(subject, "propositions", list)}
    alignment = aligned(
        FormulaWithPhrases(formula, their_phrases), FormulaWithPhrases(subject.formula, our_phrases), lang, timeout
    )
    judgement = compared(reading, alignment.renamed(formula), subject.formula, lang, timeout)
    notes = {
        **judgement.notes,
        "alignment": [list(pair) for pair in alignment.pairs],
        "alignment_basis": alignment.basis,
    }
    shown = f"\n  names aligned by {alignment.basis}: {str(alignment) or 'there are none'}"
    if judgement.outcome == "different" and not alignment.certain:
        return Judgement(
            outcome="undecided",
            message=f"undecided: the names may stand for other propositions than they were aligned with{shown}",
            notes={**notes, "relation": None},
            reading=reading,
        )
    return replace(judgement, message=judgement.message and judgement.message + shown, notes=notes)


TASK = SentenceTranslation()
