"""In which words models say that two formulas mean the same, or do not.

What is said in many ways ("they accept the same language") is put into one word before the answer is read. What is said
of the form of formulas alone, or of the truth of one of them in one case, is put into words that are no answer.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_autoeval.tasks.yes_no import AnswerWords

#: What formulas have in common that mean the same, and what they are said to speak of.
_MEANING: Final = (
    r"(?:meanings?|semantics|truth[- ](?:values?|tables?|conditions?|functions?)|(?:formal )?languages?|models?"
    r"|sets? of (?:strings?|words?|traces?|models?|assignments?))"
)
_CONTENT: Final = (
    rf"(?:{_MEANING}|strings?|words?|traces?|structures?|assignments?|interpretations?|(?:boolean )?functions?"
    r"|propert(?:y|ies)|things?|conditions?|statements?)"
)
_HAVE: Final = r"(?:ha(?:ve|s|ving)|share)"
_SAY: Final = (
    r"(?:match(?:es)?|accepts?|describes?|generates?|defines?|recogni[sz]es?|denotes?|represents?|specif(?:y|ies)"
    r"|express(?:es)?|means?|says?|states?|asserts?|conveys?|computes?|captures?"
    r"|(?:true|satisfied|valid)(?: (?:in|on|under|by|for))?|holds? (?:in|on|under|for))"
)
_SAME: Final = r"(?:the (?:very )?same|identical|equal)"
_UNLIKE: Final = r"(?:different(?:ly)?|distinct|similar|dissimilar|identical|equal|unequal|equivalent|alike|the same)"
_IN_FORM: Final = (
    r"(?:syntactically|structurally|textually|superficially|literally|visually|symbolically|notationally|lexically)"
)
_FORM: Final = r"(?:form|syntax|structure|appearance|notation|shape|wording|length)"
_STRESS: Final = (
    r"(?:logically|semantically|propositionally|functionally|truth-functionally|fully|completely|entirely|totally"
    r"|strictly|truly|really|provably|actually|exactly|precisely|universally|mutually|always|necessarily|quite|still"
    r"|also|in fact|indeed)"
)
_LAW: Final = (
    r"(?:laws?|rules?|theorems?|identit(?:y|ies)|equivalences?|duality|definitions?|commutativity|associativity"
    r"|distributivity|idempotence|absorption|contraposition|symmetry|simplification|renaming|negations?|morgan(?:'s)?)"
)
_EVERY_CASE: Final = (
    r"(?:all|every|each|any) (?:(?:possible|truth|infinite|given|non-?empty|input|variable) )*"
    r"(?:assignments?|valuations?|interpretations?|models?|structures?|domains?|traces?|strings?|words?|inputs?|cases?)"
    r"(?: (?:of|to|for) (?:(?:truth )?values? )?(?:to )?(?:the |their |all )?(?:propositions?|variables?|atoms?))?"
)
#: What leads up to a conclusion.
_THEREFORE: Final = (
    r"(?:it (?:is clear|follows)|we (?:can )?(?:see|conclude|find)|(?:this|which) (?:shows|means|proves|implies)"
    r"|i (?:am (?:confident|sure|certain)|conclude)|to (?:sum up|conclude|summari[sz]e)"
    r"|in (?:short|summary|sum|the end)|all in all|as a result|consequently),?(?: that)?"
)
_CASE: Final = (
    r"(?:assignments?|valuations?|interpretations?|models?|structures?|domains?|traces?|strings?|words?|inputs?|cases?)"
)
#: Where formulas are said to differ. A place in their text is none, nor is "at the level of syntax".
_SPOT: Final = (
    r"(?:p\d+|x\d+|both|either|neither|only|exactly|all|the (?:first|second|string|trace|domain|input|word))\b"
)
_PLACE: Final = (
    rf"(?:(?:for example|for instance|e\.g\.),? )?(?:(?:when(?:ever)?|where) {_SPOT}|(?:under|on|for|at|in)"
    rf" (?:(?:the|this|that|an?|some|at least|one|following|input|truth) )*(?:{_CASE}|position \d+|p\d+|x\d+)\b)"
)
#: Words that limit what they follow to some cases.
_LIMIT: Final = (
    r"(?:if|when(?:ever)?|where|unless|given|assuming|provided|except|under|for|in (?:the )?case|at least|on condition"
    r"|as long as|almost|mostly|nearly|partly|partially|in most cases)"
)
#: Words that take a part of what was said back.
_RESERVED: Final = r"\b(?:if|unless|when|where|except|only|but|provided|assuming)\b"
_UNRESERVED: Final = rf"(?:(?!{_RESERVED})[^,;.\n]){{0,100}}"
_TO_THE_END: Final = r"[^;\n]*?(?=[.;](?:\s|$)|,? (?:but|yet|however|so|although|though) |$)"

_REPHRASED: Final = tuple(
    (re.compile(pattern, re.MULTILINE), by)
    for pattern, by in (
        (r"<\s*(yes|no)\s*>", r"\1"),
        (r"\bformulas? #?(?:1|2|a|b|i|ii|one|two)(?: (?:and|&) #?(?:2|b|ii|two))?\b", "formula"),
        (r"\bnonequivalent\b", "inequivalent"),
        (r", (?:in fact|indeed|of course|however|therefore|thus|hence),", ""),
        (rf"\b{_THEREFORE}\b", "therefore"),
        (r"\bnot (?:generally|in general)\b", "not"),
        (r"\bnever (?=differ)", "not "),
        (rf"\b{_STRESS} ", ""),
        # of form alone
        (rf"\b(?:not )?{_IN_FORM} (?:not )?{_UNLIKE}\b", "given"),
        (rf"\b(?:looks?|appears?|seems?|(?:are|is) written) (?:very |rather |so )?{_UNLIKE}\b", "given"),
        (rf"\b(?:not )?(?:differ|{_UNLIKE}),? (?:but )?(?:only |merely )?in (?:their |the )?{_FORM}\b", "given"),
        (rf"\b(?:differ|different),? (?:but )?(?:only |merely )?{_IN_FORM}\b", "given"),
        (r"\bnot identical\b(?! in meaning)|\bsimilar\b", "given"),
        (r"\b(?:two|these|those) (?:different|distinct)\b", "given"),
        # one word for each answer
        (rf"\b(?:{_HAVE} {_SAME} {_MEANING}|{_SAY} {_SAME}(?: {_CONTENT})?)\b", "be equivalent"),
        (rf"\b(?:the )?same {_MEANING}\b|\b(?:equal|identical) in meaning\b", "equivalent"),
        (rf"\b(?:{_HAVE} (?:a )?(?:different|distinct) {_MEANING}|{_SAY} different {_CONTENT})\b", "differ"),
        (r"\b(?:differ|different|disagree) in (?:meaning|semantics|truth[- ]values?)\b", "differ"),
        (r"\bno (?:semantic |logical |real )?difference\b(?: in meaning)?", "not different"),
        (r"\bequivalence (?:does not hold|fails|is (?:false|refuted|violated|broken))\b", "inequivalent"),
        (r"\bequivalence (?:holds|is (?:true|valid|proved|proven|established|confirmed))\b", "equivalent"),
        (r"\bequivalents\b", "equivalent"),
        # by which law, and wherever it may be: the answer stays the same
        (rf"(?<=equivalent),? (?:by|via|using|through|from|thanks to|per)\b{_UNRESERVED}\b{_LAW}\b", ""),
        (rf",? (?:under|in|for|on|over|across|at|by) {_EVERY_CASE}\b", ""),
        # a difference may be shown at a place; that formulas agree at one is no answer
        (rf"(?<!not )\b(differs?|disagrees?|different|inequivalent),? {_PLACE}{_TO_THE_END}", r"\1"),
        (r"\b(?:differ|different),? (?:for example|for instance|e\.g\.)", "given"),
        (rf"\b(not (?:be )?equivalent),? (?:in|at|on|for|under|where|when(?:ever)?|e\.g\.){_TO_THE_END}", r"\1"),
        (rf"(?<!not )(?<!not be )\b(yes|equivalent),? \(?(?:(?:but|though|although|only) )*{_LIMIT}\b", r"\1 if"),
        (r";(?=\s)", "."),
    )
)  # fmt: skip
#: True and false answer the question as the first word or behind a label; else they tell of one formula in one case.
_TRUTH = re.compile(
    r"(?P<alone>(?:\A\s*|(?:answer|verdict|equivalen(?:t|ce)|inequivalent|same|different)\s*(?:[:=?]|\bis\b)\s*)"
    r"(?:true|false)(?=[ \t]*(?:[.,;!—–-]|$)))|\b(?:true|false)\b",
    re.MULTILINE,
)


def in_few_words(text: str) -> str:
    """An answer, as plain text in lower case, with all that is said of equivalence said in the words of `WORDS`."""
    for pattern, by in _REPHRASED:
        text = pattern.sub(by, text)
    return _TRUTH.sub(lambda found: found["alone"] or "valued", text)


#: How it is answered whether two formulas mean the same.
WORDS = AnswerWords(
    affirming=("equivalent", "equivalence", "identical", "interchangeable", "synonymous", "equal", "(?:the )?same"),
    denying=("inequivalent", "unequal", "different(?:ly)?", "differ(?:s|ing)?", "disagrees?", "distinct"),
    topics=(
        "formula", "formulas", "formulae", "expression", "expressions", "regular", "regex", "regexes", "statement",
        "statements", "sentence", "sentences", "language", "languages", "pair", "they", "them", "two", "both", "these",
        "first", "second", "each other", "one another", "to", "with", "from", "between", "although", "though", "while",
        "even", "logic", "logical", "meaning", "meanings", "have", "here", "that", "reason", "reasons", "reasoning",
        "explanation",
    ),
    rephrased=in_few_words,
)  # fmt: skip
