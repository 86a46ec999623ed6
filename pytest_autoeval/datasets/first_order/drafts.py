"""A text that is being mended: what has been changed in it so far, and where each of its characters came from."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_autoeval.languages import FormulaSyntaxError


@dataclass(frozen=True, slots=True)
class Draft:
    """A text, the offset of each of its characters (and of its end) in what was given, and the repairs in words."""

    given: str
    text: str
    origins: tuple[int, ...]
    repairs: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str) -> Draft:
        """The draft in which nothing has been changed."""
        return cls(text, text, tuple(range(len(text) + 1)))

    def replaced(self, start: int, end: int, new: str, repair: str = "") -> Draft:
        """The draft with other characters from one offset of its text to before another."""
        origins = (*self.origins[:start], *(self.origins[start] for _ in new), *self.origins[end:])
        repairs = self.repairs if not repair or repair in self.repairs else (*self.repairs, repair)
        return Draft(self.given, self.text[:start] + new + self.text[end:], origins, repairs)

    def with_repair(self, repair: str) -> Draft:
        """The draft with one more repair, its text as it is."""
        return self.replaced(0, 0, "", repair)

    def written(self, start: int, end: int) -> str:
        """What was given where the text now has these characters."""
        return self.given[self.origins[start] : self.origins[end]]

    def error(self, problem: str, offset: int, expected: tuple[str, ...] = ()) -> FormulaSyntaxError:
        """What is wrong at an offset of the text, reported for the text that was given."""
        return FormulaSyntaxError(problem, self.given, self.origins[min(offset, len(self.text))], expected)

    def blamed(self, error: FormulaSyntaxError) -> FormulaSyntaxError:
        """An error of reading the text as one of what was given."""
        lines = self.text.split("\n")[: error.line - 1]
        return self.error(error.problem, sum(len(line) + 1 for line in lines) + error.column - 1, error.expected)
