"""The suites that are shipped: `pytest --pyargs pytest_autoeval.suites`."""
