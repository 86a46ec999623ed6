"""Plain English verbs by how many people they are about: ``laughs(Anna)``, ``helps(Anna, Ben)``."""

from __future__ import annotations

_INTRANSITIVE = """
    arrives bakes camps climbs coughs cries dances dives dreams exercises farms fishes frowns gardens giggles grumbles
    hesitates hikes hums hurries jogs juggles jumps kneels laughs limps listens meditates mumbles naps nods
    paddles paints panics practises prays rests retires rides rows runs sails shivers sings skates sketches skis sleeps
    smiles sneezes snores speaks stumbles studies surfs swims travels trembles waits wakes walks wanders waves weeps
    whispers whistles works worries yawns
"""
_TRANSITIVE = """
    accompanies accuses admires advises amuses annoys answers applauds assists avoids believes blames calls challenges
    chases comforts congratulates consults copies cures defends distrusts doubts employs encourages envies follows
    forgives greets guides helps hires hugs ignores impresses inspires interrupts interviews invites joins knows leads
    likes loves meets mentors misses mocks notices obeys outruns pays persuades phones pities praises protects questions
    recognizes remembers rescues respects rewards scolds sees serves shelters supports surprises teaches teases
    thanks tickles trains trusts tutors understands visits warns watches welcomes
"""
_DITRANSITIVE = """
    entrusts introduces lends mentions prefers presents recommends reports sends shows
"""

VERBS: dict[int, tuple[str, ...]] = {
    arity: tuple(verbs.split()) for arity, verbs in enumerate((_INTRANSITIVE, _TRANSITIVE, _DITRANSITIVE), start=1)
}
