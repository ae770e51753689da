"""Errors of the program nfdump."""

from hntes.etl.errors import EtlError


class NfdumpError(EtlError):
    """nfdump is missing, is of an unknown version, or does not read the reference file correctly."""


class MissingNfdumpError(NfdumpError):
    """There is no such program."""
