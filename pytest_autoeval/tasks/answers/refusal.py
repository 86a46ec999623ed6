"""Telling a refusal from an answer."""

from __future__ import annotations

import re

from pytest_autoeval.languages.wrappings import without_thoughts
from pytest_autoeval.models.base import Reply

_OPENING = 200
#: What servers call it when they keep an answer back.
_FILTERED = frozenset({"content_filter", "safety", "refusal", "prohibited_content"})
_UNABLE = r"(?:can(?:no|['’])t|can not|unable|not able|won['’]t|will not|decline)"
_APOLOGY = (
    r"(?:(?:i['’]?m|i am|we['’]?re|we are)\s+(?:\w+\s+)?(?:sorry|afraid)"
    r"|sorry|apologies|unfortunately,?\s+(?:i|we)|i\s+apologi[sz]e|as an ai)"
)
#: What a model says that it cannot do. "We cannot have both p1 and p2" is a description.
_TASK = (
    r"(?:\s+(?:to|be|able|currently|really|just|directly|accurately|properly|reliably))*\s+(?:help|assist|comply|do|provide"
    r"|answer|fulfil|process|translat|transform|describ|express|explain|generat|complet|respond|creat|convert|formali[sz]"
    r"|pars|discuss|determin|interpret|understand|continu|writ|produc|access|proceed|engag|support|offer|supply|represent)"
)
_REFUSAL = re.compile(
    rf"^\W*{_APOLOGY}\b.{{0,120}}?\b{_UNABLE}\b"
    rf"|^\W*(?:i|we)(?:['’](?:m|re))?\s+(?:(?:am|are|must|have to)\s+)?(?:\w+ly\s+)?(?:decline\b|{_UNABLE}{_TASK})",
    re.IGNORECASE | re.DOTALL,
)


def is_withheld(reply: Reply) -> bool:
    """Whether the server says that the model, or a filter, refused."""
    return bool(reply.refusal) or reply.finish_reason.lower() in _FILTERED


def refused(reply: Reply) -> bool:
    """Whether the server says that the model refused, or its text opens as refusals do."""
    return is_withheld(reply) or _REFUSAL.search(without_thoughts(reply.text)[:_OPENING]) is not None
