"""Emulated routers, as the integration tests have them."""

from tests.integration.conftest import farm

__all__ = ["farm"]
