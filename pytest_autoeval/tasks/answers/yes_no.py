"""Reading yes or no in an answer: tolerant of how it is put, never guessing which of two it is.

An answer votes where people look for one: behind a label ("Answer: …", a *final* one outweighs all else), in its
first sentence and in its last. A vote is a clause of known words only ("it does not satisfy the formula"): what
else a sentence speaks of may be a part of the question ("x1 is true at position 2"), and then is no answer to it. Votes
that differ, and no vote at all, make an answer unreadable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from pytest_autoeval.languages.wrappings import unpacked, without_thoughts

#: Marks of words: yes or true, no or false, a word of the question that affirms, one that denies, a negation.
_YES, _NO, _AFFIRMS, _DENIES, _NOT = "YES", "NO", "AFFIRMS", "DENIES", "NOT"
_MARKS = frozenset({_YES, _NO, _AFFIRMS, _DENIES})


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """By which words a question is answered besides yes and no, true and false.

    ``affirming`` and ``denying`` are regular expressions of whole words, in lower case; ``topics`` the nouns that the
    question is about. ``rephrased`` puts what is said in many ways into those words: it is given the answer as plain
    text in lower case.
    """

    affirming: tuple[str, ...] = ()
    denying: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    rephrased: Callable[[str], str] = str


@dataclass(frozen=True, slots=True)
class YesNo:
    """What an answer says: yes (True), no (False), or None with the problem in words."""

    value: bool | None
    problem: str = ""


def read_yes_no(
    answer: str, words: AnswerWords = AnswerWords(), *, quoted: Sequence[str] = (), reasoned: bool = False
) -> YesNo:
    """The yes or no of an answer; never raises.

    ``quoted`` are texts out of the question that the answer may repeat, such as a formula: what they say is no answer.
    ``reasoned`` tells that reasons were asked for, and then a line such as ``Answer: yes``: before that line nothing
    counts.
    """
    text = _marked(_plain(answer, words, quoted), words)
    if reasoned and (line := _ANSWER_LINE.search(text)):
        text = text[line.start() :]
    known = _FILLERS | {word for topic in words.topics for word in topic.split()}
    final, votes = _labelled(text, known)
    if final:
        votes = final
    else:
        sentences = _sentences(text)
        votes = [*votes, *_first(sentences, known), *_last(sentences, known)]
        votes += _last(sentences, known, strict=False) if votes else []
    if not votes:
        return YesNo(None, "the answer says neither yes nor no")
    if taken_back := [*_TAKEN_BACK.finditer(text)]:
        rest = text[taken_back[-1].end() :]
        sentences = _sentences(rest)
        said = [*_labelled(rest, known)[1], *_first(sentences, known), *_last(sentences, known, strict=False)]
        if not said:
            return YesNo(None, "the answer takes back what it says, and gives no other")
        votes = [*votes, *said]
    if len(set(votes)) > 1:
        return YesNo(None, "the answer says both yes and no")
    return YesNo(votes[0])


# --- the text as lines of plain words ---

_OBJECT = re.compile(r"\{(?=\s*\")")
#: Objects of an answer that are looked into: one that never ends could be taken for many.
_MOST_OBJECTS = 50
#: Keys of JSON that say nothing but that their value answers.
_KEYS: Final = "value|label|prediction|classification|judg(?:e)?ment"
#: A key of what is said of one case alone.
_ONE_CASE = re.compile(r"\d|\b(?:case|row|step|example|assignment|trace|first|second)\b")
_LATEX = re.compile(r"\\(?:text(?:bf|tt|rm|it)?|math(?:rm|bf|tt))\s*\{([^{}]*)\}")
_BOXED = re.compile(r"\\f?boxed\s*\{([^{}]*)\}")
_ANSWER_TAG = re.compile(r"</?(?:final[_ -]?)?answer>", re.IGNORECASE)
_LABELS: Final = r"answer|verdict|result|conclusion|decision|judge?ment|output|response|overall|final|correction"
#: A line that says no more than that the answer follows.
_HEADING = re.compile(
    r"^((?:(?:my|the)\s+)?(?:final\s+)?(?:answer|verdict))(?:[ \t]*(?:$|→|=>|->|[–—-]+))", re.MULTILINE
)
#: Quotes, hyphens and the wide colon, as they are typed on a plain keyboard.
_PLAIN_SIGNS = str.maketrans("‘’“”«»‐‑：", '\'\'""""--:')
_DECORATION = re.compile(r"^[\s>#•-]*(?:\d{1,2}[.)]\s+)?", re.MULTILINE)


