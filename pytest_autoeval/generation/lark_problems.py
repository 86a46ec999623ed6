"""What Lark finds wrong with a grammar file: where, what stands there, what was expected, and what to do."""

from __future__ import annotations

import re
from typing import Any

from pytest_autoeval.errors import did_you_mean, near_names
from pytest_autoeval.generation.drawing_errors import GrammarError
from pytest_autoeval.generation.grammar_text import SLOTS, GrammarText

#: Lark's names for what a user may write next. Others, such as the parts of templates, are not told.
_EXPECTED = {
    "_COLON": "':'",
    "RULE": "a rule",
    "TERMINAL": "a slot",
    "STRING": "a symbol in double quotes",
    "_RPAR": "')'",
    "_OR": "'|'",
    "_NL": "the end of the line",
}
_AT_THE_END = {"_NL": "the end of the line", "$END": "the end of the file"}
_OTHER_QUOTES = "'`‘’‚“”„«»"


def grammar_problem(error: Exception, source: GrammarText) -> GrammarError:
    """The error of ours for one of Lark's, or for a regular expression that Python does not know."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    found = error if isinstance(error, UnexpectedInput) else error.__context__
    if isinstance(found, re.error):
        place = source.text.find(str(found.pattern))
        return source.error_at(f"this is not a regular expression: {found.msg}", max(place, 0))
    if isinstance(found, UnexpectedCharacters):
        expected = [_EXPECTED[name] for name in ("RULE", "TERMINAL", "STRING")]
        return _unexpected(source, found, repr(found.char), found.char, expected)
    if isinstance(found, UnexpectedToken):
        token = found.token
        what = _AT_THE_END.get(token.type, repr(str(token)))
        expected = [said for name, said in _EXPECTED.items() if name in found.expected]
        return _unexpected(source, found, what, str(token), expected)
    return _of_names(str(error).strip().partition("\n")[0], source)


def _unexpected(
    source: GrammarText, found: Any, what: str, text: str, expected: list[str]
) -> GrammarError:
    line = source.text.split("\n")[found.line - 1]
    problem = f"unexpected {what}"
    if expected:
        problem += (
            f"; expected {' or '.join(filter(None, [', '.join(expected[:-1]), expected[-1]]))}"
        )
    if advice := _advice(line, found.column - 1, text):
        problem += f"; {advice}"
    return GrammarError(problem, source.path, found.line, found.column)


def _advice(line: str, at: int, text: str) -> str:  # noqa: PLR0911 - one line for each mistake
    """What to do about an unexpected text at a place of a line; empty if nothing is known."""
    name = re.search(rf"\w{{0,{at}}}$", line[:at])
    word = (name[0] if name else "") + text
    if text in _OTHER_QUOTES:
        return 'write symbols in double quotes: "∧"'
    if re.sub(r"\\.", "", line).count('"') % 2:
        return "the line has an odd number of double quotes: is one missing?"
    if text == ";" and not line[at + 1 :].strip():
        return "no sign ends a line: remove it"
    if text in ("-", "%", ";"):
        return "a comment begins with //"
    if text in ("=", "<") or line[at : at + 2] == ":=":
        return "a rule is written `name: …`"
    if text == "/":
        return r"a regular expression stands between two slashes: /\w+/"
    if re.fullmatch(r"\w+", word) and word not in (word.lower(), word.upper()):
        return f"write {word.lower()}: the names of rules are in small letters, those of slots in capitals"
    if len(text) == 1 and not re.match(r"[\w\s:|()]", text):
        return f'a symbol of a formula stands in double quotes: "{text}"'
    return ""


def _of_names(text: str, source: GrammarText) -> GrammarError:
    """An error about a name that is missing or defined twice."""
    rules = [name for name in source.defined if not name.isupper()]
    if "NonTerminal('start')" in text:
        missing = "there is no rule `start`, from which every formula is derived; "
        if not rules:
            return source.error_at(f"{missing}the file has no rules", 0)
        if near := near_names("start", rules, 1):
            return source.error(f"{missing}is {near[0]} a misspelling of it?", near[0])
        return source.error(
            f"{missing}rename the rule of whole formulas to start, or add `start: {rules[0]}`",
            rules[0],
        )
    named = re.search(r"(?:Rule|Terminal|terminal|token) '?(\w+)'?", text)
    if not named:
        return source.error(text, "start")
    name = named[1]
    if "used but not defined" not in text:
        return source.error(text, name, -1 if "more than once" in text else 0)
    kind, known = ("terminal", [*SLOTS, *source.defined]) if name.isupper() else ("rule", rules)
    if name in SLOTS:
        mend = rf"add a line such as {name}: /\w+/"
    elif name == "start":
        mend = next(
            (f"is {near} a misspelling of it?" for near in near_names(name, rules, 1)),
            f"the rules are {', '.join(rules)}",
        )
    else:
        mend = f"known are: {', '.join(dict.fromkeys(known))}.{did_you_mean(name, known)}"
    return source.error(f"the {kind} {name} is used but not defined; {mend}", name)
