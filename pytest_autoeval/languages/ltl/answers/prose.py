"""Formulas of temporal logic amid English, whose own words are its operators: what is one, and what only sounds so."""

from __future__ import annotations

import re
from collections.abc import Collection

from pytest_autoeval.languages import english
from pytest_autoeval.languages.answers import sentence
from pytest_autoeval.languages.ltl.answers.tokens import CLOSING

_LETTER = r"(?<![\w'’])[XFGURWYZOHSTV](?![\w'’])"
#: The signs of formulas that English has not.
SIGN = (
    r"[∧∨¬→↔⊕⊤⊥&|~!⇒⇔□◇○◯◊◻⟶⟹⟷⟺⊖◆■⊟]|->|=>|<>|\[\]|/\\|\\/"
    r"|\\(?!text\b)[A-Za-z]"
)
_OPERATOR = re.compile(rf"{SIGN}|{_LETTER}")
_SYMBOL = re.compile(rf"{_OPERATOR.pattern}|\w\(|\w_?\d|[₀-₉]")
#: Connectives, and the arrows among them that may only point at something.
_CONNECTING = r"(?:[∧∨↔⊕&|⇔]|/\\|\\/|<->|<=>|[URWST](?=[\s`$(])|\\(?:land|lor|wedge|vee|leftrightarrow|iff|oplus)\b)"
_ARROW = r"(?:[→⇒]|->|=>|\\(?:to|rightarrow|implies)\b)"
_BEFORE = re.compile(
    rf"(?:{_CONNECTING}|[¬~□◇○]|\[\]|<>|(?<![\w)])!|(?<!\w)[XFGYZOH]|^\s*(?:and|or)\s|\\(?:lnot|neg|square|Box|Diamond|bigcirc)\b|[`$*)]\s*{_ARROW})"
    r"[\s`$*(\[]*$"
)
_OR = r"\s*,?\s+(?:or(?:\s+else|\s+maybe|\s+perhaps)?|together\s+with|along\s+with|as\s+well\s+as|plus)\s+"
#: Between two formulas, "or" leaves a choice, and "together with" or a comma may be a conjunction.
_OR_BEFORE = re.compile(rf"(?:[`$*)\]]|(?<!\w)[A-Za-z]_?\d+){_OR}[`$*(\"]*$")
_LISTED_BEFORE = re.compile(r"[`$]\s*,\s*[`$]?$")
_OR_BEHIND = re.compile(rf"[`$*)\]\"]*{_OR}(?:[`$]|[*(\"]*(?:[XFGYZOH](?!\w)|[!¬~□◇]))")
_BEHIND = re.compile(rf"[\s`$*)\]]*(?:{_CONNECTING}|{_ARROW}\s*[`$*(¬!])")
_ALONE = re.compile(rf"[\s`$*]*(?:{_CONNECTING}|{_ARROW})[\s`$*]*")
#: Words beside a formula that say when it holds, or what it holds until.
_TEMPORAL = r"(?:always|globally|eventually|never|forever|until|unless|releases?|since|historically|once|previously)"
_WORD_BEFORE = re.compile(rf"\b(?:{_TEMPORAL}|next|not|implies)\s*[`$*(\"]*$")
_SAID_BEFORE = re.compile(
    r"\b(?:always|never|eventually|globally|at\s+all\s+times|at\s+some\s+(?:point|time))\b[^:;`$]*[\s`$*(\"]*$"
)
_WORD_BEHIND = re.compile(
    rf"[`$*)\"]*\s+(?:must\s+|should\s+)?(?:holds?\s+|be\s+true\s+|is\s+true\s+)?(?:{_TEMPORAL}|at\s+all\s+times|implies)\b"
)
#: Words by which a formula is said to be another way of writing the answer.
_RESTATING = re.compile(
    r"\b(?:equivalent(?:ly)?|alternative(?:ly)?|rewritten|expands?\s+to|same\s+as"
    r"|negat(?:ion|ed|ing)|opposite|dual|weaker|stronger|variant)\b",
    re.IGNORECASE,
)
#: Words by which a sentence comes to the formula that is meant, and words by which it does not.
_CONCLUDING = re.compile(
    r"\b(?:so|thus|hence|therefore|final(?:ly)?|overall|in\s+total|combin\w+|together|obtain|get|gives?|yields?|results?|becomes?"
    r"|arrive|answers?|formulas?|formulae|translat\w+|correct\w*|revis\w+|actually|should\s+be|must\s+be|wait|instead|rather"
    r"|better|fix(?:ed)?|mistake|sorry|oops|express\w*|writ(?:e|ten)|captur\w+|use|here\s+(?:is|it)|need|ltl)\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"\b(?:would|could|might|if|unless|without|add(?:ing|ed)?|too|weaker|stronger|(?:not|n['’]t)\s+(?:be\s+)?needed"
    r"|sub-?formula|conjunct|disjunct)\b",
    re.IGNORECASE,
)
_CONDITIONED = re.compile(r"\W*(?:if|unless|in\s+case|should\s+you)\b", re.IGNORECASE)
_OTHER_VERSION = re.compile(
    r"\b(?:past|strict\w*|weak\w*|strong\w*|negated|ctl|ascii|other|another)\s+(?:version|formula|form|reading)\b",
    re.IGNORECASE,
)
_APPOSED = re.compile(r"(?:\bi\.\s?e\.|\be\.\s?g\.|\bthat\s+is|\bin\s+other\s+words)[,:]?[\s`$*(\"]*$", re.IGNORECASE)
#: Words by which something must have happened, or go on, for a formula to be of interest.
_TIMED = re.compile(r"\b(?:once|after|before|while|since|until|as\s+(?:soon|long)\s+as)\b(?P<when>.*)", re.IGNORECASE)
#: What an answer calls a formula.
_CALLED = re.compile(r"\b(?:formula|answer|translation|result|expression|ltl|specification)\b", re.IGNORECASE)
_TRAILING = re.compile(
    r"(?:[=≡∧∨→↔⊕¬&|⇒⇔(\[]|->|=>|/\\|\\/|[\w)\]]\s[URWST]|\\(?:land|lor|to|wedge|vee|rightarrow|iff|implies))\s*$"
)
_LEADING = re.compile(
    r"\s*(?:={1,2}(?![=>])|[≡∧∨→↔⊕&|⇒⇔)\]]|->|=>|<-|<=|/\\|\\/|[URWST]\s|\\(?:land|lor|to|wedge|vee|rightarrow|iff|implies)\b)"
)
_OPTION = re.compile(
    r"^[\s>#*•+-]*(?:\d{1,2}[.)]\s+)?\**(?:option|reading|interpretation|alternative|possibility|variant)\s+(?:\d+|[A-C])\b[^\n:]*:[^\n]*",
    re.IGNORECASE | re.MULTILINE,
)
_TABLE_ROW = re.compile(r"\s*\|(?!\|).*\|\s*")
_NEARBY = 300


def is_symbolic(text: str) -> bool:
    """Whether a text has something that English has not: a sign, a capital letter alone, a numbered name."""
    return _SYMBOL.search(text) is not None


def is_wordy(text: str) -> bool:
    """Whether a text has neither signs nor the letters of operators nor brackets: it may be English as it stands."""
    return _OPERATOR.search(text) is None and not any(bracket in text for bracket in CLOSING)


def is_fragment(before: str, after: str, *, is_basic: bool) -> bool:
    """Whether the words or signs around a formula make it a part of something that means more."""
    nearby = before[-_NEARBY:]
    if _BEFORE.search(nearby) or _OR_BEFORE.search(nearby) or (not is_basic and _LISTED_BEFORE.search(nearby)):
        return True
    if is_followed_up(after) or _WORD_BEHIND.match(after[:_NEARBY]):
        return True
    context = sentence(before)
    if not context.rstrip(' `$*"').endswith(":") and (_WORD_BEFORE.search(context) or _SAID_BEFORE.search(context)):
        return True
    return english.is_fragment(before, after, (), is_basic=is_basic)


def is_followed_up(after: str) -> bool:
    """Whether the words behind a formula, up to a stop, put it under a condition or connect it, or a sign does."""
    if english.is_followed_up(after) or _OR_BEHIND.match(after[:_NEARBY]):
        return True
    return _BEHIND.match(after[:_NEARBY]) is not None


def is_explained(before: str, after: str) -> bool:
    """Whether a formula stands in a sentence that explains symbols or restates the answer."""
    if english.is_explained(before, after) or _APPOSED.search(before[-_NEARBY:]):
        return True
    return _RESTATING.search(sentence(before)) is not None


def is_remark(before: str, after: str) -> bool:
    """Whether a formula stands in a sentence that does not come to it as to the one that is meant."""
    behind = re.split(r"[.!?;](?:\s|$)", after[:_NEARBY])[0]
    context = f"{sentence(before)} {behind}"
    return _HYPOTHETICAL.search(context) is not None or _CONCLUDING.search(context) is None


def is_variant(before: str) -> bool:
    """Whether a label sets what follows apart: "If it is strict:", "Equivalent formula:"."""
    context = sentence(before)
    return any((_CONDITIONED.match(context), _RESTATING.search(context), _OTHER_VERSION.search(context)))


def is_timed(before: str, known: Collection[str]) -> bool:
    """Whether the sentence says after, before or while which proposition what follows holds: "once x1, F x2"."""
    timed = _TIMED.search(sentence(before))
    words = re.findall(r"\w+", timed["when"]) if timed else []
    return any(word in known or any(char.isdigit() for char in word) for word in words)


def is_called_formula(before: str) -> bool:
    """Whether the words before a formula say that it is one."""
    return _CALLED.search(sentence(before)) is not None


def is_choice(text: str) -> bool:
    """Whether the word "or" stands between two formulas with operators: they may be one, or two to choose from."""
    depth = 0
    for piece in re.finditer(r"[()\[\]{}]|(?<!\w)or(?!\w)", text):
        depth += (piece[0] in CLOSING) - (piece[0] in CLOSING.values())
        if piece[0] == "or" and depth == 0 and all(map(_OPERATOR.search, (text[: piece.start()], text[piece.end() :]))):
            return True
    return False


def options(text: str) -> list[str]:
    """The lines that begin with "Option A:", "Interpretation 2:" and their like."""
    return _OPTION.findall(text)


def continues(text: str, line: str) -> bool:
    """Whether a line goes on with the formula begun in the text before it: a sign at the seam, or an open bracket."""
    if len(text) > 20_000 or not is_symbolic(text) or _TABLE_ROW.fullmatch(line) or _TABLE_ROW.fullmatch(text):
        return False
    if english.is_alternatives(line) or english.is_alternatives(text.rpartition("\n")[2]):
        return True
    if _TRAILING.search(text[-20:].rstrip(" \t`$*")) or _LEADING.match(line) or _ALONE.fullmatch(line):
        return True
    return sum(map(text.count, CLOSING)) > sum(map(text.count, CLOSING.values())) and is_symbolic(line)
