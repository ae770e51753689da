"""Delivery of approved configuration to routers by HNTES itself: push, with a journal that survives a kill."""
