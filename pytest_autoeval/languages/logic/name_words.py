"""The names of symbols as English words: where one word ends and the next begins, and what kind of word it is.

A name is taken apart at underscores and hyphens, before capital letters, and between letters and digits: ``InEU`` is
"in EU", ``MLAlgorithm`` "ML algorithm", ``is_tall`` "is tall", ``Cost205`` "cost 205"; ``F1`` stays one word. Words are
written small but for abbreviations and names of countries, nationalities, months and days.
"""

from __future__ import annotations

import re
from itertools import pairwise

_PROPER = """
africa african america american antarctica april asia asian august australia australian austria austrian belgian
belgium brazil brazilian britain british canada canadian china chinese christian christmas december dutch egypt
egyptian england english europe european february france french friday german germany greece greek india indian
indonesia iran iraq ireland irish islam israel italian italy january japan japanese jewish july june korea korean
latin mars mexican mexico monday muslim norway norwegian november october paris poland polish portugal portuguese
roman russia russian saturday scotland scottish september spain spanish sunday sweden swedish swiss switzerland
thursday tuesday turkish ukraine wales wednesday welsh
"""
_ADJECTIVES = """
able absent alive alone analog asleep awake awful bad bald beautiful best big bitter black blind blue bold bossy brave
bright broad brown busy calm cheap circular clean clear clever cold common cool correct crazy cubic cute damp dark
dead deaf dear deep different digital dirty distant dizzy dominant dreamy dry dull eager early east eastern easy
elegant eligible empty equal even evergreen evil exact extinct fair false famous fancy far fast fat favorite female
few final fine firm first fit flat fluffy free fresh friendly full funny golden good grand gray great green grey
grumpy guilty hairy half handsome happy hard hasty healthy heavy high honest hot huge hungry icy ill important
inactive innocent intelligent juicy just kind large last late lazy legal light little local lonely long loud lovely
low loyal lucky mad male married mature mean medium messy metallic mild mortal muddy narrow nasty naughty near neat
new nice noble noisy north northern odd official old open orange patient perfect picky pink plain pleased polite poor
popular pregnant present pretty prime private proud public pure purple quick quiet rainy rare raw real rectangular red
regular relevant rich right ripe rocky rotten rough round rude rusty sad safe salty sandy secret senior severe shallow
sharp shiny short shy sick silent silly similar simple single skittish sleepy slim slow small smart smooth sneaky soft
solid sour south southern spherical spicy square steep sticky still stormy strange strict strong sudden sunny sure
sweet tall tame tasty thick thin thirsty tidy timid tiny tired tough transparent triangular true ugly unique urgent
usual vague vain valid violent vivid warm weak wealthy west western wet white whole wicked wide wild windy wise wooden
worthy wrong yellow young
"""
_NOUNS_LIKE_ADJECTIVES = """
animal arrival bed beginning being bird building bus campus ceiling circus clinic clothing comic criminal critic
darling deed detective dish duckling earring evening executive fabric feeling festival finish fish genius hospital
house individual journal king logic magic mammal mechanic medal meeting metal morning motive music musical native
official offspring painting parish picnic professional public pudding relative representative republic ring rival seed
sibling signal speed spring sterling stocking string table thing topic traffic vegetable virus wedding weed wing wish
"""
_VERBS = """
accept achieve admire adopt advise afford agree allow appear apply argue arrive ask attack attend avoid bake bark be
become begin believe belong binge block borrow bother break breathe bring build buy call care carry catch cause
chaperone chase choose claim climb close come compete complain complete compose conduct connect consider consist
contain continue contribute control cook cost cover create cross cry cultivate dance deal decide defeat defend deliver
depend deposit describe deserve desire destroy die disagree dislike divide do download drink drive drop earn eat
employ enjoy enter exist expect explain fail fall fear feed feel fight find finish flee fly follow forget forgive gain
get give go graduate grow guide happen hate hear help hide hire hold host hunt identify imply include increase inherit
invest invite involve join jump keep kick kill know lack laugh lead learn leave lend lie like listen live loan locate
look lose love make manage marry meet migrate move need notice obey observe occur offer operate order organize own
participate pass pay perform plan play portray possess practice praise prefer premiere prepare prevent produce promise
protect prove provide publish pursue push rank read receive recognize recommend relate release rely remember rent
replace report represent require respect respond return ride run save say see seek seem select sell send serve share
sing sit sleep smoke speak specialize spend spill stand star stay steal study succeed suck suffer support survive swim
take talk teach tell tend think throw train translate transport travel trust try understand use vacuum visit vote wait
walk want watch wear weigh win wish work worship write yell
"""
_VERBS_LIKE_NOUNS = """
block bus cost deal deposit guide host loan mine offer order plan play rank report share star transport vacuum wish
"""
_PARTICIPLES = """
beaten become begun bitten born bought broken brought built caught chosen done drawn driven eaten fallen fed felt
forgotten found frozen given gone grown heard held hidden hung kept known laid led left lent lost made meant met paid
proven put seen sent set shown shut sold spent spoken stolen struck stuck sung sworn taken taught thrown told torn
understood woken won worn woven written
"""
_PREPOSITIONS = """
about above across after against along among around as at before behind below beneath beside besides between beyond by
during for from in inside into near next of off on onto opposite out outside over per since than through throughout to
toward towards under underneath until up upon via with within without
"""
_MODALS = "can could may might must shall should will would"
_COMPARATIVES = "better elder farther further less more worse"

