"""Which of True, False and Uncertain an answer says that a conclusion is: tolerant of how it is put, never guessing.

A label is taken from clauses of known words only ("the conclusion follows from the premises"). What is merely denied
("not true") is no label, nor is yes or no by itself: it may mean two of the three. Two labels are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pytest_autoeval.tasks.answers.final_answers import TAKEN_BACK, final_answers, plain

Label = Literal["True", "False", "Uncertain"]
LABELS: Final[tuple[Label, ...]] = ("True", "False", "Uncertain")


@dataclass(frozen=True, slots=True)
class LabelReading:
    """What an answer says; ``problem`` says why ``label`` is None, or is empty."""

    label: Label | None
    problem: str = ""


_NOTHING: Final = LabelReading(None, "the answer says none of True, False and Uncertain")
_SEVERAL: Final = LabelReading(None, "the answer says more than one of True, False and Uncertain")
_WITHDRAWN: Final = LabelReading(None, "the answer takes back what it says, and gives no other")

# --- the words ---

_IT: Final = r"(?:it|this|(?:the|this|that|given) (?:given )?(?:conclusion|statement|claim|hypothesis))"
_FOLLOWS: Final = r"(?:true|entailed|implied|provable|proved|proven|follows?|holds?|supported)"
_FAILS: Final = r"(?:false|contradicted|refuted|disproved|disproven|excluded|ruled out)"
_PREMISES: Final = r"(?:the |these |all |given ){0,4}(?:premises?|information|facts)"
_FROM_PREMISES: Final = rf"(?: (?:by|from|in|given) {_PREMISES})?"
_DETERMINED: Final = r"(?:determined?|decided?|known?|told|tell|say|settled?|resolved?|answered|ascertained?)"
_WHETHER: Final = (
    rf"(?: for (?:sure|certain)| definitively| with certainty)?(?:,? (?:whether|if) {_IT}(?: (?:is|holds?|follows?))?"
    r"(?: (?:true|false))?(?: or (?:not|false|true))?)?(?: either way)?"
)
_AS_EITHER: Final = r"(?: (?:to be |as )?(?:either )?true or false)?"
_TOO_LITTLE: Final = r"(?:there is |we have )?(?:not enough|insufficient) (?:information|evidence)(?: given| provided)?"
_THAT: Final = (
    r"(?:it (?:logically )?follows|it is clear|we (?:can )?(?:conclude|see|infer)|(?:this|which) (?:means|shows))"
)
_AND_NOT: Final = r",? (?:(?:and|but)(?: it)?(?: is)?(?: also)? not|n?or(?: is it)?)"
_AT_ODDS: Final = r"(?:contradicts|(?:inconsistent|incompatible|in contradiction) with|contradictory to)"
_GIVEN: Final = r"(?:by|from|given|on|under|in|using|according to|in (?:the )?light of|based (?:solely |only )?on)"
_NUMBERED: Final = r"(?: (?:alone|given|above|\d+(?:(?:, and|,| and) \d+)*))?"
#: What says in many words that a conclusion is uncertain, contradicted or entailed, each by the one word that counts.
_REPHRASED: Final = tuple(
    (re.compile(pattern), by)
    for pattern, by in (
        (r"\bcan(?:no|')t\b", "can not"),
        (r"n't\b", " not"),
        (r"\b(it|this|that|there|conclusion|statement|answer)'s\b", r"\1 is"),
        (r",? (?:rather than|instead of)\b", ", not"),
        (r"\b(?:no|without(?: any| a)?) (?=(?:contradiction|entailment)\b)", "not "),
        (r"^\W*(?:h+m+|well|ok(?:ay)?|oh|ah)\b[,.]?", ""),
        (r"\btrue ?/ ?false ?/ ?uncertain\b|\btrue(?:,| or) false(?:,|,? or) uncertain\b", "several"),
        (rf"\b{_THAT}{_FROM_PREMISES},? that\b", "so"),
        # neither the one nor the other
        (rf"\bneither (?:be )?{_FOLLOWS}{_FROM_PREMISES} nor (?:is it )?(?:be )?{_FAILS}\b", "uncertain"),
        (rf"\bneither (?:be )?{_FAILS}{_FROM_PREMISES} nor (?:is it )?(?:be )?{_FOLLOWS}\b", "uncertain"),
        (rf"\bnot {_FOLLOWS}{_FROM_PREMISES}{_AND_NOT} {_FAILS}\b", "uncertain"),
        (rf"\bneither {_IT} nor its negation (?:is |can be )?{_FOLLOWS}\b", "it is uncertain"),
        (r"^\W*neither\W*$", "uncertain"),
        (r"\b(?:may|might|could|can) be (?:either )?(?:true or false|false or true)\b", "is uncertain"),
        (r"\b(?:may|might|could) or (?:may|might|could) not (?:be true|hold|follow)\b", "is uncertain"),
        # cannot be told
        (
            rf"\b(?:can|could) not be (?:logically )?{_DETERMINED}{_WHETHER}{_AS_EITHER}",
            "is uncertain",
        ),
        (rf"\b(?:we|one|i|you) can not (?:logically )?{_DETERMINED}{_WHETHER}", "it is uncertain"),
        (rf"\bit is (?:not possible|impossible) to {_DETERMINED}{_WHETHER}", "it is uncertain"),
        (rf"\buncertain{_WHETHER}", "uncertain"),
        (rf"\b{_TOO_LITTLE}(?: in {_PREMISES})?(?: to {_DETERMINED}{_WHETHER})?", "uncertain"),
        (r"\b(?:undetermined|indeterminate|unknown|undecided|undecidable|uncertainty)\b", "uncertain"),
        (r"\b(?:inconclusive|unclear|unresolved|neutral)\b", "uncertain"),
        # what premises do to a conclusion
        (rf"\b(?:the|its) negation (?:of {_IT} )?(?:is )?(?:logically )?{_FOLLOWS}\b", "it is false"),
        (rf"\b{_PREMISES} (?:logically )?contradict {_IT}\b", "it is false"),
        (rf"\b{_PREMISES} (?:logically )?(?:entail|imply|prove) {_IT}\b", "it is true"),
        (rf"\b{_AT_ODDS} {_PREMISES}\b", "false"),
        (r"\b(?:contradicted|contradiction|contradictory|refuted|disproved|disproven)\b", "false"),
        (r"\b(?:entailed|entailment|implied|provable|proved|proven|follows?|holds?)\b", "true"),
        (rf"\b{_GIVEN} {_PREMISES}{_NUMBERED}\b", ""),
    )
)
#: The words that are labels.
_MARKS: Final[dict[str, Label]] = {"true": "True", "false": "False", "uncertain": "Uncertain"}
#: The words of a clause that says which label is right, and nothing else.
_KNOWN: Final = frozenset(
    {
        "the", "a", "an", "this", "that", "it", "its", "given", "is", "are", "be", "does", "do", "so", "therefore",
        "thus", "hence", "indeed", "clearly", "overall", "conclusion", "statement", "claim", "hypothesis", "in", "and",
        "finally", "consequently", "must", "answer", "label", "verdict", "my", "our", "final", "correct", "logically",
        "necessarily", "definitely", "certainly", "strictly", "as", "to", "by", "from", "or", "nor", "but", "rather",
        "either", "status", "think", "believe", "result", "value", "truth", "would", "i", "say", "we", "conclude",
        "thereby", "yes", "no", "not", "several", "here", "since", "marked", "considered", "of", "judged", "can",
        *_MARKS,
    }
)  # fmt: skip
_CLAUSES = re.compile(
    r"([.!,;:()\[\]{}<>\"'/|]+|\s-+\s|[—–]|\b(?=because\b|since\b|given that\b|as (?:there|the|it|no|nothing|we)\b))"
)
_RESERVED = re.compile(
    r"\s*(?:but|and)?\s*(?:or|if|unless|only|except|but|provided|assuming|although|though|however|maybe|perhaps|probably"
    r"|possibly|most likely|likely|in some|at least)\b"
)
#: What takes back a part of the sentence before.
_HOWEVER = re.compile(r"\s*(?:but|however|although|though|unless|only|except|or|maybe|perhaps)\b")
_ABOUT_CONCLUSION = re.compile(r"\b(?:conclusion|answer|hypothesis|claim)\b")
_REASON_FIRST = re.compile(r"^\s*(?:since|because|as|given that)\b[^,]*,")
_CONCLUDING = re.compile(r"\b(?:so|therefore|thus|hence|consequently)\b")
#: What yes and no say, in whatever way the question was understood.
_IN_GENERAL: Final[dict[str, frozenset[Label]]] = {
    "yes": frozenset({"False", "Uncertain"}),
    "no": frozenset({"True"}),
}
_WORD = re.compile(r"\w+(?:'\w+)?|[^\w\s]")


def read_label(answer: str, conclusion: str = "") -> LabelReading:
    """The label of an answer; never raises.

    ``conclusion`` is the text that the answer may repeat: what it says is no answer. Where something is called the
    answer, nothing else counts but what takes it back; else the first and the last sentence do, and those in between
    that speak of the conclusion.
    """
    quoted = plain(conclusion).strip(" .")
    given = final_answers(answer)
    said = [_rephrased(str(one.value), quoted) for one in given if one.standing == "said"]
    votes = [_of_value(one.value, quoted) for one in given if one.standing in ("final", "labelled")]
    if not votes:
        votes = [*_of_sentences(said)]
        return _agreed([vote for vote in votes if vote.affirmed or vote.is_spoilt], besides=votes)
    while len(votes) > 1 and votes[0] == _Vote():
        votes.pop(0)
    if any(TAKEN_BACK.search(sentence) for sentence in said):
        return _WITHDRAWN
    return _agreed([*votes, *(vote for vote in map(_of_clauses, said) if vote.affirmed)])


@dataclass(slots=True)
class _Vote:
    """Which labels something says, and which it denies; ``is_spoilt`` where it takes a part of that back."""

    affirmed: set[Label] = field(default_factory=set)
    denied: set[Label] = field(default_factory=set)
    is_spoilt: bool = False

    def add(self, other: _Vote) -> None:
        """Says what another one says, too."""
        self.affirmed |= other.affirmed
        self.denied |= other.denied
        self.is_spoilt |= other.is_spoilt


def _agreed(votes: Sequence[_Vote], besides: Sequence[_Vote] = ()) -> LabelReading:
    """The one label that each vote is for, and that none denies, nor anything said besides."""
    total = _Vote()
    for vote in (*votes, *besides):
        total.add(vote)
    if len(total.affirmed) > 1:
        return _SEVERAL
    if total.is_spoilt or total.affirmed & total.denied or not (votes and all(vote.affirmed for vote in votes)):
        return _NOTHING
    return LabelReading(next(iter(total.affirmed)))


def _of_value(value: object, quoted: str) -> _Vote:
    """The vote of what is called the answer: a value of JSON, or the text behind a label."""
    match value:
        case bool():
            return _Vote({"True" if value else "False"})
        case str(text) | [str(text)]:
            said = _rephrased(plain(text), quoted)
            if TAKEN_BACK.search(said):
                return _Vote(is_spoilt=True)
            vote = _of_clauses(said)
            return vote if vote.affirmed else _of_clauses(_CONCLUDING.split(said)[-1])
        case _:
            return _Vote(is_spoilt=True)


def _of_sentences(said: Sequence[str]) -> Iterator[_Vote]:
    """The votes of the sentences of an answer in which nothing is called the answer."""
    last = len(said) - 1
    for number, sentence in enumerate(said):
        is_edge = number in (0, last)
        if sentence.endswith("?") or not (is_edge or _ABOUT_CONCLUSION.search(sentence)):
            continue
        if TAKEN_BACK.search(sentence):
            yield _Vote(is_spoilt=True)
            continue
        vote = _of_clauses(_REASON_FIRST.sub("", _CONCLUDING.split(sentence)[-1]))
        if vote.affirmed or vote.denied or (vote.is_spoilt and number == last):
            yield vote


def _rephrased(text: str, quoted: str) -> str:
    if quoted:
        text = text.replace(quoted, "the conclusion")
    for pattern, by in _REPHRASED:
        text = pattern.sub(by, text)
    return " ".join(text.split())


def _of_clauses(text: str) -> _Vote:
    """The vote of a text whose first clause is one; what follows may add to it, take it back, or be a reason."""
    vote = _Vote()
    hedge: re.Pattern[str] | None = None  # what could take back the clause before
    for clause, separator in _clauses(text):
        said = _of_clause(clause)
        if said is not None:
            vote.add(said)
        elif vote == _Vote():
            return _Vote(is_spoilt=not _MARKS.keys().isdisjoint(_WORD.findall(clause)))
        elif hedge is not None and hedge.match(clause):
            vote.is_spoilt = True
        hedge = None if said is None else _HOWEVER if separator.startswith((".", "!")) else _RESERVED
    return vote


def _clauses(text: str) -> Iterator[tuple[str, str]]:
    """The clauses of a text, each with the signs behind it."""
    parts = [*_CLAUSES.split(text), ""]
    return ((clause, sign) for clause, sign in zip(parts[::2], parts[1::2], strict=True) if clause.strip())


def _of_clause(clause: str) -> _Vote | None:
    """What a clause affirms and denies, if it has known words only; else None."""
    words = _WORD.findall(clause)
    if not _KNOWN.issuperset(words):
        return None
    vote = _Vote()
    negated = False
    for word in words:
        if word == "not":
            negated = not negated
        elif word in ("but", "rather", "nor"):
            negated = word == "nor"
        elif word in _MARKS:
            (vote.denied if negated else vote.affirmed).add(_MARKS[word])
        elif word in _IN_GENERAL:
            vote.denied |= _IN_GENERAL[word]
        elif word == "several":
            vote.affirmed |= {*LABELS}
    return vote
