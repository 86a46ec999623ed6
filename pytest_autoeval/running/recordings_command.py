"""The command `python -m pytest_autoeval recordings FOLDER`: recordings that no run uses."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from pytest_autoeval.errors import AutoevalError, near_folder, unknown_name
from pytest_autoeval.inert import inert
from pytest_autoeval.models.cassette import read_request
from pytest_autoeval.running.recordings_arguments import recordings_parser
from pytest_autoeval.running.used_recordings import (
    UsedRecordings,
    found_cache,
    not_run,
    out_of_use,
    remembered,
    unused_by_purpose,
)
from pytest_autoeval.text import count, one_line, shorten

#: How many recordings and files a screen lists, and the characters of a question beside its recording.
_SHOWN, _LONGEST = 20, 60


class RecordingsError(AutoevalError):
    """It is not known which recordings are in use. The message says what to run."""


def main(arguments: list[str]) -> int:
    """Lists the recordings that no run uses, or removes them; returns the exit code.

    Raises :class:`RecordingsError`.
    """
    args = recordings_parser().parse_args(arguments)
    cassettes: Path = args.cassettes
    if not cassettes.is_dir():
        raise RecordingsError(f"there is no folder {cassettes}{near_folder(cassettes)}")
    all_runs = _runs(cassettes, args.cache)
    runs = _without(all_runs, args.without)
    _check_purposes(args.purpose, all_runs, cassettes)
    names = out_of_use(runs, cassettes, args.purpose)
    lines = [*_counted(runs, cassettes)]
    if names:
        lines += _listed(names, cassettes, verbose=args.verbose)
    else:
        lines += _nothing_to_remove(runs, cassettes, args.purpose)
    if not names and len(runs) > 1:
        lines.append("leave a run out that no longer counts: --without=RUN, once for each, with")
        lines.append("its digits above; the recordings that no other run used are then listed")
    missing = not_run(runs) if names else []
    # Before anything is removed: a test that did not run may need what looks unused.
    if missing:
        _print(lines)
        raise RecordingsError(_advice(missing))
    if not args.remove:
        if names:
            pronoun = "it" if len(names) == 1 else "them"
            lines.append(f"to remove {pronoun}, add --remove")
        _print(lines)
        return 0
    for name in names:
        (cassettes / name).unlink(missing_ok=True)
    _print([*lines, f"removed {count(len(names), 'recording')}"])
    return 0


def _runs(cassettes: Path, cache: Path | None) -> list[UsedRecordings]:
    folder = cache or found_cache(Path.cwd())
    runs = [] if folder is None else remembered(folder, cassettes)
    if any(run.whole for run in runs):
        return runs
    problem = f"no whole run of suites with the recordings in {cassettes} is known"
    advice = "run all suites with --autoeval-record-mode=none: that replays them, and asks no model"
    # A run that failed for lack of recordings shows nothing either.
    raise RecordingsError(f"{problem}; {advice}")


def _without(runs: Sequence[UsedRecordings], keys: Sequence[str]) -> list[UsedRecordings]:
    """The runs that are not left out. Raises :class:`RecordingsError` for digits of no run."""
    known = [run.key for run in runs]
    if unknown := [key for key in keys if key not in known]:
        raise RecordingsError(f"--without: {unknown_name('run', unknown[0], known)}")
    return [run for run in runs if run.key not in keys]


def _check_purposes(
    purposes: Sequence[str], runs: Sequence[UsedRecordings], cassettes: Path
) -> None:
    """Raises :class:`RecordingsError` for a purpose that no unused recording has."""
    known = sorted({*unused_by_purpose(runs, cassettes), "shrinking"} - {""})
    if unknown := [name for name in purposes if name not in known]:
        raise RecordingsError(f"--purpose: {unknown_name('purpose', unknown[0], known)}")


def _counted(runs: Sequence[UsedRecordings], cassettes: Path) -> Iterator[str]:
    """The runs that count, so that a reader sees which ones are missing, and which one needs what others do not."""
    times = Counter(name for run in runs for name in set(run.used))
    # A run may have used what was removed since.
    for name in [name for name in times if not (cassettes / name).exists()]:
        del times[name]
    yield f"{count(len(times), 'recording')} used by {count(len(runs), 'run')}:"
    for run in runs[:_SHOWN]:
        yield f"  {_run_line(run, times, among=len(runs))}"
    if len(runs) > _SHOWN:
        yield f"  and {len(runs) - _SHOWN} earlier runs"


def _run_line(run: UsedRecordings, times: Mapping[str, int], *, among: int) -> str:
    """A run with its digits. ``times`` says how many of the runs used each recording that is still there."""
    when = datetime.fromtimestamp(run.when).astimezone()
    line = f"{run.key}  {when:%Y-%m-%d %H:%M}"
    if run.part:
        line += f" (a part: {run.part})"
    line += f"  {run.command}"
    alone = sum(times[name] == 1 for name in set(run.used))
    if alone and among > 1:
        line += f" ({alone:,} used by it alone)"
    return line


def _listed(names: Sequence[str], cassettes: Path, *, verbose: bool) -> Iterator[str]:
    yield f"{count(len(names), 'recording')} used by none of them:"
    shown = names if verbose else names[:_SHOWN]
    for name in shown:
        yield f"  {name}  {_question(cassettes / name)}".rstrip()
    if hidden := len(names) - len(shown):
        yield f"  and {hidden:,} more, which -v lists"


def _nothing_to_remove(
    runs: Sequence[UsedRecordings], cassettes: Path, purposes: Collection[str]
) -> Iterator[str]:
    """Why no recording is listed: all are used, or those that are not may be needed by a run that is not known."""
    unused = unused_by_purpose(runs, cassettes)
    if not unused:
        yield "no recording is out of use: each was used by one of these runs"
    of_samples = unused.pop("", [])
    # No run with another model looks at these, so that no run can ever list them.
    asked_folders = {name.partition("/")[0] for run in runs for name in (*run.used, *run.unused)}
    of_models = Counter(name.partition("/")[0] for name in of_samples)
    newer = sum(number for folder, number in of_models.items() if folder in asked_folders)
    if newer:
        yield (
            f"no recording is known to be out of use: no whole run that counts has ended since the other {newer:,} "
            "were made. Run what counts once with --autoeval-record-mode=none, and type this again"
        )
    for folder in sorted(of_models.keys() - asked_folders):
        recordings = count(of_models[folder], "recording")
        yield f"none of these runs asked the model of {folder} ({recordings}): remove the folder if none will"
    for purpose, names in unused.items():
        if purpose in purposes:
            yield f"{count(len(names), 'recording')} of {purpose}: newer than the last whole run of these"
        else:
            yield (
                f"{count(len(names), 'recording')} of {purpose} stay: a run makes such calls only if it needs them. "
                f"To list them too: --purpose={purpose}"
            )


def _question(file: Path) -> str:
    """The last line of what was asked; empty if it cannot be read."""
    request = read_request(file) or {}
    messages = request.get("messages") or [{}]
    lines = str(messages[-1].get("content", "")).strip().splitlines()
    return shorten(one_line(lines[-1]), _LONGEST) if lines else ""


def _advice(missing: Sequence[str]) -> str:
    shown = ", ".join(missing[:3])
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    return (
        f"these tests may need recordings, and no whole run of them is known: {shown}{more}; nothing is removed "
        "before they ran with --autoeval-record-mode=none"
    )


def _print(lines: Sequence[str]) -> None:
    sys.stdout.writelines(f"{inert(line)}\n" for line in lines)
