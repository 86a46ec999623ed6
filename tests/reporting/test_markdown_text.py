"""Text of others in GitHub's Markdown: a real parser finds nothing in it but words and code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from pytest_autoeval.reporting.markdown import block, code, prose, table_row
from pytest_autoeval.reporting.text import harmless, one_line

#: GitHub's own, or nearly: tables, strikethrough, addresses without brackets, HTML.
PARSER = MarkdownIt("gfm-like")
#: What GitHub makes a link of after the Markdown was read.
LINKED = re.compile(r"@\w|#\d|\bGH-\d|://|www\.|(?<![0-9a-f])[0-9a-f]{7,40}(?![0-9a-f])", re.IGNORECASE)

HOSTILE = (
    "<script>alert(1)</script>",
    "<!-- pytest-autoeval: autoeval -->",
    "-->",
    "[all passed](https://evil.example)",
    "![x](https://evil.example/pixel.png)",
    "https://evil.example www.evil.example mail@evil.example",
    "@octocat @org/team please look",
    "fixes #123, GH-7, octo/repo#9 and 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "# all gates passed",
    "- [x] done\n- [ ] not done",
    "1. one\n2. two",
    "> quoted",
    "a | b | c\n--- | --- | ---",
    "a \\| b \\\\| c \\",
    "```\nout of the block\n```",
    "~~~\nout of the block\n~~~",
    "` `` ``` ```` `````",
    "`unclosed",
    "ends in a tick`",
    "*bold* _it_ ~~gone~~ __x__",
    "$x$ $$y$$ $`z`$",
    ":rocket: &amp; &lt;b&gt; &#64;octocat",
    "\x1b[31mred\x1b[0m \u202eesrever\u2066 \u200bhidden\u200f",
    "line one\r\nline two\u2028line three",
    "===\n---\n***",
    "    four spaces",
    "\ttab",
    "[ref]: https://evil.example",
    "[^1]: a footnote",
    "\\",
    "",
    " ",
)
signs = st.text(st.sampled_from("ab1@#[]()<>!`~|\\*_-+=:/.&;$ \n\t\"'é∀\u202e\x1b"), max_size=30)
pieces = st.lists(st.sampled_from(HOSTILE) | signs | st.text(max_size=20), max_size=3)


def hostile(test: Callable[[str], None]) -> Callable[[], None]:
    """Runs a test on each of the texts above, and on many more."""
    given_texts: Callable[[], None] = given(pieces.map("".join))(test)
    for text in HOSTILE:
        given_texts = example(text)(given_texts)
    return given_texts


def leaves(tokens: Iterable[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from leaves(token.children or ())


def kinds(markdown: str) -> set[str]:
    return {token.type for token in leaves(PARSER.parse(markdown))}


def words(markdown: str) -> str:
    """What a reader sees outside of code."""
    return " ".join(token.content for token in leaves(PARSER.parse(markdown)) if token.type == "text")


def inline_code(markdown: str) -> list[str]:
    return [token.content for token in leaves(PARSER.parse(markdown)) if token.type == "code_inline"]


@hostile
def test_code_shows_the_text_and_nothing_else(text: str) -> None:
    shown = one_line(text)
    assert kinds(f"- {code(text)}: x") <= {
        *("bullet_list_open", "list_item_open", "paragraph_open", "inline", "code_inline", "text"),
        *("paragraph_close", "list_item_close", "bullet_list_close"),
    }
    assert inline_code(f"- {code(text)}: x") == ([shown] if shown else [])
    assert "\n" not in code(text)


def test_what_no_fence_can_hold_is_written_out() -> None:
    text = " ".join("`" * length for length in range(1, 120))
    assert inline_code(code(text)) == [text.replace("`", r"\x60")]


@hostile
def test_prose_is_words_and_code(text: str) -> None:
    for start, around in (("", set()), ("seen: ", set()), ("- ", {"bullet_list", "list_item"}), ("## ", {"heading"})):
        allowed = {f"{name}_{end}" for name in {"paragraph", *around} for end in ("open", "close")}
        assert kinds(f"{start}{prose(text)}\n") <= allowed | {"inline", "text", "code_inline", "text_special"}
        assert not LINKED.search(words(f"{start}{prose(text)}"))


def test_a_sentence_of_ours_reads_as_it_was_written() -> None:
    ours = (
        "40 pairs, 3 won, 12 lost: −22.5 points (95 % interval −35.1 to −8.0; p 0.0021): a drop of 5 points or more is "
        "not excluded – and “quoted”"
    )
    assert prose(ours) == ours
    assert prose("compared with @cf/meta, the only model") == "compared with `@cf/meta`, the only model"


@hostile
def test_a_block_holds_its_lines(text: str) -> None:
    lines = [*text.split("\n"), "~~~", "```"]
    tokens = PARSER.parse(f"before\n\n{block(lines)}\n\nafter")
    fences = [token for token in tokens if token.type == "fence"]
    assert [token.content for token in fences] == ["".join(f"{harmless(line.expandtabs())}\n" for line in lines)]
    assert [token.type for token in tokens if token.level == 0] == [
        *("paragraph_open", "paragraph_close", "fence", "paragraph_open", "paragraph_close")
    ]


@hostile
def test_a_table_keeps_its_columns(text: str) -> None:
    cells = [code(text), prose(text), code(f"{text}|")]
    table = "\n".join(
        [table_row(["a", "b", "c"]), table_row(["---"] * 3), table_row(cells), table_row(["1", "2", "3"])]
    )
    tokens = PARSER.parse(table)
    assert [token.type for token in tokens].count("td_open") == 6
    assert tokens[0].type == "table_open"
    assert tokens[-1].type == "table_close"
    assert not kinds(table) & {"link_open", "image", "html_inline", "html_block", "em_open", "strong_open", "s_open"}
    assert not LINKED.search(words(table))
