"""Errors about papers, apart from what knows them all: a command that handles one need not load every paper."""

from hntes.errors import HntesError


class SelectionError(HntesError):
    """There is no such paper, experiment, configuration or variant; the message lists those there are."""
