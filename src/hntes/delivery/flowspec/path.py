"""What a BGP speaker is asked and told of: paths in the octets of BGP."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Path:
    """One path of a speaker's table: the octets of its rule and of its attributes.

    `is_local`: it was announced through the speaker's API or configuration, not heard from a neighbor.
    """

    ip_version: int
    nlri: bytes
    attributes: tuple[bytes, ...]
    is_local: bool


@dataclass(frozen=True)
class Change:
    """A path to be announced or, without attributes, to be withdrawn."""

    ip_version: int
    nlri: bytes
    attributes: tuple[bytes, ...] = ()
