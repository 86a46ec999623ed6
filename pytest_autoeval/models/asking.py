"""Models as whoever asks them sees them."""
from __future__ import annotations

from pytest_autoeval.models.names import is_embedder


class Asked:
    def __init__(self, name, submit):
        self.name, self._submit = name, submit
    def complete(self, messages, **more):
        return self._submit(self.name, "complete", messages, **more).result()
    def recorded(self, messages, **more):
        return self._submit(self.name, "recorded", messages, **more).result()
class AskedEmbedder:
    def __init__(self, name, submit):
        self.name, self._submit = name, submit
    def embed(self, *a, **more):
        return self._submit(self.name, "embed", *a, **more).result()
    def recorded_texts(self, *a, **more):
        return self._submit(self.name, "recorded_texts", *a, **more).result()
class Models:
    def __init__(self, submit, own=()):
        self._submit, self._own = submit, own
    def open(self, name):
        return (AskedEmbedder if is_embedder(name) and name not in self._own else Asked)(name, self._submit)