PROPER = frozenset(_PROPER.split())
ADJECTIVES = frozenset(_ADJECTIVES.split())
VERBS = frozenset(_VERBS.split())
#: Verbs that, as a whole name, are as likely a noun: "x is a play".
VERBS_LIKE_NOUNS = frozenset(_VERBS_LIKE_NOUNS.split())
PREPOSITIONS = frozenset(_PREPOSITIONS.split())
MODALS = frozenset(_MODALS.split())
_IRREGULAR_PARTICIPLES = frozenset(_PARTICIPLES.split())
_IRREGULAR_COMPARATIVES = frozenset(_COMPARATIVES.split())
_NOUNS = frozenset(_NOUNS_LIKE_ADJECTIVES.split())
_ADJECTIVE_ENDINGS = ("able", "ible", "ful", "less", "ous", "ive", "ical", "tic", "onal", "ish", "ese")
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def words_of_name(name: str) -> list[str]:
    """The words of a symbol's name."""
    words: list[str] = []
    for part in re.split(r"[_\-]+", name):
        seams = [at for at in range(1, len(part)) if _is_seam(part, at)]
        words += [part[start:end] for start, end in pairwise([0, *seams, len(part)])]
    return [_cased(word) for word in words if word] or [name]


def _is_seam(name: str, at: int) -> bool:
    """Whether a word of a name begins at a place."""
    before, here, after = name[at - 1], name[at], name[at + 1 : at + 2]
    if here.isdigit() != before.isdigit():
        letters = name[:at][-2:] if here.isdigit() else name[at:][:2]
        return len(letters) == 2 and letters.isalpha()
    return here.isupper() and (before.islower() or (before.isupper() and after.islower()))


def _cased(word: str) -> str:
    if word.lower() in PROPER:
        return word.capitalize()
    capitals = sum(letter.isupper() for letter in word)
    is_abbreviation = capitals > 1 or (capitals == 1 and (len(word) == 1 or any(letter.isdigit() for letter in word)))
    return word if is_abbreviation else word.lower()


def is_adjective(word: str) -> bool:
    """Whether a word says what something is like, participles among them: "tall", "engaged", "coughing"."""
    if word in _NOUNS or word.isupper():
        return False
    low = word.lower()
    demonym = low in PROPER and low.endswith(("an", "ish", "ese", "ch", "eek", "swiss", "dutch"))
    has_ending = len(low) > 5 and low.endswith(_ADJECTIVE_ENDINGS)
    return low in ADJECTIVES or demonym or is_participle(low) or is_comparative(low) or has_ending


def is_participle(word: str) -> bool:
    """Whether a word is a participle: "located", "written", "playing"."""
    is_present = len(word) > 4 and word.endswith("ing") and word not in _NOUNS
    return word in _IRREGULAR_PARTICIPLES or is_past(word) or is_present


def is_past(word: str) -> bool:
    """Whether a word is a regular past tense: "created"."""
    return len(word) > 4 and word.endswith("ed") and not word.endswith("eed") and word not in _NOUNS


def is_comparative(word: str) -> bool:
    """Whether a word compares: "larger", "happier", "more"; no "member" or "writer"."""
    return word in _IRREGULAR_COMPARATIVES or _is_raised(word, "er")


def is_superlative(word: str) -> bool:
    """Whether a word tells what is so before all else: "largest", "most"; no "guest" or "contest"."""
    return word in ("best", "least", "most", "worst") or _is_raised(word, "est")


def _is_raised(word: str, ending: str) -> bool:
    """Whether a word is an adjective with an ending."""
    stem = word.removesuffix(ending)
    stems = {stem, stem + "e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem, stem.removesuffix("i") + "y"}
    return stem != word and not stems.isdisjoint(ADJECTIVES)


def is_plural(word: str) -> bool:
    """Whether a noun seems to stand for several: "students", "children"."""
    return word in ("children", "people", "men", "women", "teeth", "feet", "hooves") or (
        len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) and not word.isupper()
    )


def base_of(verb: str) -> str | None:
    """The base form of a verb in the third person ("likes", "studies"); None for what is none that is known."""
    for base in (verb.removesuffix("s"), verb.removesuffix("es"), verb.removesuffix("ies") + "y"):
        if base != verb and base in VERBS:
            return base
    return None


def third_person(verb: str) -> str:
    """The third person of a verb: "likes", "studies", "watches"."""
    if verb == "be":
        return "is"
    if verb.endswith("y") and verb[-2:-1] not in tuple("aeiou"):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith((*_SIBILANTS, "o")) else "s")


def article(word: str) -> str:
    """The indefinite article by the sound of the word behind it: "an EU", "a university", "an F1"."""
    if word[:1].isdigit():
        return "an" if word[0] == "8" or word in ("11", "18") else "a"
    if word.isupper() or (len(word) > 1 and word[0].isupper() and any(letter.isdigit() for letter in word)):
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    low = word.lower()
    if low.startswith(("uni", "use", "usu", "eu", "one", "ubiq", "u-")) and not low.startswith(("unin", "unim")):
        return "a"
    if low.startswith(("hour", "honest", "honor", "honour", "heir")):
        return "an"
    return "an" if low[:1] in tuple("aeiou") else "a"
