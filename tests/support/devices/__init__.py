"""Emulated routers: a state without input or output for each platform, and one SSH server for all of them.

They were written from the vendors' documents, which the modules name, and know nothing of HNTES.
"""
