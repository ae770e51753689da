"""What a back-test is asked for, as a form, a command line and a stored run write it."""

import re
from dataclasses import dataclass
from datetime import date

from hntes.errors import HntesError
from hntes.rules.lifetime.history import PrefixLengths
from hntes.settings.model import Detection
from hntes.sql.entries import DetectionRule, FlowKey

_LENGTHS = re.compile(r"(\d{1,2})(?::(\d{1,2}))?(?:,(\d{1,3})(?::(\d{1,3}))?)?")
_LEAST, _MOST_IPV4, _MOST_IPV6 = 8, 32, 128


class LengthsError(HntesError, ValueError):
    """A text that is no prefix length; the message says what to write."""


@dataclass(frozen=True)
class BacktestAsked:
    """The days, the routers (none: all) and the settings to sweep; an empty list means the value in the settings.

    `prefixes` are texts as `prefix_lengths` takes them, `term_budgets` terms per router. `rules` and
    `flow_key` are those that the stored alpha flows must have been found by.
    """

    first: date
    last: date
    routers: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    ageing_days: tuple[int, ...] = ()
    threshold_bytes: tuple[int, ...] = ()
    term_budgets: tuple[int, ...] = ()
    rules: tuple[DetectionRule, ...] = ()
    flow_key: FlowKey | None = None
    with_beta: bool = False

    @property
    def variants(self) -> int:
        """The number of combinations."""
        count = 1
        for swept in (self.prefixes, self.ageing_days, self.threshold_bytes, self.term_budgets, self.rules):
            count *= max(len(swept), 1)
        return count


def prefix_lengths(text: str, detection: Detection) -> PrefixLengths:
    """Prefix lengths from 24, 32:24 (source:destination) or 24,64 (IPv4,IPv6); IPv6 by default as in the settings.

    Raises:
        LengthsError: the text is none, or a length is below 8 or above that of an address.

    Example:
        >>> str(prefix_lengths("32:24", Detection()))
        '/32 to /24, /64'
    """
    found = _LENGTHS.fullmatch(text)
    if found is None:
        raise LengthsError(
            f"{text!r} is not a prefix length; write 24, 32:24 (source:destination) or 24,64 (IPv4,IPv6)"
        )
    source, end, source6, end6 = (None if each is None else int(each) for each in found.groups())
    ipv6 = detection.ipv6_prefix_length if source6 is None else source6
    lengths = PrefixLengths((source or 0, source or 0 if end is None else end), (ipv6, ipv6 if end6 is None else end6))
    if not all(_LEAST <= each <= _MOST_IPV4 for each in lengths.ipv4) or not (
        all(_LEAST <= each <= _MOST_IPV6 for each in lengths.ipv6)
    ):
        raise LengthsError(f"{text!r}: lengths are 8 to 32 for IPv4 and 8 to 128 for IPv6")
    return lengths
