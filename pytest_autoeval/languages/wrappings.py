"""What comes around an answer and is no part of it: thoughts, answer tags, JSON, HTML, environments of LaTeX.

Whatever the language: :func:`unpacked` turns such an answer into the text that a person would have written.
"""

from __future__ import annotations

import html
import json
import re

#: Longer answers hold no formula, and are left as they are.
_LONGEST = 200_000

_THOUGHT_TAGS = r"think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis"
_THOUGHT = re.compile(
    rf"(?P<opening><(?:{_THOUGHT_TAGS})>|\[think\]|<\|channel\|>(?:analysis|commentary)<\|message\|>)"
    rf"|</(?:{_THOUGHT_TAGS})>|\[/think\]|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
#: What servers should have kept for themselves: `<|im_end|>`, `<|start|>assistant`, `</s>` …
_CONTROL = re.compile(r"<\|(?:start|channel)\|>\w+|<[|｜][\w▁]+[|｜]>|</?s>")

_ANSWER = re.compile(
    r"<(?P<tag>(?:final_?)?answer|final|formula|output|result|regexp?|expression|translation)>(?P<text>.*?)(?:</(?P=tag)>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
#: The last words of the keys of JSON under which an answer stands.
_KEYS = frozenset(
    {"answer", "expression", "fol", "formula", "logic", "ltl", "output", "regex", "regexp", "result", "translation"}
)
#: An object of JSON that holds no other one.
_OBJECT = re.compile(r"\{(?=\s*\")(?:\s|\"(?:[^\"\\]|\\.)*+\"|[\w.+-]|[\[\]:,])*+\}", re.DOTALL)
#: A backslash that JSON does not know, or that begins a command of LaTeX and not the escape that it looks like.
_BACKSLASH = re.compile(
    r"\\\\|\\u[0-9a-fA-F]{4}"
    r"|(?P<latex>\\)(?=(?:neg|neq|to|top|text[a-z]*|bot|big[a-z]*|boxed|forall|right[a-z]*|rbrace)(?![a-z])|[^\"\\/bfnrt])"
)

_ENTITY = re.compile(r"&(?:#\d{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]+\d*);")
#: Tags of HTML by the Markdown that says the same; indices and exponents are written as they are.
_TAGS = (
    (re.compile(r"</?su[bp]>", re.IGNORECASE), ""),
    (re.compile(r"</?(?:b|strong)>", re.IGNORECASE), "**"),
    (re.compile(r"</?(?:code|tt|kbd|samp)>", re.IGNORECASE), "`"),
    (re.compile(r"</?(?:i|em|u|span)>", re.IGNORECASE), ""),
    (re.compile(r"</?(?:p|div|pre|br)\s*/?>", re.IGNORECASE), "\n"),
)

_ENVIRONMENT = re.compile(
    r"(?P<before>(?:\$\$|\\\[|\\begin\{\w+\*?\})\s*)?"
    r"\\begin\{(?P<name>align(?:ed|at)?|gather(?:ed)?|equation|split|multline|displaymath)(?P<star>\*?)\}"
    r"(?P<text>(?:(?!\\begin\{).)*?)\\end\{(?P=name)(?P=star)\}",
    re.DOTALL,
)
#: A line that goes on with "is the same as": a derivation, which is no formula.
_DERIVED = re.compile(r"\\\\\s*&?\s*(?:\\(?:equiv|iff|Leftrightarrow|leftrightarrow|Rightarrow)\b|[=≡⇔↔⟺⇒])")


def unpacked(answer: str) -> str:
    """What an answer says, as text and Markdown; an answer that has none of these wrappings stays as it is."""
    if len(answer) > _LONGEST:
        return answer
    text = without_thoughts(answer)
    if answers := [found["text"] for found in _ANSWER.finditer(text) if found["text"].strip()]:
        text = answers[-1]
    text = _OBJECT.sub(_from_json, text)
    text = _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)
    for tag, markdown in _TAGS:
        text = tag.sub(markdown, text)
    return _ENVIRONMENT.sub(_displayed, _ENVIRONMENT.sub(_displayed, text))


def without_thoughts(answer: str) -> str:
    """An answer without what a reasoning model thought aloud between tags, of which one may be missing.

    An answer without thoughts stays as it is, to the letter.
    Where only the closing tag is there, the prompt had the opening one; where only the opening one is there, the model
    never came to an answer.
    """
    kept: list[str] = []
    at: int | None = 0
    for tag in _THOUGHT.finditer(answer):
        if not tag["opening"]:
            kept = [] if at is not None else kept
            at = tag.end()
        elif at is not None:
            kept.append(answer[at : tag.start()])
            at = None
    if at is not None:
        kept.append(answer[at:])
    text = _CONTROL.sub("", "".join(kept))
    return text if text == answer else text.strip()


def _from_json(found: re.Match[str]) -> str:
    """The answer in an object of JSON, on a line of its own."""
    repaired = _BACKSLASH.sub(lambda escape: "\\\\" if escape["latex"] else escape[0], found[0])
    try:
        content = json.loads(repaired, strict=False)
    except ValueError:
        return found[0]
    values = [
        value
        for key, value in content.items()
        if isinstance(value, str) and re.split(r"[\W_]+", key.lower())[-1] in _KEYS
    ]
    return f"\n{values[-1]}\n" if values else found[0]


def _displayed(found: re.Match[str]) -> str:
    r"""An environment of mathematics as ``\[…\]``; its marks of alignment are no conjunctions."""
    if _DERIVED.search(found["text"]):
        return found[0]
    text = re.sub(r"(?<!\\)&", " ", found["text"])
    return f"{found['before']}{text}" if found["before"] else f"\\[{text}\\]"
