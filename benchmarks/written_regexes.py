r"""How many regular expressions of the families that people write are read, and whether they match as they should.

Run with ``python benchmarks/written_regexes.py``; needs the extra ``test``. The lines are our own, of the families of
KB13, NL-RX and StructuredRegex and of what programmers write: with ``&``, ``~``, ``\b``, ``\w``, flags and anchors.
Each is tried on 100 strings against Python's ``re``, combined by the laws of logic, and compared with another line.
``--file=LINES`` reads a file of your own, one expression a line, and only counts what is read.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from support.written_regexes import Written, written

from pytest_autoeval.languages.base import FormulaSyntaxError
from pytest_autoeval.languages.regex import LANGUAGE as REGEX
from pytest_autoeval.languages.regex.evaluate import accepts


def differing_strings(line: Written, count: int, tally: Counter[str]) -> int:
    """The number of strings about which the two matchers disagree."""
    expression = REGEX.tree(line.text)
    differing = 0
    for string in line.strings(count, seed=1):
        if not string and r"\B" in line.text:
            continue  # Python's \B matched no empty string before 3.14
        expected = line.matches(string)
        tally["matching strings" if expected else "other strings"] += 1
        differing += accepts(expression, string) != expected
    return differing


def compare(line: Written, following: Written, tally: Counter[str]) -> None:
    """Decides a pair, and checks its witness with the other matchers."""
    verdict = REGEX.equivalent(line.text, following.text)
    tally[f"pairs {verdict.outcome}"] += 1
    if verdict.witness is not None:
        text = verdict.witness.to_json()["text"]
        is_known = text or r"\B" not in line.text + following.text
        if is_known and line.matches(text) == following.matches(text):
            raise SystemExit(f"a wrong witness {text!r}: {line.text} and {following.text}")


def count_lines_of(file: Path) -> None:
    """Prints how many lines of a file are read, and why the others are not."""
    problems: Counter[str] = Counter()
    lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    for line in lines:
        try:
            REGEX.tree(line)
        except FormulaSyntaxError as problem:
            problems[problem.problem] += 1
    print(f"{len(lines) - sum(problems.values()):,} of {len(lines):,} lines are read")
    for reason, count in problems.most_common():
        print(f"  {count:>6,}  {reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=2_000)
    parser.add_argument("--strings", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--file", type=Path)
    arguments = parser.parse_args()
    if arguments.file is not None:
        count_lines_of(arguments.file)
        return
    read: Counter[str] = Counter()
    tally: Counter[str] = Counter()
    wrong: list[str] = []
    started = time.perf_counter()
    lines = list(written(arguments.lines, arguments.seed))
    for line in lines:
        try:
            REGEX.tree(line.text)
        except FormulaSyntaxError as problem:
            print(f"refused: {line.text}: {problem}")
            continue
        read[line.family] += 1
        if differing_strings(line, arguments.strings, tally):
            wrong.append(line.text)
    print(f"{'family':<12}{'lines':>8}{'read':>8}")
    for family, count in Counter(line.family for line in lines).items():
        print(f"{family:<12}{count:>8,}{read[family]:>8,}")
    for line, following in zip(lines, lines[4:], strict=False):
        compare(line, following, tally)
    for kind, count in sorted(tally.items()):
        print(f"{kind:<28}{count:>10,}")
    print(
        f"lines that match otherwise: {len(wrong)} (required: 0); {time.perf_counter() - started:.0f} s"
    )
    if wrong:
        raise SystemExit("\n".join(wrong))


if __name__ == "__main__":
    main()
