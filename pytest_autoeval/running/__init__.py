"""The pytest plugin: options, fixtures, items, and the exchange between workers and controller."""
