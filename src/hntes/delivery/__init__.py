"""Approved configuration onto routers, by HNTES' own hand: push, with a journal that survives a kill."""