def _plain(answer: str, words: AnswerWords, quoted: Sequence[str]) -> str:
    """The answer without fences, JSON, LaTeX, marks and parts of the question, in lower case."""
    text = _without_objects(without_thoughts(answer), words)
    tagged = _ANSWER_TAG.split(text)[1::2]
    text = "\n".join(f"answer: {part}" for part in tagged) if len(tagged) > 1 else unpacked(text)
    text = _LATEX.sub(r"\1", _LATEX.sub(r"\1", text))  # one may stand in another
    text = _without_quotes(_BOXED.sub(r"\nanswer: \1\n", text), quoted)  # a mark may be one of its signs
    text = re.sub(r"^[ \t]*(?:```|~~~).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\*+|`+|\$+|__|\\\[|\\\]|\\\(|\\\)|[✅❌✓✔✗✘☑]\ufe0f?", "", text)
    text = _DECORATION.sub("", text.translate(_PLAIN_SIGNS)).lower()
    return _without_quotes(_HEADING.sub(r"\1:", text), quoted)


def _without_objects(text: str, words: AnswerWords) -> str:
    """The text with each object of JSON as lines: what in it answers something."""
    decoder = json.JSONDecoder(strict=False)
    parts: list[str] = []
    end = 0
    for opening in islice(_OBJECT.finditer(text), _MOST_OBJECTS):
        if opening.start() >= end:
            with suppress(ValueError, RecursionError):
                content, closing = decoder.raw_decode(text, opening.start())
                # Answer lines go first: whatever of the object stood before them would not count.
                lines = sorted(_entries(content, words), key=lambda line: _ANSWER_LINE.match(line) is None)
                parts += [text[end : opening.start()], "\n".join(["", *lines, ""])]
                end = closing
    return "".join([*parts, text[end:]])


def _entries(content: dict[str, Any], words: AnswerWords) -> Iterator[str]:
    """The entries of an object that answer something, a line each, and those of the objects in it."""
    known = re.compile(rf"\b(?:{'|'.join((_LABELS, *words.affirming, *words.denying))})\b")
    for key, value in content.items():
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.replace("_", " ")).lower()
        told = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
        if isinstance(value, dict):
            yield from () if _ONE_CASE.search(spaced) else _entries(value, words)
        elif known.search(spaced):
            yield f"{spaced}: {told}"
        elif re.fullmatch(_KEYS, spaced):
            yield f"answer: {told}"


def _without_quotes(text: str, quoted: Sequence[str]) -> str:
    """The text with every repetition of a part of the question called the formula.

    A single word is left where it stands, other than true and false, which would be taken for an answer.
    """
    for quote in sorted(quoted, key=len, reverse=True):
        if re.search(r"\W", quote.strip()) or quote.strip().lower() in ("true", "false"):
            bare = r"\s*".join(map(re.escape, quote.split()))
            text = re.sub(rf"(?i)(?<![\w(!])[\"'(]?{bare}[\"')]?(?![\w)])", " the formula ", text)
    return text


def _marked(text: str, words: AnswerWords) -> str:
    """The text with what affirms, denies and negates put as marks."""
    text = re.sub(r"n't\b", " not", re.sub(r"'re\b", " are", text.replace("_", " ")))
    text = words.rephrased(text)
    text = re.sub(r"\bformula\.holds\(trace\)", "it", text)
    text = re.sub(r"\bevaluates to\b|\breturns?\b", "is", text)
    text = re.sub(r"\bi(?:'d| would) say\b", "", text)
    text = re.sub(r"\b(?:as|so) (?:long|far) as\b", "if", text)
    text = re.sub(r"\bno(?=\s+(?:violations?|errors?)\b)", "not", text)
    text = re.sub(r"\bfail(?:s|ed)?\s+to\b|\bnon\b-?", "not ", text)
    for mark, spellings in ((_DENIES, words.denying), (_AFFIRMS, words.affirming)):
        text = re.sub(rf"\b(?:{'|'.join(spellings)})\b", mark, text) if spellings else text
    text = re.sub(r"\b(?:yes|true)\b", _YES, text)
    text = re.sub(
        r"\bfalse\b|\bno\b(?![ \t]+(?!(?:it|the|they|these|this|not|because|since|as|and|but|there)\b)\w)", _NO, text
    )
    return re.sub(r"\bnot\b", _NOT, text)


# --- the votes ---

