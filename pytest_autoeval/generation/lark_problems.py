"""What Lark finds wrong with a grammar file: where, what stands there, what was expected, and what to do."""

from __future__ import annotations

import re
from typing import Any

from pytest_autoeval.errors import did_you_mean, near_names
from pytest_autoeval.generation.drawing_errors import GrammarError
from pytest_autoeval.generation.grammar_text import SLOTS, GrammarText

#: Lark's names for what a user may write next. Others, such as the parts of templates, are left out.
_EXPECTED = {
    "_COLON": "':'",
    "RULE": "a rule",
    "TERMINAL": "a slot",
    "STRING": "a symbol in double quotes",
    "_RPAR": "')'",
    "_OR": "'|'",
    "_NL": "the end of the line",
}
#: Lark's names of the two ends, in words.
_AT_THE_END = {"_NL": "the end of the line", "$END": "the end of the file"}
#: Quotes that a user may write in place of double ones.
_OTHER_QUOTES = "'`‘’‚“”„«»"


def grammar_problem(error: Exception, source: GrammarText) -> GrammarError:
    """The error of ours for one of Lark's, or for a regular expression that Python does not know."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

    # Some of Lark's errors only report an earlier one, which says more.
    cause = error if isinstance(error, UnexpectedInput) else error.__context__
    if isinstance(cause, re.error):
        offset = source.text.find(str(cause.pattern))
        return source.error_at(f"this is not a regular expression: {cause.msg}", max(offset, 0))
    if isinstance(cause, UnexpectedCharacters):
        expected = [_EXPECTED[name] for name in ("RULE", "TERMINAL", "STRING")]
        return _unexpected(source, cause, repr(cause.char), cause.char, expected)
    if isinstance(cause, UnexpectedToken):
        token = cause.token
        token_text = _AT_THE_END.get(token.type, repr(str(token)))
        expected = [meaning for name, meaning in _EXPECTED.items() if name in cause.expected]
        return _unexpected(source, cause, token_text, str(token), expected)
    return _of_names(str(error).strip().partition("\n")[0], source)


def _unexpected(
    source: GrammarText, error: Any, quoted: str, text: str, expected: list[str]
) -> GrammarError:
    """The error about a text, ``quoted`` as the message shows it, that stands where others are ``expected``."""
    line = source.text.split("\n")[error.line - 1]
    problem = f"unexpected {quoted}"
    if expected:
        *others, final = expected
        alternatives = f"{', '.join(others)} or {final}" if others else final
        problem += f"; expected {alternatives}"
    advice = _advice(line, error.column - 1, text)
    if advice:
        problem += f"; {advice}"
    return GrammarError(problem, source.path, error.line, error.column)


def _advice(line: str, column: int, text: str) -> str:  # noqa: PLR0911 - one line for each mistake
    """What to do about an unexpected text at a column of a line, from 0; empty if nothing is known."""
    name = re.search(rf"\w{{0,{column}}}$", line[:column])
    word = (name[0] if name else "") + text
    if text in _OTHER_QUOTES:
        return 'write symbols in double quotes: "∧"'
    if re.sub(r"\\.", "", line).count('"') % 2:
        return "the line has an odd number of double quotes: is one missing?"
    if text == ";" and not line[column + 1 :].strip():
        return "no sign ends a line: remove it"
    if text in ("-", "%", ";"):
        return "a comment begins with //"
    if text in ("=", "<") or line[column : column + 2] == ":=":
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
        missing = "there is no rule `start`, from which every formula is derived"
        if not rules:
            return source.error_at(f"{missing}; the file has no rules", 0)
        similar = near_names("start", rules, 1)
        if similar:
            return source.error(f"{missing}; is {similar[0]} a misspelling of it?", similar[0])
        hint = f"rename the rule of whole formulas to start, or add `start: {rules[0]}`"
        return source.error(f"{missing}; {hint}", rules[0])
    # Lark has no fields for the name: it stands in the text of the error.
    named = re.search(r"(?:Rule|Terminal|terminal|token) '?(\w+)'?", text)
    if not named:
        return source.error(text, "start")
    name = named[1]
    if "used but not defined" not in text:
        return source.error(text, name, -1 if "more than once" in text else 0)
    kind, defined = "rule", rules
    if name.isupper():
        kind = "terminal"
        defined = [*SLOTS, *source.defined]
    similar = near_names(name, rules, 1)
    if name in SLOTS:
        hint = rf"add a line such as {name}: /\w+/"
    elif name == "start" and similar:
        hint = f"is {similar[0]} a misspelling of it?"
    elif name == "start":
        hint = f"the rules are {', '.join(rules)}"
    else:
        hint = f"known are: {', '.join(dict.fromkeys(defined))}.{did_you_mean(name, defined)}"
    return source.error(f"the {kind} {name} is used but not defined; {hint}", name)
