"""Likely typos in the phrases of a glossary: words that no sentence has, and that are nearly a word of a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pytest_autoeval.lazy_pattern import lazy_pattern

#: A word of a phrase: letters and digits, also with a hyphen or an apostrophe inside.
_WORD = lazy_pattern(r"\w+(?:[-'’]\w+)*")
#: In shorter words, one letter more often makes another word ("red", "read") than a typo.
_SHORTEST = 4


def likely_typos(
    glossary: Mapping[str, str], sentences: Iterable[str], where: str
) -> Iterator[str]:
    """A line for each word of a phrase that is probably misspelled, with the word of a sentence that may be meant.

    A model reads the phrases as they are, so that no answer shows the typo. A phrase need not occur in a sentence:
    the author may say the same in other words. So only a word that is one slip away from a word of the sentences is
    reported, and no other form of a word, such as "opens" for "open".
    """
    words_of_sentences = {word for sentence in sentences for word in _words(sentence)}
    words_of_names = {name: set(_words(phrase)) for name, phrase in glossary.items()}
    # A word that several phrases have is hardly a slip.
    uses = Counter(word for words in words_of_names.values() for word in words)
    for name, words in words_of_names.items():
        parameters = set(_words(name.partition("(")[2]))
        for word in sorted(words - words_of_sentences - parameters):
            meant = sorted(other for other in words_of_sentences if _is_slip(word, other))
            if uses[word] == 1 and meant:
                suggestion = " or ".join(map(repr, meant))
                phrase = f"{word!r}, in the phrase of {name}"
                yield f"{where}: no sentence has the word {phrase}. Did you mean {suggestion}?"


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _is_slip(word: str, other: str) -> bool:
    """Whether a word is another one with one letter too many, too few, changed, or swapped with the next."""
    if max(len(word), len(other)) < _SHORTEST:
        return False
    if word[-1].isdecimal() or other[-1].isdecimal():
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    # From the first letter in which the words differ.
    ending, other_ending = word[start:], other[start:]
    # Words that differ only in their ends are forms of one word: "opens" and "open", "moves" and "moved".
    if len(ending) <= 1 and len(other_ending) <= 1:
        return False
    is_longer = ending[1:] == other_ending
    is_shorter = ending == other_ending[1:]
    is_changed = ending[1:] == other_ending[1:]
    swapped = other_ending[1::-1] + other_ending[2:]
    is_swapped = ending == swapped
    return is_longer or is_shorter or is_changed or is_swapped
