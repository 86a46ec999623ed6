"""Texts that would act as Markdown on GitHub, and the parser that shows whether they do."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt

#: GitHub's own, or nearly: tables, strikethrough, addresses without brackets, HTML.
PARSER = MarkdownIt("gfm-like")
#: What GitHub makes a link of after the Markdown was read.
LINKED = re.compile(
    r"@\w|#\d|\bGH-\d|://|www\.|(?<![0-9a-f])[0-9a-f]{7,40}(?![0-9a-f])", re.IGNORECASE
)

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
