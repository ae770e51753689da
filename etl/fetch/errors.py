"""Errors of what fetches flows."""

from hntes.etl.errors import EtlError


class FetchError(EtlError):
    """Flows cannot be fetched, or not be written."""


class OffsetGoneError(FetchError):
    """A partition no longer has, or does not yet have, the message that was asked for."""
