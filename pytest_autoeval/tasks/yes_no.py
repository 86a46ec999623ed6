"""Reading yes or no in an answer: tolerant of how it is put, never guessing which of two it is.

An answer votes where people look for one: behind a label ("Answer: …", the last *final* one outweighs all else), in its
first sentence and in its last. A vote is a clause of known words only ("it does not satisfy the formula"): what
else a sentence speaks of may be a part of the question ("x1 is true at position 2"), and then is no answer to it. Votes
that differ, and no vote at all, make an answer unreadable.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_autoeval.languages.wrappings import unpacked

#: Marks of words: yes or true, no or false, a word of the question that affirms, one that denies, a negation.
_YES, _NO, _AFFIRMS, _DENIES, _NOT = "YES", "NO", "AFFIRMS", "DENIES", "NOT"
_MARKS = frozenset({_YES, _NO, _AFFIRMS, _DENIES})


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """By which words a question is answered besides yes and no, true and false.

    ``affirming`` and ``denying`` are regular expressions of whole words, in lower case; ``topics`` the nouns that the
    question is about.
    """

    affirming: tuple[str, ...] = ()
    denying: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class YesNo:
    """What an answer says: yes (True), no (False), or None with the problem in words."""

    value: bool | None
    problem: str = ""


def read_yes_no(answer: str, words: AnswerWords = AnswerWords(), *, quoted: Sequence[str] = ()) -> YesNo:
    """The yes or no of an answer; never raises.

    ``quoted`` are texts out of the question that the answer may repeat, such as a formula: what they say is no answer.
    """
    text = _marked(_without_quotes(_plain(answer, words), quoted), words)
    known = _FILLERS | {word for topic in words.topics for word in topic.split()}
    labelled, votes = _labelled(text, known)
    if labelled is None:
        sentences = _sentences(text)
        votes = [*votes, *_first(sentences, known), *_last(sentences, known)]
        votes += _last(sentences, known, strict=False) if votes else []
    else:
        votes = [labelled]
    if not votes:
        return YesNo(None, "the answer says neither yes nor no")
    if len(set(votes)) > 1:
        return YesNo(None, "the answer says both yes and no")
    return YesNo(votes[0])


# --- the text as lines of plain words ---

_OBJECT = re.compile(r"\{(?:[^{}\"]|\"(?:[^\"\\]|\\.)*+\")*+\}", re.DOTALL)
#: Keys of JSON that say nothing but that their value answers.
_KEYS: Final = "value|label|prediction|classification|judg(?:e)?ment"
_LATEX = re.compile(r"\\(?:boxed|text(?:bf|tt|rm)?|mathrm|mathbf)\s*\{([^{}]*)\}")
_LABELS: Final = r"answer|verdict|result|conclusion|decision|judge?ment|output|response|overall|final|correction"
_DECORATION = re.compile(r"^[\s>#•-]*(?:\d{1,2}[.)]\s+)?", re.MULTILINE)


def _plain(answer: str, words: AnswerWords) -> str:
    """The answer without fences, JSON, LaTeX and marks, in lower case."""
    text = _OBJECT.sub(lambda found: _from_json(found[0], words), answer)
    text = unpacked(text)
    text = _LATEX.sub(r"\1", _LATEX.sub(r"\1", text))  # one may stand in another
    text = re.sub(r"^\s*(?:```|~~~).*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\*+|`+|\$+|__|\\\[|\\\]|\\\(|\\\)|[✅❌✓✔✗✘☑]\ufe0f?", "", text)
    return _DECORATION.sub("", text.translate({0x2019: "'", 0x2018: "'", 0x2010: "-", 0x2011: "-"})).lower()


def _from_json(text: str, words: AnswerWords) -> str:
    """The entries of an object that answer something, as lines; the text itself where it is no object of JSON."""
    try:
        content: dict[str, Any] = json.loads(text, strict=False)
    except ValueError:
        return text
    known = re.compile(rf"(?i)\b(?:{'|'.join((_LABELS, *words.affirming, *words.denying))})\b")
    lines: list[str] = []
    for key, value in content.items():
        spaced = key.replace("_", " ")
        if known.search(spaced):
            lines.append(f"{spaced}: {value}")
        elif re.fullmatch(_KEYS, key, re.IGNORECASE):
            lines.append(f"answer: {value}")
    return "\n".join(["", *lines, ""])


def _without_quotes(text: str, quoted: Sequence[str]) -> str:
    """The text with every repetition of a part of the question called the formula.

    A single word is left where it stands, other than true and false, which would be taken for an answer.
    """
    for quote in sorted(quoted, key=len, reverse=True):
        if re.search(r"\W", quote.strip()) or quote.strip().lower() in ("true", "false"):
            bare = r"\s*".join(map(re.escape, quote.lower().split()))
            text = re.sub(rf"(?<![\w(!])[\"'(]?{bare}[\"')]?(?![\w)])", " the formula ", text)
    return text


def _marked(text: str, words: AnswerWords) -> str:
    """The text with what affirms, denies and negates put as marks."""
    text = re.sub(r"n't\b", " not", text.replace("_", " "))
    text = re.sub(r"\bformula\.holds\(trace\)", "it", text)
    text = re.sub(r"\bevaluates to\b|\breturns?\b", "is", text)
    text = re.sub(r"\bi(?:'d| would) say\b", "", text)
    text = re.sub(r"\bno(?=\s+(?:violations?|errors?)\b)", "not", text)
    text = re.sub(r"\bfail(?:s|ed)?\s+to\b|\bnon\b-?", "not ", text)
    for mark, spellings in ((_DENIES, words.denying), (_AFFIRMS, words.affirming)):
        text = re.sub(rf"\b(?:{'|'.join(spellings)})\b", mark, text) if spellings else text
    text = re.sub(r"\b(?:yes|true)\b", _YES, text)
    text = re.sub(r"\bfalse\b|\bno\b(?![ \t]+(?!(?:it|the|this|because|since|as|and|but|there)\b)\w)", _NO, text)
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
    rf"(?P<final>\b(?:final|corrected|correct|revised|overall)\s+)?\b(?P<word>{_LABELS})\b\s*(?:(?:[:=]|\bis\b)\s*)+"
    r"(?=(?P<rest>[^\n]*))"
)
_VERDICT_LABEL = re.compile(rf"^(?P<label>[^:=\n]*(?:{_AFFIRMS}|{_DENIES})[^:=\n]*)[:=]\s*(?P<rest>[^\n]+)$")
#: Characters of a line whose label may be a verdict.
_LONGEST_LABELLED = 2_000
_HYPOTHETICAL = re.compile(r"\b(?:if|whether|unless|would|could|might|may|suppose|assum\w+|were|expect\w*|should)\b")
#: Words behind an opening that take a part of it back.
_RESERVED = re.compile(r"\s*(?:but\s+)?(?:only\s+)?(?:if|unless|provided|except|however|assuming)\b")
#: A violation has a place; that something is satisfied at a place is no answer.
_VIOLATED_AT = re.compile(
    rf"(?<!{_NOT} )(?P<what>{_DENIES}(?: the formula)?) (?:at|in|from) (?:position|state|step|time) \d+"
)


def _labelled(text: str, known: frozenset[str]) -> tuple[bool | None, list[bool]]:
    """The vote behind the last label that says it is final, and the votes behind all labels."""
    final: bool | None = None
    votes: list[bool] = []
    for label in _LABEL.finditer(text):
        before = text[: label.start()].rpartition("\n")[2]
        weak = label["word"] not in ("answer", "verdict") and not label["final"]
        if _HYPOTHETICAL.search(before) or (weak and not _is_known(before, known)):
            continue
        rest = label["rest"] or text[label.end() :].lstrip().partition("\n")[0]
        found = _first(_sentences(rest)[:1], known)
        votes += found
        if (label["final"] or label["word"] in ("final", "overall", "correction")) and len(set(found)) == 1:
            final = found[0]
    for line in text.splitlines():
        if entry := _verdict_label(line):
            votes += _in_the_light_of(entry["label"], entry["rest"], known)
    return final, votes


def _verdict_label(line: str) -> re.Match[str] | None:
    return _VERDICT_LABEL.match(line) if len(line) <= _LONGEST_LABELLED else None


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
    if not sentences or _verdict_label(sentences[0]):
        return []
    if "?" in sentences[0]:
        return _answered_question(sentences[0], known)
    whole = _REASON.sub(" ", sentences[0])
    if votes := _votes(whole, known):
        return votes
    opening = _OPENING.match(whole) or _BARE_OPENING.match(whole)
    if opening is None or _HYPOTHETICAL.search(opening[0]) or _RESERVED.match(whole, opening.end()):
        return []
    rest = [_votes(clause, known) for clause in re.split(r"[,;—–:]", whole[opening.end() :])]
    begun = _votes(opening["word"] or opening["before"], known)
    return [*begun, *(vote for votes in rest for vote in votes)] if begun else []


def _last(sentences: Sequence[str], known: frozenset[str], *, strict: bool = True) -> list[bool]:
    """The votes of the last sentence, or of the conclusion in it.

    ``strict``: a mere "it" does not vote. It may be any part of the question, and can no more than contradict.
    """
    if not sentences or _verdict_label(sentences[-1]):
        return []
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
