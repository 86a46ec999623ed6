r"""What an answer gives as its answer: values of JSON, boxes, tags, lines such as ``Answer: 3``; not its reasons.

Nothing counts that stands in the reasons, whatever it looks like. What is called the final answer outranks what is
merely called the answer, and that outranks sentences that say what is chosen; they count only where they come last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import Any, Final, Literal

from pytest_autoeval.languages.wrappings import without_thoughts

#: How much is said for a text being the answer: it is called so, a sentence says so, or it is all there is.
Standing = Literal["final", "labelled", "said", "bare"]

#: Characters of an answer that are looked at, from its end.
_LONGEST = 100_000
#: Objects of an answer that are looked into: one that never ends could be taken for many.
_MOST_OBJECTS = 50
#: Lines that an answer may have below its label.
_MOST_LINES = 100
#: Stands, with its number, for a value of JSON.
_PLACE: Final = "\ue000"


@dataclass(frozen=True, slots=True)
class FinalAnswer:
    """One thing that is given as the answer: a value of JSON, or text in plain characters and lower case.

    ``lines`` are those after it, for an answer of several; for what is all there is, those before it. ``label`` is
    what its line says before it.
    """

    value: Any
    standing: Standing
    lines: tuple[str, ...] = ()
    label: str = ""


class Contradiction:
    """Stands for a value of JSON that is given twice, and differently."""


def final_answers(answer: str) -> list[FinalAnswer]:
    """What counts as the answer, in its order; several where the answer names several, which need not agree.

    Where nothing is called the answer, these are the sentences that say what is chosen (``said``; many are no such
    thing, which is for the reader to tell) and the last line (``bare``).
    """
    values, text = _without_objects(without_thoughts(answer)[-_LONGEST:].replace(_PLACE, ""))
    lines = [line.strip() for line in plain(text).splitlines() if line.strip()]
    labelled = [*_labelled(lines, values)]
    if not labelled:
        return [*_said(lines), *_bare(lines)]
    first = next((place for place, (_, found) in enumerate(labelled) if found.standing == "final"), 0)
    after = labelled[-1][0] + 1
    return [*(found for _, found in labelled[first:]), *_said(lines[after:])]


def plain(text: str) -> str:
    """Text without marks of Markdown and LaTeX, in lower case; boxes and tags are lines that are labelled final."""
    text = _LATEX_TEXT.sub(r"\1", _LATEX_TEXT.sub(r"\1", text))  # one may stand in another
    text = _BOX.sub(r"\nfinal answer: \1\n", text)
    text = _TAG.sub(lambda tag: f"\nfinal answer: {tag[1].strip()}\n", text)
    text = _FENCE.sub("", text)
    for pattern, sign in _SIGNS:
        text = pattern.sub(sign, text)
    return _LINE_MARKS.sub("", text.translate(_PLAIN)).lower()


# --- JSON ---

_OBJECT = re.compile(r"\{(?=\s*\")")
#: The last words of keys whose value is the answer; a key that says so outranks the others.
_KEYS: Final = (("answer",), ("choice", "option", "selection", "selected", "number", "ranking", "order", "result"))
#: An entry of an object that is no JSON for its quotes or its other entries.
_ENTRY = re.compile(
    r"""[{,\n][ \t]*["'](?:final_?)?answer["'][ \t]*:[ \t]*("[^"\n]*"|'[^'\n]*'|\[[^]\n]{0,2000}\]|[^,}\n]+)""",
    re.IGNORECASE,
)
#: A backslash that JSON does not know.
_STRAY = re.compile(r'\\(?:\\|["/bfnrt]|u[0-9a-fA-F]{4})|(?P<stray>\\)')


def _without_objects(text: str) -> tuple[list[Any], str]:
    """What the objects of JSON in a text give as the answer, and the text with a labelled place for each of these."""
    values, rest = _placed(text)
    if rest == text and _OBJECT.search(text):  # LaTeX in a string, its backslashes bare
        values, rest = _placed(_STRAY.sub(lambda found: r"\\" if found["stray"] else found[0], text))
    return values, rest if values else _ENTRY.sub(r"\nfinal answer: \1\n", rest)


def _placed(text: str) -> tuple[list[Any], str]:
    decoder = json.JSONDecoder(strict=False, object_pairs_hook=_paired)
    values: list[Any] = []
    parts: list[str] = []
    end = 0
    for opening in islice(_OBJECT.finditer(text), _MOST_OBJECTS):
        if opening.start() >= end:
            try:
                content, closing = decoder.raw_decode(text, opening.start())
            except (ValueError, RecursionError):
                continue
            found = _answers_in(content)
            places = [f"final answer: {_PLACE}{number}" for number in range(len(values), len(values) + len(found))]
            values += found
            parts.append("\n".join([text[end : opening.start()], *places, ""]))
            end = closing
    return values, "".join([*parts, text[end:]])


def _paired(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of which no entry hides an earlier one."""
    content: dict[str, Any] = {}
    for key, value in pairs:
        repeats = key not in content or repr(content[key]) == repr(value)
        content[key] = value if repeats else Contradiction()
    return content


