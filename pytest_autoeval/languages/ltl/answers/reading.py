"""The formula in a model's answer: the strict syntax first; failing that, the last formula that the answer gives.

Beside what :mod:`pytest_autoeval.languages.choosing` says: English has the words of temporal logic itself. So words
without any sign, letter or bracket ("always safe") count as a formula only if their names are known or look like
names of propositions, and give way to any other formula; and so does what a sentence explains or restates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pytest_autoeval.languages import english
from pytest_autoeval.languages.answers import Passage, announces, bare, undecorated
from pytest_autoeval.languages.base import FormulaSyntaxError, Reading
from pytest_autoeval.languages.choosing import FoundFormula, Names, Notation, chosen, is_announced, nothing, unreadable
from pytest_autoeval.languages.ltl.answers import prose, stretches
from pytest_autoeval.languages.ltl.answers.equations import is_equated
from pytest_autoeval.languages.ltl.answers.lenient import parse_leniently
from pytest_autoeval.languages.ltl.answers.python_notation import read_python
from pytest_autoeval.languages.ltl.measures import foreign, symbols
from pytest_autoeval.languages.ltl.parser import parse
from pytest_autoeval.languages.ltl.syntax import Atom, Not, Temporal
from pytest_autoeval.languages.vocabulary import Vocabulary
from pytest_autoeval.languages.wrappings import unpacked

#: A ``!`` right after a word ends a sentence ("Sure! G x1"), and a dash or tilde by itself divides one
#: ("Answer - G x1"), unless the word is an operator.
_EXCLAMATION = re.compile(r"(?P<word>\w+|\))!+(?!=)(?=\s*\S)")
_DASH = re.compile(r"(?P<word>\w+|[:)])\s+[-~](?=\s)[^\S\n]*")
_OPERATORS = re.compile("[XFGYZOHURWSTV]+")
#: What only formulas in Python notation have.
_PYTHON = re.compile(r"\b(?:formulaToFind|AtomicProposition|Literal\s*\(|L(?:Not|And|Or|Implies|Equiv|Xor)\s*\()")
#: What names look like that are no words of English.
_NAME_ALONE = re.compile(r"[B-HJ-Zb-z]|\w*[\d_]\w*|a")
_AMID = ("code", "math", "bold", "prose")


def read(answer: str, vocabulary: Vocabulary | None = None) -> Reading:
    """The formula in an answer; ``compliant`` if the answer is one of the strict syntax and means what that says.

    Where the vocabulary shows that a compliant text means something else (``Xx1``, a name spelt otherwise), that is
    taken, and the reading is recovered.
    """
    text = answer.strip()
    if problem := unreadable(text):
        return nothing(problem)
    notation = _Ltl(vocabulary)
    whole, problem = notation.attempt(text)
    try:
        strict = parse(text)
    except FormulaSyntaxError:
        pass
    else:
        compliant = whole is None or whole == strict
        return Reading(strict if whole is None else whole, compliant, recovered=not compliant, text=text)
    plain = unpacked(text)
    if _PYTHON.search(plain):
        reading = read_python(plain)
        return Reading(
            reading.formula,
            compliant=False,
            recovered=reading.formula is not None,
            text=reading.text,
            problem=reading.problem,
        )
    prosaic = _DASH.sub(_divided(": "), _EXCLAMATION.sub(_divided(". "), plain)).strip()
    if found := chosen(prosaic, notation):
        options = prose.options(prosaic)
        is_option = len(options) > 1 and found.passage.text in options[-1]
        if is_option or notation.goes_on_from(found):
            return nothing("the answer gives several formulas to choose from")
        return Reading(found.formula, compliant=False, recovered=True, text=found.passage.text)
    return nothing(f"no formula was found: {problem}")


def _divided(mark: str) -> Callable[[re.Match[str]], str]:
    """Puts a mark of punctuation behind a word that is no operator."""

    def replaced(found: re.Match[str]) -> str:
        return found[0] if _OPERATORS.fullmatch(found["word"]) else found["word"] + mark

    return replaced


class _Ltl(Notation[Temporal]):
    def __init__(self, vocabulary: Vocabulary | None) -> None:
        self._vocabulary = vocabulary

    def attempt(self, text: str) -> tuple[Temporal | None, str]:
        try:
            formula = parse_leniently(text, self._vocabulary)
        except FormulaSyntaxError as error:
            return None, str(error)
        if formula.children() and prose.is_wordy(text) and not self._are_names(formula):
            return None, "its words are no names of propositions"
        return formula, ""

    def continues(self, text: str, line: str) -> bool:
        return prose.continues(text, line)

    def runs(self, passage: Passage) -> Iterator[Passage]:
        return stretches.runs(passage, self._vocabulary.propositions if self._vocabulary else None)

    def is_symbolic(self, text: str) -> bool:
        return prose.is_symbolic(text)

    def is_fragment(self, formula: Temporal, passage: Passage) -> bool:
        before, known = passage.before, self._vocabulary.names if self._vocabulary else ()
        if is_equated(before, passage.after, known):
            return True
        if not is_announced(passage) and prose.is_timed(before, known):
            return True
        return prose.is_fragment(before, passage.after, is_basic=self.is_basic(formula))

    def is_followed_up(self, after: str) -> bool:
        return is_equated("", after, ()) or prose.is_followed_up(after)

    def names(self, formula: Temporal) -> Names:
        if self._vocabulary is None:
            return "free"
        if foreign(formula, self._vocabulary):
            return "strange"
        return "known" if symbols(formula).propositions else "none"

    def is_plausible(self, found: FoundFormula[Temporal]) -> bool:
        """Not so behind a mere "is" words that go on with its sentence, nor in a sentence two formulas with "or"."""
        passage = found.passage
        if english.is_alternatives(passage.text):
            return False
        if passage.place == "label" and not is_announced(passage):
            if is_equated(passage.before, passage.after, ()):
                return False
            if prose.is_wordy(passage.text):
                return not found.formula.children() and prose.is_called_formula(passage.before)
            return not prose.is_choice(passage.text)
        return passage.place != "line" or not prose.is_choice(passage.text)

    def is_slight(self, found: FoundFormula[Temporal]) -> bool:
        """A lone name, words alone, or what a sentence explains or restates."""
        passage = found.passage
        if not found.formula.children() or prose.is_wordy(passage.text):
            return True
        return passage.place in _AMID and prose.is_explained(passage.before, passage.after)

    def is_variant(self, found: FoundFormula[Temporal]) -> bool:
        passage = found.passage
        return passage.place not in _AMID and is_announced(passage) and prose.is_variant(passage.before)

    def is_remark(self, found: FoundFormula[Temporal]) -> bool:
        """What a sentence says by the way."""
        passage = found.passage
        return passage.place in _AMID and prose.is_remark(passage.before, passage.after)

    def is_mention(self, found: FoundFormula[Temporal], other: FoundFormula[Temporal]) -> bool:
        """A part of a formula, also on a line of its own: lists take formulas apart."""
        passage = found.passage
        if passage.place == "label" or (passage.place == "line" and announces(passage.before)):
            return False
        return self.is_part(found.formula, other.formula)

    def is_basic(self, formula: Temporal) -> bool:
        return isinstance(formula.operand if isinstance(formula, Not) else formula, Atom)

    def is_part(self, part: Temporal, formula: Temporal) -> bool:
        pending = list(formula.children())
        while pending:
            node = pending.pop()
            if node == part:
                return True
            pending += node.children()
        return False

    def goes_on_from(self, found: FoundFormula[Temporal]) -> bool:
        """Whether the line above is another formula, so that the two may be one conjunction."""
        if found.passage.place != "line":
            return False
        above = self.attempt(bare(undecorated(found.passage.before)))[0]
        return (
            above is not None
            and bool(above.children())
            and above != found.formula
            and not self.is_part(above, found.formula)
            and not self.is_part(found.formula, above)
        )

    def _are_names(self, formula: Temporal) -> bool:
        if self._vocabulary is not None:
            return not foreign(formula, self._vocabulary)
        return all(_NAME_ALONE.fullmatch(name) for name in symbols(formula).propositions)