_FILLERS = frozenset(
    {
        "the", "a", "an", "this", "it", "its", "given", "is", "are", "was", "be", "does", "do", "did", "has", "been",
        "so", "therefore", "thus", "hence", "indeed", "clearly", "overall", "conclusion", "in", "finally", "there",
        "and", "but", "answer", "my", "whole", "entire", "final", "above", "by", "on", *"\"'.,;:!()[]#",
    }
)  # fmt: skip
_TOKEN = re.compile(r"\w+|[^\w\s]")
_REASON = re.compile(r"(?:^|(?<=[\s,;]))(?:because|since|as|for|due to)\b[^,;]*[,;]?|(?<=\S)\s*\([^()]*\)")
_CONCLUDING = re.compile(r"\b(?:so|therefore|thus|hence)\b")
_OPENING = re.compile(rf"^(?P<word>{_YES}|{_NO})\s*[:(—–-]|^(?P<before>[^,;:—–]*)(?:[,;—–]|\s-+\s)")
_BARE_OPENING = re.compile(rf"(?P<word>{_YES}|{_NO})\s+(?=(?:it|the|this|there|and|but)\b)")
_LABEL = re.compile(
    rf"(?P<final>\b(?:final|overall|(?P<again>corrected|correct|revised))\s+)?\b(?P<word>{_LABELS})\b\s*(?:(?:[:=]|\bis\b)\s*)+"
    r"(?=(?P<rest>[^\n]{0,2000}))"
)
_ANSWER_LINE = re.compile(
    r"^[ \t]*(?:(?:so|therefore|thus|hence|and|finally)[, \t]+)?(?:(?:my|the)[ \t]+)?"
    rf"(?:(?:final|overall|corrected|correct|revised)[ \t]+(?:{_LABELS})|answer|verdict|final)\b[ \t]*(?:[:=]|is\b)",
    re.MULTILINE,
)
_VERDICT_LABEL = re.compile(rf"^(?P<label>[^:=\n]*(?:{_AFFIRMS}|{_DENIES})[^:=\n]*)(?P<sign>[:=])\s*(?P<rest>[^\n]+)$")
#: Characters of a line whose label may be a verdict.
_LONGEST_LABELLED = 2_000
#: A verb behind something that it is said of.
_STATES = re.compile(r"\S\s+(?:is|are|do|does|has|have)\b")
#: Labels that are looked at, from the end.
_MOST_LABELS = 100
_HYPOTHETICAL = re.compile(r"\b(?:if|whether|unless|would|could|might|may|suppose|assum\w+|were|expect\w*|should)\b")
#: Words behind an opening that take a part of it back.
_RESERVED = re.compile(
    r"\s*(?:but\s+)?(?:only\s+)?(?:iff?|unless|provided|except|however|assuming|plus|minus|save|(?:apart|aside) from"
    r"|under (?:the|an?) (?:assumption|condition)|with (?:the|an?|one) exception)\b"
)
_AFFIRMED_IN_PART = re.compile(rf"{_AFFIRMS}{_RESERVED.pattern}")
#: What takes back all before it.
_TAKEN_BACK = re.compile(
    rf"(?:^|(?<=[.!?…—–]) )[ \t]*(?:(?:but|oh|hmm+|no|{_NO})[,.]? )?(?:wait|hold on|oops|scratch that|actually"
    rf"|on second thoughts?|i (?:made|was) (?:an? )?(?:mistake|error|wrong))\b[,.:!…—–-]*",
    re.MULTILINE,
)
#: A violation has a place; that something is satisfied at a place is no answer.
_VIOLATED_AT = re.compile(
    rf"(?<!{_NOT} )(?P<what>{_DENIES}(?: the formula)?) (?:at|in|from) (?:position|state|step|time) \d+"
)


def _labelled(text: str, known: frozenset[str]) -> tuple[list[bool], list[bool]]:
    """The votes behind labels that say they are final, from the last correction on, and the votes behind all labels."""
    final: list[bool] = []
    votes: list[bool] = []
    for label in [*_LABEL.finditer(text)][-_MOST_LABELS:]:
        before = text[text.rfind("\n", 0, label.start()) + 1 : label.start()]
        weak = label["word"] not in ("answer", "verdict") and not label["final"]
        if _HYPOTHETICAL.search(before) or (weak and not _is_known(before, known)):
            continue
        rest = label["rest"] or text[label.end() : label.end() + _LONGEST_LABELLED].lstrip().partition("\n")[0]
        found = _first(_sentences(rest)[:1], known)
        votes += found
        if found and (label["again"] or label["word"] == "correction"):
            final = []
        if label["final"] or label["word"] in ("final", "overall", "correction"):
            final += found
    for line in text.splitlines():
        if entry := _verdict_label(line, known):
            votes += _in_the_light_of(entry["label"], entry["rest"], known)
    return final, votes


