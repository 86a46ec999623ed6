"""The studies of two further papers: each is a plugin of the list in `built_in.py`."""
