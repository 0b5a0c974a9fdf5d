"""Finished trees, shared with the end-to-end tests."""

from tests.e2e.conftest import checkout, finished_demo, finished_own, once  # noqa: F401