def _verdict_label(line: str, known: frozenset[str]) -> re.Match[str] | None:
    """The label and the rest of such a line; behind other words an equals sign belongs to what they speak of."""
    found = _VERDICT_LABEL.match(line) if len(line) <= _LONGEST_LABELLED else None
    return found if found and (found["sign"] == ":" or _is_known(found["label"], known)) else None


def _sentences(text: str) -> list[str]:
    """The sentences of a text; a question and the sentence that answers it are one."""
    joined: list[str] = []
    for line in text.splitlines():
        for sentence in re.split(r"(?<=[.!?])[\"')]*\s+", line.strip(" \t\"'")):
            if joined and joined[-1].endswith("?"):
                joined[-1] += f" {sentence}"
            elif sentence:
                joined.append(sentence)
    return joined


def _first(sentences: Sequence[str], known: frozenset[str]) -> list[bool]:
    """The votes of the first sentence: it says so as a whole, or begins with a vote and goes on with anything."""
    if sentences and (entry := _verdict_label(sentences[0], known)):
        return _stated(entry["label"], entry["rest"], known)
    if sentences and "?" in sentences[0]:
        return _answered_question(sentences[0], known)
    whole = _REASON.sub(" ", "".join(sentences[:1]))
    if votes := _votes(whole, known):
        return votes
    opening = _OPENING.match(whole) or _BARE_OPENING.match(whole)
    if opening is None or _HYPOTHETICAL.search(opening[0]) or _RESERVED.match(whole, opening.end()):
        return []
    rest = [_votes(clause, known) for clause in re.split(r"[,;—–:]", whole[opening.end() :])]
    begun = _votes(opening["word"] or opening["before"], known)
    if not begun or (begun[0] and _AFFIRMED_IN_PART.search(whole, opening.end())):
        return []
    return [*begun, *(vote for votes in rest for vote in votes)]


def _last(sentences: Sequence[str], known: frozenset[str], *, strict: bool = True) -> list[bool]:
    """The votes of the last sentence, or of the conclusion in it.

    ``strict``: a mere "it" does not vote. It may be any part of the question, and can no more than contradict.
    """
    if not sentences:
        return []
    if entry := _verdict_label(sentences[-1], known):
        return _stated(entry["label"], entry["rest"], known)
    if "?" in sentences[-1]:
        return _answered_question(sentences[-1], known)
    if _HYPOTHETICAL.search(sentences[-1]):
        return []
    conclusion = _CONCLUDING.split(_REASON.sub(" ", sentences[-1]))[-1]
    says_what = (
        not strict
        or len(sentences) == 1
        or not (_words(conclusion) - {_YES, _NO})
        or _words(conclusion) & (known - _FILLERS)
    )
    return _votes(conclusion, known) if says_what else []


def _answered_question(text: str, known: frozenset[str]) -> list[bool]:
    """The vote of a question and its answer; a negated question can be read both ways."""
    question, _, answer = text.rpartition("?")
    return [] if _NOT in _words(question) else _in_the_light_of(question, answer.strip(), known)


def _in_the_light_of(label: str, rest: str, known: frozenset[str]) -> list[bool]:
    """What is said under a label or after a question: "Violated: yes" denies, as "Violated: it fails" does."""
    asked, said = _votes(label, known), _first(_sentences(rest)[:1], known)
    if len(set(asked)) != 1:
        return []
    if _words(rest) & {_AFFIRMS, _DENIES}:
        return said
    return [vote == asked[0] for vote in said]


def _stated(label: str, rest: str, known: frozenset[str]) -> list[bool]:
    """The votes of a statement behind whose colon a reason stands, as in "they are equivalent: both …"."""
    if not _STATES.search(label) or not _words(label) & (known - _FILLERS) or _first(_sentences(rest)[:1], known):
        return []
    return _votes(label, known)


def _votes(clause: str, known: frozenset[str]) -> list[bool]:
    """What a clause affirms and denies, if it has known words only; "it does not" denies as well."""
    clause = _VIOLATED_AT.sub(r"\g<what>", clause)
    if not _is_known(clause, known):
        return []
    votes: list[bool] = []
    negated = False
    for token in _TOKEN.findall(clause):
        if token == _NOT:
            negated = not negated
        elif token in _MARKS:
            votes.append((token in (_YES, _AFFIRMS)) != negated)
            negated = False
    return [*votes, False] if negated else votes


def _is_known(clause: str, known: frozenset[str]) -> bool:
    return all(token in known or token in _MARKS or token == _NOT for token in _TOKEN.findall(clause))


def _words(clause: str) -> set[str]:
    return set(re.findall(r"\w+", clause))
