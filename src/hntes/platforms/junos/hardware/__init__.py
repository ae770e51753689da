"""Families of routers: one module each, found by `hntes.platforms.hardware`."""
