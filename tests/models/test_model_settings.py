"""What a run asks of its models costs nothing until a call needs it."""

from __future__ import annotations

import subprocess
import sys


def test_models_are_imported_without_client_and_recorder() -> None:
    program = "import sys, pytest_autoeval.models; assert not {'openai', 'yaml', 'filelock'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
