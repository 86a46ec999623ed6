"""The marks around what is not the answer of a reply: thoughts, control tokens, text after the end of the turn.

Servers should remove all three, and many do not. Thoughts must never reach the other half of a round trip, where they
would give the formula away. Their tags have many names, so that a block of *any* name at the beginning of a reply is a
thought, unless it is the whole reply or its name is one of an answer (``<answer>``) or of HTML (``<p>``).

All rules take linear time.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_autoeval.lazy_pattern import lazy_pattern

_NAMED = r"(?:think|thought|reason|reflection|scratchpad|analysis|monologue)"
#: Such a name, with a prefix or suffix (``seed:think``, ``antThinking``), and the attributes of an opening tag.
_NAME = rf"[\w▁:.-]{{0,40}}{_NAMED}[\w▁:.-]{{0,40}}"
#: A look ahead to a name that ends a thought, such as ``end_of_thought`` and ``think_end``.
_ENDS = r"(?:end[_▁-]|[\w▁:.-]{0,80}[_▁-](?:end|stop|close)[|｜>\]▷])"
_ATTRIBUTES = r"(?:\s[^<>]{0,200})?"
#: Marks of thoughts anywhere in a reply. The opening one, the closing one, or both may be given.
_THOUGHT = lazy_pattern(
    rf"(?P<opening><(?!{_ENDS}){_NAME}{_ATTRIBUTES}>|&lt;(?!{_ENDS}){_NAME}&gt;|\[(?!{_ENDS}){_NAME}\]"
    rf"|◁{_NAME}▷|<[|｜](?!{_ENDS}){_NAME}[|｜]>|<\|inner_prefix\|>|<\|(?:channel>|channel\|>|im_start\|>){_NAMED}\w*"
    r"|<\|channel\|>(?:analysis|commentary)[^<\n]{0,100}(?:<\|constrain\|>\w+)?<\|message\|>|<unused94>"
    r"|\A\s{0,9}assistantanalysis|\A\s{0,9}analysis(?-i:(?=[A-Z]))"
    r"|\A\s{0,9}here(?:['’]s| is) my thought process:)"  # of Granite
    rf"|<\s{{0,3}}/\s{{0,3}}{_NAME}\s{{0,9}}>|&lt;/{_NAME}&gt;|\[/{_NAME}\]|◁/{_NAME}▷|<[|｜]/{_NAME}[|｜]>"
    rf"|<(?={_ENDS}){_NAME}>|\[(?={_ENDS}){_NAME}\]|<[|｜](?={_ENDS}){_NAME}[|｜]>|<\|inner_suffix\|>|<channel\|>"
    r"|<\|channel\|>final[^<\n]{0,100}(?:<\|constrain\|>\w+)?<\|message\|>|<unused95>|assistantfinal"
    r"|<\|im_start\|>answer|here(?:['’]s| is) my response:",
    re.IGNORECASE,
)
#: Blocks of any name: an opening mark at the beginning of a text, and all closing marks.
_OPENING = lazy_pattern(
    rf"<(?P<tag>[^\W\d_][\w:.-]{{0,60}}){_ATTRIBUTES}>|\[(?P<bracket>[a-z_]{{4,60}})\]"
    r"|<\|(?:begin|start)_(?:of_)?(?P<token>\w{1,60})\|>",
    re.IGNORECASE,
)
_NOT_SPACE = lazy_pattern(r"\S")
_CLOSING = lazy_pattern(
    r"</(?P<tag>[^\W\d_][\w:.-]{0,60})\s{0,9}>|\[/(?P<bracket>[a-z_]{4,60})\]|<\|end_(?:of_)?(?P<token>\w{1,60})\|>",
    re.IGNORECASE,
)
#: Names of blocks that are an answer or a part of it, and tags of HTML.
_ANSWERS: Final = lazy_pattern(
    r"(?:(?:my|the|final|correct)[_ -]?)?(?:answers?|final|formulas?|outputs?|results?|reg(?:ex|exp|ular)\w*|expression"
    r"|translation|description|paraphrase|sentences?|english|text|texts|response|reply|message|content|statement|summary"
    r"|solution|conclusion|box|choice|option|label|verdict|ranking|order|number|trace|logic|ltl|fol|json|latex|math\w*|svg"
    r"|a|b|i|u|s|p|q|em|strong|mark|small|big|del|ins|su[bp]|code|tt|kbd|samp|var|pre|div|span|font|center|br|hr|h[1-6]"
    r"|ul|ol|li|dl|d[dt]|table|thead|tbody|t[rdh]|blockquote|section|article|html|head|body|title|style)",
    re.IGNORECASE,
)
#: The end of a turn, and the beginning of the next one. What follows is a turn that the model invents.
_TURN_ENDS = lazy_pattern(
    r"<[|｜](?:eot_id|eom_id|eot|eom|im_end|end|call|end[_▁]of[_▁]sentence|endoftext|end_of_text|end_of_turn|end_of_turn_token|endofturn|endofmessage|eos"
    r"|return|user)[|｜]>|<turn\|>|<\|turn>user|<end_of_turn>|<eos>|<start_of_turn>user|\[INST\]"
    r"|<\|(?:im_start|start_header_id)\|>user",
    re.IGNORECASE,
)
#: Also the end of struck text in HTML.
_SENTENCE_END = "</s>"
#: Control tokens: `<|im_start|>assistant`, `<|start|>assistant`, `<s>` …
_CONTROL = lazy_pattern(
    r"<\|(?:start|channel|im_start)\|>\w+|<\|start_header_id\|>\w+<\|end_header_id\|>|<start_of_turn>model|<\|turn>model"
    r"|<[|｜][\w▁]+[|｜]>|</?s>|</?bos>",
    re.IGNORECASE,
)


def without_marked(reply: str) -> str:
    """A reply without what the marks surround; without marks it is not changed.

    With only a closing mark, the opening one was in the prompt; with only an opening mark, the model never came to an
    answer.
    """
    text = ""
    for turn in _turns(reply):
        text = _CONTROL.sub("", _without_blocks(_without_known_thoughts(turn)))
        if text.strip():
            break
    return reply if text == reply else text.strip()


def _turns(reply: str) -> list[str]:
    """The pieces between marks of the end of a turn. The channels of one turn are pieces, too."""
    if _SENTENCE_END in reply and "<s>" not in reply.lstrip():
        reply = reply.replace(_SENTENCE_END, "<eos>")
    return _TURN_ENDS.split(reply)


def _without_known_thoughts(text: str) -> str:
    """A text without what stands between marks that have the name of a thought."""
    pieces: list[str] = []
    #: Where the text of the answer goes on; None inside a thought.
    start: int | None = 0
    for mark in _THOUGHT.finditer(text):
        if not mark["opening"]:
            # A closing mark without an opening one: everything before it was a thought.
            pieces = [] if start is not None else pieces
            start = mark.end()
        elif start is not None:
            pieces.append(text[start : mark.start()])
            start = None
    if start is not None:
        pieces.append(text[start:])
    return "".join(pieces)


def _without_blocks(text: str) -> str:
    """A text without the blocks of any name at its beginning, and without what precedes a stray closing mark."""
    start = 0
    leading = _name_at(text, 0)
    opened = set[str]()
    openings = {mark.start(): mark for mark in _OPENING.finditer(text)}
    # Both kinds begin with the same signs, but no mark is of both.
    marks = openings | {mark.start(): mark for mark in _CLOSING.finditer(text)}
    for position, mark in sorted(marks.items()):
        name = _name(mark)
        if position in openings:
            opened.add(name)
            continue
        is_end = name == leading or name not in opened
        if is_end and not _ANSWERS.fullmatch(name) and _NOT_SPACE.search(text, mark.end()):
            start = mark.end()
            leading = _name_at(text, mark.end())
            opened.clear()
    return text[start:]


def _name_at(text: str, start: int) -> str:
    """The name of the block that begins at a position, behind white space; empty if there is none."""
    behind = _NOT_SPACE.search(text, start)
    opening = _OPENING.match(text, behind.start()) if behind else None
    return _name(opening) if opening else ""


def _name(mark: re.Match[str]) -> str:
    return (mark["tag"] or mark["bracket"] or mark["token"]).lower()
