"""No page has a figure beside the name of a provider's model: nobody measured these models for the documentation.

A session (`console`, `pycon`) may show figures of a model whose recordings are in `cassettes/`: `test_pages.py`
replays it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
    *sorted(ROOT.glob("examples/*/README.md")),
]
_NAME = re.compile(
    r"(?<![a-z])(gpt-?\d|(claude|gemini|gemma|deepseek)-|o[1-9](-mini|-preview|-pro)?\b|(llama|qwen|[mp]istral|mixtral)(?!\.))",
    re.IGNORECASE,
)
#: A rate, a cost or a verdict.
_RESULT = re.compile(
    r"\d ?%|\bpercent|\$ ?\d|\bUSD \d|\b[01]\.\d|(?<!\d)\.\d\d|\d points\b|[✓✗]|\b(gates?|suites?) (passed|failed)"
)
#: The models whose answers are recorded here; a table may break such a name at its last hyphen.
_NAMES = [folder.name for folder in ROOT.glob("cassettes/*/")]
_RECORDED = re.compile(
    "|".join(rf"{re.escape(name)}|{re.escape(name.rpartition('-')[0])}-(?=\s)" for name in _NAMES)
)
#: Prices are what a user says.
_PRICE = re.compile(r"\S+=[\d.]+/[\d.]+\S*")
_COMMAND = re.compile(r"^(?:\$|>>>|\.\.\.) (?:.*\\\n)*.*$", re.MULTILINE)
_FAILS = re.compile(r"^(?:.*\\\n)*.*# exit code 1$", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`*])")


def found(page: str) -> Iterator[str]:
    """The blocks, tables and sentences of a page that name a provider's model and have a result."""
    tokens = MarkdownIt().enable("table").parse(page)
    tables = [token.map for token in tokens if token.type == "table_open" and token.map]
    lines = page.splitlines()
    texts = [("\n".join(lines[start:end]),) * 2 for start, end in tables]
    for token in tokens:
        if token.type in {"fence", "code_block"}:
            language = token.info.partition(" ")[0]
            # What goes in; only a failed gate is a result.
            if language in {
                "bash",
                "yaml",
                "toml",
                "ini",
                "python",
            }:
                texts += [(text, "✗") for text in _FAILS.findall(token.content)]
            else:
                names = (
                    _RECORDED.sub("", token.content)
                    if language in {"console", "pycon"}
                    else token.content
                )
                texts.append((names, _COMMAND.sub("", token.content)))
        elif (
            token.type == "inline"
            and token.map
            and not any(a <= token.map[0] < b for a, b in tables)
        ):
            texts += [(sentence, sentence) for sentence in _SENTENCE.split(token.content)]
    for text, output in texts:
        if _NAME.search(text) and _RESULT.search(_PRICE.sub("", _RECORDED.sub("", output))):
            yield text


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_figure_stands_beside_the_name_of_a_providers_model(path: Path) -> None:
    assert [*found(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    "text",
    [
        "Good. On this suite `gpt-5-nano` loses 44 points to another model.",
        "`claude-sonnet-4-5` passes 91.5 % of them.",
        "A run with Qwen3\nhas the pass rate 0.93.",
        "A run with o3-mini costs $2.",
        "| model | rate |\n|---|---|\n| other | 90 % |\n| gemini-2.5-pro | high |",
        "```console\n$ pytest \\\n  --autoeval-model=llama3.1:8b\n…\n  45.4 % (37.1–54.0) 130\n```",
        "```console\n$ pytest --autoeval-model=gpt-5\n…\nall 2 suites passed\n```",
        '```json\n{"model": "mistral-large", "rate": 0.9}\n```',
        "`Qwen2.5-Coder-0.5B-Instruct` passes 11 %.",
        "```console\n$ pytest --autoeval-model=Qwen2.5-Coder-7B-Instruct\n✓ 100.0 %\n```",
        '```csv title="scores.csv"\nmodel,HumanEval\ngpt-5-mini,0.9\n```',
        "```bash\npytest tests \\\n  --autoeval-model=gpt-5-nano  # exit code 1\n```",
    ],
)
def test_a_figure_beside_such_a_name_is_found(text: str) -> None:
    assert len([*found(text)]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Name your own: `--autoeval-model=gpt-5-mini`. The model here passes 90 %.",
        "Ollama answers 100 % of the requests.",
        "The price is an example: `--autoeval-price=gpt-5-mini=0.25/2`.",
        "```bash\npytest --autoeval-model=gpt-5 --autoeval-threshold=90% --autoeval-max-cost=0.5\n```",
        "```console\n$ pytest --autoeval-model=offline/faithful\n✓ 100.0 %\n```",
        "```console\n$ pytest --autoeval-model=Qwen2.5-Coder-0.5B-Instruct\n✗ 10.0 %\n```",
        "```console\n$ pytest --autoeval-model=gpt-5 --autoeval-threshold=90% --autoeval-plan\n90 calls\n```",
        "```bash\npytest --autoeval-model=gpt-5\npytest --autoeval-model=offline/student  # exit code 1\n```",
    ],
)
def test_input_and_figures_of_other_models_are_no_results_of_a_provider(text: str) -> None:
    assert [*found(text)] == []
