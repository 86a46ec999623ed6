"""``python -m pytest_autoeval serve``: the offline models by hand, for any OpenAI client."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Sequence

from pytest_autoeval.models.base import ConfigurationError
from pytest_autoeval.models.offline.catalogue import offline_models
from pytest_autoeval.models.offline.conversation import LABELS
from pytest_autoeval.models.offline.server import OfflineServer

#: The labels of the round trip's two halves.
_ROUND_TRIP = frozenset({"Formula", "Description"})
_WELCOME = """\
The offline models are served at {url}
No key is needed; a client that insists on one may send any. Try:

  curl {url}/chat/completions -H 'Content-Type: application/json' \\
    -d '{{"model": "offline/faithful", "messages": [{{"role": "user", "content": "Formula: p1 ∧ ¬p2"}}]}}'

A request ends with labels and what stands under them, such as "Formula:" (to be described) or "Description:" (to be
read). The tasks on temporal logic have more: {labels}.
{models}
Ctrl-C ends."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serves until Ctrl-C; the exit status is 0 then, and 2 where the address cannot be had."""
    parser = argparse.ArgumentParser(
        prog="python -m pytest_autoeval serve", description="Serve the offline models behind OpenAI's protocol."
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: %(default)s)")
    parser.add_argument(
        "--port", type=int, default=8181, help="port to listen at, 0 for a free one (default: %(default)s)"
    )
    chosen = parser.parse_args(argv)
    try:
        with OfflineServer(chosen.host, chosen.port) as url:
            models = offline_models()
            width = max(len(name) for name, _ in models)
            listed = "\n".join(f"  {name:<{width}}  {description}" for name, description in models)
            more = ", ".join(f'"{label}:"' for label in sorted(LABELS - _ROUND_TRIP))
            sys.stdout.write(_WELCOME.format(url=url, models=f"\n{listed}\n", labels=more) + "\n")
            sys.stdout.flush()
            threading.Event().wait()
    except ConfigurationError as problem:
        sys.stderr.write(f"{problem}\n")
        return 2
    except KeyboardInterrupt:
        return 0
    return 0
