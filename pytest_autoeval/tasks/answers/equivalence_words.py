"""In which words models say that two formulas mean the same, or do not.

What is said in many ways ("they accept the same language") is put into one word before the answer is read. What is said
of the form of formulas alone, or of the truth of one of them in one case, is put into words that are no answer.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_autoeval.tasks.answers.yes_no import AnswerWords

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
_LOOK_APART: Final = (
    r"(?:looks?|appears?|seems?) (?:to be )?(?:very |rather |so )?(?:different|distinct|unlike|dissimilar)"
)
_BUT: Final = r"(?:but|yet|though|although)"
_DIFFER: Final = r"(?<!not )(?<!not be )(?:differs?|different|a difference)"
_ITS_MEANING: Final = rf"(?:their |the )?{_MEANING}"
_RATHER_THAN: Final = r"(?:(?:(?:but |and )?not|rather than) (?:in )?)"
_MERELY_IN_FORM: Final = rf"(?:only |merely )?in (?:their |the )?{_FORM}(?: only| alone)?"
_STRESS: Final = (
    r"(?:logically|semantically|propositionally|functionally|truth-functionally|fully|completely|entirely|totally"
    r"|strictly|truly|really|provably|actually|exactly|precisely|universally|mutually|always|necessarily|quite|still"
    r"|also|in fact|indeed)"
)
_LAW: Final = (
    r"(?:laws?|rules?|theorems?|identit(?:y|ies)|equivalences?|duality|definitions?|commutativity|associativity"
    r"|distributivity|idempotence|absorption|contraposition|symmetry|simplification|renaming|negations?|morgan(?:'s)?)"
)
#: What is compared, as a text.
_TEXT: Final = r"(?:formulas?|(?:regular )?expressions?|regex(?:es)?)"
_EVERY_CASE: Final = (
    r"(?:all|every|each|any) (?:(?:possible|truth|infinite|given|non-?empty|input|variable) )*"
    r"(?:assignments?|valuations?|interpretations?|models?|structures?|domains?|traces?|strings?|words?|inputs?|cases?)"
    r"(?: (?:of|to|for) (?:(?:truth )?values? )?(?:to )?(?:the |their |all )?(?:propositions?|variables?|atoms?))?"
)
#: Behind every case: not quite every one.
_BUT_ONE: Final = (
    r",? (?:but (?:one|two|for|the (?:first|second|third|last|case|empty))|except|save|bar|(?:apart|aside) from"
    r"|other than)"
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
    r"|as long as|almost|mostly|nearly|partly|partially|in most cases|in (?:just |only )?one direction|in part"
    r"|(?:apart|aside) from|save|barring|other than|minus|plus|without the|stronger|weaker"
    r"|mutatis mutandis|with (?:the|an?|one|two|some|few) (?:\w+ )?exceptions?)"
)
#: What may be limited so; a difference at some place is one.
_AFFIRMED: Final = r"(?<!not )(?<!not be )(?<!not the )\b(yes|equivalent|same|identical|equal|not (?:different|differ))"
#: Words that take a part of what was said back.
_RESERVED: Final = r"\b(?:if|unless|when|where|except|only|but|provided|assuming)\b"
_UNRESERVED: Final = rf"(?:(?!{_RESERVED})[^,;.\n]){{0,100}}"
_TO_THE_END: Final = r"[^;\n]*?(?=[.;](?:\s|$)|,? (?:but|yet|however|so|although|though) |$)"

_OF_THEM: Final = r"(?:formula |one |of them |of the (?:two|formulas) )?"
#: What is no difference once it is denied.
_DENIED: Final = r"(?:differ|are (?:different|distinct|inequivalent))\b(?! (?:in|at|on|for|only)\b)"

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
        (r"\bsame((?: \w+){0,2}) as\b", r"same\1 to"),  # what else the comparison says must not pass for a reason
        (r"\bnot (?:always|necessarily|universally) (?=(?:be )?(?:differ|different|distinct)\b)", "not partly "),
        (rf"\b{_STRESS} ", ""),
        # of form, but not of meaning
        (rf"\b{_LOOK_APART},? {_BUT} (?:they )?(?:are|do) not\b(?! \w)", "equivalent"),
        (rf"\b{_DIFFER},? {_MERELY_IN_FORM},? {_RATHER_THAN}{_ITS_MEANING}\b", "equivalent"),
        (rf"\b{_DIFFER},? not in {_ITS_MEANING},? but {_MERELY_IN_FORM}\b", "equivalent"),
        (rf"\bnot in {_ITS_MEANING}\b", "elsewhere"),
        # of form alone
        (rf"\b(?:not )?{_IN_FORM} (?:not )?{_UNLIKE}\b", "given"),
        (rf"\b(?:looks?|appears?|seems?|(?:are|is) written) (?:very |rather |so )?{_UNLIKE}\b", "given"),
        (rf"\b(?:not )?(?:differ|{_UNLIKE}),? (?:but )?(?:only |merely )?in (?:their |the )?{_FORM}\b", "given"),
        (rf"\b(?:differ|different),? (?:but )?(?:only |merely )?{_IN_FORM}\b", "given"),
        (r"\bnot identical\b(?! in meaning)|\bsimilar\b", "given"),
        (r"\b(?:two|these|those) (?:different|distinct)\b", "given"),
        (rf",? (?:under|in|for|on|over|across|at|by) {_EVERY_CASE}{_BUT_ONE}\b", " if"),
        (rf"\bagrees? (?:on|in|under|for|over) {_EVERY_CASE}\b", "be equivalent"),
        # one word for each answer
        (rf"\bneither {_OF_THEM}(?:implies|entails) the other\b", "inequivalent"),
        (rf"\b(?:each {_OF_THEM}(?:implies|entails) the other|(?:imply|entail) each other)\b", "equivalent"),
        (rf"\bit is (?:false|not true|not the case) that (?:they|the(?: two)? formulas?) {_DENIED}", "equivalent"),
        (rf"\b(?:{_HAVE} {_SAME} {_MEANING}|{_SAY} {_SAME}(?: {_CONTENT})?)\b", "be equivalent"),
        (rf"\b(?:the )?same {_MEANING}\b|\b(?:equal|identical) in meaning\b", "equivalent"),
        (rf"\b(?:{_HAVE} (?:a )?(?:different|distinct) {_MEANING}|{_SAY} different {_CONTENT})\b", "differ"),
        (r"\b(?:differ|different|disagree) in (?:meaning|semantics|truth[- ]values?)\b", "differ"),
        (r"\bno (?:semantic |logical |real )?differences?\b(?: in meaning)?", "not different"),
        (rf"\b(?:not )?(?<!to )(?<!to the )(?:the )?(?:same|different|distinct) {_TEXT}\b", "given"),
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
        (rf"{_AFFIRMED},? \(?(?:(?:but|though|although|only) )*{_LIMIT}\b", r"\1 if"),
        # what is asked of the form, or denied of it
        (r"\bnot (?:be )?given\b", "given"),
        (r"\bgiven\s*[:=?]+", "form:"),
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
        "explanation", "their",
    ),
    rephrased=in_few_words,
)  # fmt: skip
