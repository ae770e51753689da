"""Paths of a BGP speaker and their changes, in BGP encoding."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Path:
    """One path of a speaker's table: the encoded rule and attributes.

    `is_local`: it was added through the speaker's API or configuration, not received from a neighbor.
    """

    ip_version: int
    nlri: bytes
    attributes: tuple[bytes, ...]
    is_local: bool


@dataclass(frozen=True)
class Change:
    """A path to announce or, without attributes, to withdraw."""

    ip_version: int
    nlri: bytes
    attributes: tuple[bytes, ...] = ()
