"""Features: each is a file or a small package, and a plugin of the list in `built_in.py`."""
