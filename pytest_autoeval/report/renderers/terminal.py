"""A document as lines of a terminal: the verdict, the tables, the suites that did not pass, and the next steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from pytest_autoeval.judging.gate_verdicts import (
    INCONCLUSIVE,
    INCONCLUSIVE_RUN,
    STATES_WORST_FIRST,
)
from pytest_autoeval.report.blocks import (
    AnyBlock,
    Command,
    Counterexample,
    Document,
    Note,
    Section,
    Table,
    Verdict,
)
from pytest_autoeval.report.renderers.block_lines import blocks_lines, counterexample_lines
from pytest_autoeval.report.renderers.fields import command_text
from pytest_autoeval.report.renderers.screen import NARROWEST, SIGNS, Screen
from pytest_autoeval.report.renderers.short_names import with_short_names
from pytest_autoeval.text import Line, count

#: The lines of a whole document, or of what stands beside its longest table. With -v there is no limit.
_LINES, _BESIDE_A_TABLE = 45, 15
#: The lines of the section of a suite, and what the first one has in any case.
_SECTION, _SHORTEST = 14, 6
#: So many sections of suites share the room. Of a run of few suites they are shown however long the rest is.
_SHARING, _FEW = 3, 10
_BLANK = Line("")


def lines(  # noqa: PLR0913 - what a screen can show, and what it shows already
    document: Document,
    *,
    verbosity: int = 0,
    width: int = NARROWEST,
    unicode: bool = True,
    said: Collection[int] = (),
    more: str = "-v",
    exits: bool = True,
) -> list[Line]:
    """The lines of a document.

    ``verbosity`` is pytest's: below 0, 0, or above 0. ``width`` is in columns; less than 80 counts as 80. ``said`` are
    the numbers of the suites whose verdict and first counterexample stand on the screen already. ``more`` is what shows
    what is left out. ``exits``: the program ends with the exit code of the document; a script does not.

    Only commands, and names of suites on lines of their own, are longer than ``width``.
    """
    screen = Screen(verbosity, max(width, NARROWEST), unicode, more)
    commands_said = _commands(section for section in document.sections if _is_said(section, said))
    sections = [
        _without_said(section) if _is_said(section, said) else section
        for section in with_short_names(document.sections)
    ]
    sections = _without_blocks_of_run(sections)
    if document.exit_code == INCONCLUSIVE:
        sections = _with_headline(sections, INCONCLUSIVE_RUN if exits else "inconclusive")
    shown_lines = _all_lines(sections, screen)
    # A command that stands at its counterexample is no next step of its own.
    text = "\n".join(line.text for line in shown_lines)
    repeated = {
        command for command in _commands(sections) if text.count(command_text(command, screen)) > 1
    }
    without_repeated = [
        _without_commands(section, commands_said | repeated) for section in sections
    ]
    return shown_lines if without_repeated == sections else _all_lines(without_repeated, screen)


def _with_headline(sections: Sequence[Section], beginning: str) -> list[Section]:
    """The sections, the first of which is the verdict on the run. Its first sentence has this beginning."""
    if not sections:
        return []
    headline = next((block for block in sections[0].blocks if isinstance(block, Verdict)), None)
    blocks = tuple(
        replace(block, text=f"{beginning}: {block.text}") if block is headline else block
        for block in sections[0].blocks
    )
    return [replace(sections[0], blocks=blocks), *sections[1:]]


def _all_lines(sections: Sequence[Section], screen: Screen) -> list[Line]:
    if screen.verbosity > 0:
        return [line for section in sections for line in _section_lines(section, screen)]
    is_short_run = sum(section.suite is not None for section in sections) <= _FEW
    # Of few suites all is shown, however many lines that takes.
    economies = _ECONOMIES[:1] if is_short_run else _ECONOMIES
    for economy in economies:
        fitted = _Shown.of(sections, screen, economy)
        if len(fitted.lines) <= fitted.most:
            break
    return fitted.lines


def failure_lines(
    example: Counterexample,
    samples_by_outcome: dict[str, int],
    *,
    width: int,
    verbosity: int,
) -> list[Line]:
    """The lines of a counterexample, for a text that has a heading of its own.

    ``samples_by_outcome`` counts the failures of other kinds. The summary below lists them if ``verbosity`` is above 0.
    """
    screen = Screen(verbosity, max(width, NARROWEST), unicode=True)
    return list(
        counterexample_lines(example, screen, indent=4, samples_by_outcome=samples_by_outcome)
    )


class _Economy(NamedTuple):
    """What is left out of a document that is too long, beside sections of suites."""

    #: No blank lines, no remarks, no headings over commands.
    tight: bool = False
    #: Nothing but what ``-q`` shows, commands, and what needs attention.
    quiet: bool = False


_ECONOMIES = (_Economy(), _Economy(tight=True), _Economy(tight=True, quiet=True))


class _Shown(NamedTuple):
    """The lines of a document, and how many it should have at most."""

    lines: list[Line]
    most: int

    @classmethod
    def of(cls, sections: Sequence[Section], screen: Screen, economy: _Economy) -> _Shown:
        """The document with as many sections of suites as there is room for."""
        sections_of_run = [
            _economical(section, economy) for section in sections if section.suite is None
        ]
        # Sections contain dicts, so they cannot be keys themselves.
        around = {
            id(section): list(_section_lines(section, screen, tight=economy.tight))
            for section in sections_of_run
        }
        blocks = [block for section in sections_of_run for block in section.blocks]
        longest = 0
        for block in blocks:
            if isinstance(block, Table):
                visible = sum(screen.shows(row.level) and not row.total for row in block.rows)
                longest = max(longest, visible)
        # A table is never cut: with many suites, it decides how long the whole is.
        most = max(_LINES, longest + _BESIDE_A_TABLE)
        about_suites = [section for section in sections if section.suite is not None]
        # One line remains for the number of suites that are not shown.
        room = most - sum(map(len, around.values())) - 1
        suites, left_out = _suites_lines(about_suites, screen, room, tight=economy.tight)
        if screen.verbosity < 0:
            left_out = [section for section in left_out if screen.shows(section.level)]
        suites += _left_out_lines(left_out, screen, economy, follows_suites=bool(suites))
        # The sections of suites stand together, where the first one stands.
        first_suite = next(
            (position for position, section in enumerate(sections) if section.suite is not None),
            len(sections),
        )
        before = sum(section.suite is None for section in sections[:first_suite])
        line_groups = [*around.values()]
        line_groups.insert(before, suites)
        return cls([line for group in line_groups for line in group], most)


def _economical(section: Section, economy: _Economy) -> Section:
    if not economy.tight:
        return section
    blocks = [
        block
        for block in section.blocks
        if not (isinstance(block, Note) and block.tone == "remark")
    ]
    if economy.quiet:
        is_quiet = section.level == "quiet"
        blocks = [
            block for block in blocks if _is_needed(block) or (is_quiet and block.level == "quiet")
        ]
    only_commands = all(isinstance(block, Command) for block in blocks)
    return replace(section, blocks=tuple(blocks), title="" if only_commands else section.title)


def _is_needed(block: AnyBlock) -> bool:
    """Whether a screen without room shows the block all the same: a note that needs attention, or the rows of a table
    that stand out among others.
    """
    if isinstance(block, Table):
        return 0 < sum(row.level == "verbose" for row in block.rows) < len(block.rows)
    return isinstance(block, Command) or (
        isinstance(block, Note) and block.tone in {"warning", "error"}
    )


def _suites_lines(
    sections: Sequence[Section], screen: Screen, room: int, *, tight: bool
) -> tuple[list[Line], list[Section]]:
    """The lines of the first sections that have room, and the sections that are not shown."""
    visible = [section for section in sections if screen.shows(section.level) and section.blocks]
    left_out = [section for section in sections if not screen.shows(section.level)]
    if len(sections) <= _FEW:
        room = max(room, _SECTION * _SHARING)
    lines: list[Line] = []
    for number, section in enumerate(visible):
        free = room - len(lines)
        if number and free < _SHORTEST:
            return lines, [*visible[number:], *left_out]
        # The room is divided anew each time: what a suite does not need is left to the next ones.
        share = free // max(1, min(_SHARING - number, len(visible) - number))
        limit = max(_SHORTEST, min(_SECTION, share))
        lines += _section_lines(section, screen, tight=tight, limit=limit)
    return lines, left_out


def _left_out_lines(
    sections: Sequence[Section], screen: Screen, economy: _Economy, *, follows_suites: bool
) -> Iterator[Line]:
    """How many suites have a section that is not shown. ``follows_suites``: sections of other suites stand above."""
    if not sections and not economy.tight:
        return
    states = Counter(section.state for section in sections)
    counted = ", ".join(
        f"{state} {states[state]:,}" for state in STATES_WORST_FIRST if states[state]
    )
    text = f"{screen.more} shows more"
    if sections:
        # Without any gate, nothing is said of gates.
        shown_states = "" if states.keys() == {"no gate"} else f" ({counted})"
        if follows_suites:
            them = "it" if len(sections) == 1 else "them"
            others = count(len(sections), "other suite")
            text = f"and {others}{shown_states}; {screen.more} shows {them}"
        else:
            # Only a table stands above, whose rows may be suites of several models.
            models = {section.suite.model for section in sections if section.suite is not None}
            of_models = f" of {len(models)} models" if len(models) > 1 else ""
            suites = f"{count(len(sections), 'suite')}{of_models}"
            text = f"{screen.more} shows the details of {suites}{shown_states}"
        if economy.tight:
            text += " and all remarks"
    yield from screen.wrapped(screen.text(text), 2, "dim")


def _is_said(section: Section, suites_on_screen: Collection[int]) -> bool:
    return section.suite is not None and section.suite.number in suites_on_screen


def _without_blocks_of_run(sections: Sequence[Section]) -> list[Section]:
    """The sections; what the run says already, such as the calls of its only suite, does not stand in a suite again."""
    of_run = [
        replace(block, level="quiet")
        for section in sections
        if section.suite is None
        for block in section.blocks
    ]
    return [
        section
        if section.suite is None
        else replace(
            section,
            blocks=tuple(
                block for block in section.blocks if replace(block, level="quiet") not in of_run
            ),
        )
        for section in sections
    ]


def _commands(sections: Iterable[Section]) -> set[str]:
    """The commands of the counterexamples of some sections."""
    blocks = (block for section in sections for block in section.blocks)
    return {block.command for block in blocks if isinstance(block, Counterexample)} - {""}


def _without_commands(section: Section, commands: Collection[str]) -> Section:
    """A section without lines of these commands; counterexamples keep theirs."""
    blocks = tuple(
        block
        for block in section.blocks
        if not (isinstance(block, Command) and block.command in commands)
    )
    return section if len(blocks) == len(section.blocks) else replace(section, blocks=blocks)


def _without_said(section: Section) -> Section:
    """A section without its verdicts and its first counterexample."""
    counterexample = next(
        (block for block in section.blocks if isinstance(block, Counterexample)), None
    )
    blocks = [
        block
        for block in section.blocks
        if block is not counterexample and not isinstance(block, Verdict)
    ]
    return replace(section, blocks=tuple(blocks))


def _section_lines(
    section: Section, screen: Screen, tight: bool = False, limit: int | None = None
) -> Iterator[Line]:
    """The heading of a section and its blocks, in ``limit`` lines if it is about a suite."""
    blocks = [block for block in section.blocks if screen.shows(block.level)]
    if not screen.shows(section.level) or not blocks:
        return
    heading: list[Line] = [] if tight or screen.verbosity < 0 else [_BLANK]
    if section.suite is None:
        # What -q shows too belongs to the verdict above it, and needs no heading.
        title = "" if section.level == "quiet" else screen.text(section.title)
        yield from [*heading, *screen.wrapped(title, 0, "title")] if title else []
        yield from blocks_lines(blocks, screen, indent=2, headline=not title)
        return
    sign, style = SIGNS[section.state or "no gate"]
    heading.append(Line(f"{screen.text(sign)} {screen.text(section.suite.name)}", style))
    yield from heading
    if limit is None or screen.verbosity > 0:
        yield from blocks_lines(blocks, screen, indent=4)
    else:
        yield from _limited(section, blocks, screen, limit - len(heading))


def _limited(
    section: Section, blocks: Sequence[AnyBlock], screen: Screen, limit: int
) -> Iterator[Line]:
    """The blocks of a suite in few lines: the first counterexample has most of them, the others are counted."""
    counterexample = next((block for block in blocks if isinstance(block, Counterexample)), None)
    lines_before = list(
        blocks_lines(
            [block for block in blocks if not isinstance(block, Counterexample)], screen, indent=4
        )
    )
    counterexample_texts: list[Line] = []
    if counterexample is not None:
        samples_by_outcome = {
            block.outcome: block.samples
            for block in section.blocks
            if isinstance(block, Counterexample) and block is not counterexample
        }
        # At least its heading and four fields, and three lines of five: a message of errors has room before it.
        room = max(limit - len(lines_before), min(limit - 1, max(5, 3 * limit // 5)))
        counterexample_texts = list(
            counterexample_lines(
                counterexample, screen, indent=4, limit=room, samples_by_outcome=samples_by_outcome
            )
        )
    most = max(1, limit - len(counterexample_texts))
    if len(lines_before) > most:
        mark = screen.mark_cuts("…")
        remaining = _without_bare_table(lines_before[: most - 1] if most > 1 else [], blocks)
        # With room for one line only, it is that of the verdict.
        final_line = Line(f"    {mark} {screen.more} shows more", "dim")
        if not remaining:
            final_line = lines_before[0]._replace(
                text=screen.cut(f"{lines_before[0].text} {mark}", screen.width)
            )
        lines_before = [*remaining, final_line]
    yield from lines_before
    yield from counterexample_texts


def _without_bare_table(lines: list[Line], blocks: Sequence[AnyBlock]) -> list[Line]:
    """The lines without a table at their end that is cut off before its first row."""
    titles = {block.title for block in blocks if isinstance(block, Table) and block.title}
    for head in (1, 2):
        if len(lines) > head and lines[-head].text.strip() in titles:
            return lines[:-head]
    return lines
