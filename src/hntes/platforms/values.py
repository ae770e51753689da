"""Numbers, words and addresses in a vendor's text, checked for their range."""

import re
from functools import lru_cache
from ipaddress import ip_address

from hntes import addresses
from hntes.addresses import Address, Network
from hntes.platforms.errors import ParseError
from hntes.rules.qos.model import LOSS_PRIORITIES, LossPriority

_NUMBER = re.compile(r"0|[1-9][0-9]*")


def number(word: str, low: int, high: int, line: int, text: str, what: str) -> int:
    """A whole number from `low` to `high`.

    Raises:
        ParseError: it is not.
    """
    if not _NUMBER.fullmatch(word) or not low <= int(word) <= high:
        raise ParseError(line, text, f"{what} {word!r} is not a whole number from {low} to {high}")
    return int(word)


def network(text_of_prefix: str, ip_version: int, line: int, text: str) -> Network:
    """A prefix of that family without host bits."""
    try:
        found = _network(text_of_prefix)
    except ValueError as cause:
        raise ParseError(line, text, f"{text_of_prefix!r} is not a prefix: {cause}") from cause
    if found.version != ip_version:
        raise ParseError(line, text, f"{text_of_prefix!r} is not IPv{ip_version}")
    return found


# Cached: the texts before and after a change share nearly all prefixes.
@lru_cache(maxsize=65_536)
def _network(text_of_prefix: str) -> Network:
    return addresses.network(text_of_prefix)


def address(word: str, ip_version: int, line: int, text: str) -> Address:
    """An address of that family."""
    try:
        found = ip_address(word)
    except ValueError as cause:
        raise ParseError(line, text, f"{word!r} is not an address") from cause
    if getattr(found, "scope_id", None) is not None:
        raise ParseError(line, text, f"{word!r} names a zone, which no packet has")
    if found.version != ip_version:
        raise ParseError(line, text, f"{word!r} is not IPv{ip_version}")
    return found


def loss_priority(word: str, line: int, text: str) -> LossPriority:
    """One of the four loss priorities."""
    for known in LOSS_PRIORITIES:
        if word == known:
            return known
    raise ParseError(line, text, f"loss priority {word!r} is none of {', '.join(LOSS_PRIORITIES)}")
