"""What this repository's own tests need of pytest."""

pytest_plugins = ["pytester"]