def _answers_in(content: dict[str, Any]) -> list[Any]:
    for names in _KEYS:
        values = [value for key, value in content.items() if _last_word(key) in names]
        if values:
            return values
    return []


def _last_word(key: str) -> str:
    return re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key).lower())[-1]


# --- text ---

_LATEX_TEXT = re.compile(r"\\(?:text(?:bf|tt|rm|it)?|math(?:rm|bf|tt))\s*\{([^{}]*)\}")
_BOX = re.compile(r"\\f?boxed\s*\{([^{}]*)\}")
_TAG = re.compile(r"<(?:final[_ -]?)?answer>([^<]{0,5000})</(?:final[_ -]?)?answer>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*$", re.MULTILINE)
#: Pictures that say nothing of what they stand beside, and what makes a picture of a figure.
_ORNAMENT: Final = r"(?![🚫👎🙅🤷🔴🟥])[✅✓✔☑★⭐✨➡\U0001f300-\U0001faff]\ufe0f?|\ufe0f?\u20e3|\ufe0f"
_SIGNS: Final = (
    (re.compile(r"\\(?:succ|gt|to|rightarrow|Rightarrow)\b"), ">"),
    (re.compile(r"</?(?:b|strong|i|em|u|code|span|p)>|<br ?/?>"), " "),
    (re.compile(rf"\*+|`+|\$+|__|\\[\[\]()]|\\[,;! ]|{_ORNAMENT}"), ""),
    (re.compile(r"[ \t\u00a0\u2000-\u200b\u202f]+"), " "),
)
_PLAIN = str.maketrans("‘’“”«»‐‑−：，", '\'\'""""---:,')
#: What opens a line of Markdown and says nothing: a heading, a quotation, a bullet.
_LINE_MARKS = re.compile(r"^(?:[ \t]*(?:#+[ \t]|>[ \t]|[-•][ \t]))+", re.MULTILINE)

_CONCLUDING: Final = r"(?:(?:so|therefore|thus|hence|and|finally|overall|in conclusion)[, ]+)*(?:(?:my|the|our) )?"
_BEST: Final = r"(?:correct|right|best|closest|nearest|chosen|selected|complete|overall|most similar|best[- ]matching)"
_ASIDE: Final = r"(?: ?\([^()\n]{0,100}\))?"
#: A label at the start of a line or sentence; one that says "final" labels wherever it stands.
_LABEL = re.compile(
    rf"(?:(?:^|(?<=[.!?] )){_CONCLUDING}(?:{_BEST} )?answer"
    rf"|\b(?P<final>final (?:{_BEST} )?(?:answer|choice|ranking|order(?:ing)?)))"
    rf"{_ASIDE} ?(?:is:|:|=|-+ |[–—→]|(?(final)is\b|(?!))|$)"
)
#: What takes back what was said before.
TAKEN_BACK: Final = re.compile(
    r"\b(?:wait|hold on|scratch that|oops|on second thoughts?|on reflection|correction|i was wrong|i meant|my mistake"
    r"|i made an? (?:mistake|error)|(?:none|neither) of (?!(?:the |these )?(?:others?|remaining|rest)\b))\b"
    r"|(?:^|[.!;:)—–-] ?)(?:edit|actually|sorry)\b"
    r"|^\W*(?:no,? |but )?(?:this|that|it) is (?:wrong|not right|incorrect)\W*$"
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')]* +(?=\D)")


def _labelled(lines: Sequence[str], values: Sequence[Any]) -> Iterator[tuple[int, FinalAnswer]]:
    """What stands behind labels, with the number of its line; under a bare label, the lines below."""
    for number, line in enumerate(lines):
        labels = [*_LABEL.finditer(line)]
        for label, after in zip_longest(labels, labels[1:]):
            standing: Standing = "final" if label["final"] else "labelled"
            value = line[label.end() : after.start() if after else None].strip()
            below = () if after else _below(lines, number)
            said = line[: label.end()]
            if value.startswith(_PLACE):
                yield number, FinalAnswer(values[int(value.removeprefix(_PLACE))], standing)
            elif value:
                yield number, FinalAnswer(value, standing, below, said)
            elif below and not _LABEL.match(below[0]):
                yield number, FinalAnswer(below[0], standing, below[1:], said)


def _said(lines: Sequence[str]) -> Iterator[FinalAnswer]:
    for number, line in enumerate(lines):
        for sentence in _SENTENCE_END.split(line):
            yield FinalAnswer(sentence.strip(), "said", _below(lines, number))


def _bare(lines: Sequence[str]) -> Iterator[FinalAnswer]:
    if lines:
        yield FinalAnswer(lines[-1], "bare", tuple(lines[-1 - _MOST_LINES : -1]))


def _below(lines: Sequence[str], number: int) -> tuple[str, ...]:
    return tuple(lines[number + 1 : number + 1 + _MOST_LINES])
