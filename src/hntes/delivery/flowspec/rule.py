"""A FlowSpec rule as a value, and the canonical text of a set of them, which operators see and a hash is taken over."""

import hashlib
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from hntes.addresses import Network
from hntes.platforms.device_errors import DeliveryError
from hntes.rules.pairs import PairError, PrefixPair

DSCP = range(64)
_LINE = re.compile(r"(?P<pair>\S+ > \S+) dscp (?P<dscp>\d{1,2})(?: redirect (?P<redirect>\d+:\d+))?")


class RuleError(DeliveryError, ValueError):
    """A rule, or a set of them, that is not to be announced; the message says why."""


@dataclass(frozen=True, order=True)
class RouteTarget:
    """The routing instance that redirected packets are looked up in: an AS number and a number (RFC 8955, 7.4).

    One of the two has 16 bits, the other 32: AS numbers above 65535 leave 16 bits for the number.
    """

    asn: int
    number: int

    def __post_init__(self) -> None:
        most = 0xFFFF if self.asn > 0xFFFF else 0xFFFFFFFF
        if not (0 < self.asn <= 0xFFFFFFFF and 0 <= self.number <= most):
            raise RuleError(f"route target {self}: an AS number of 16 bits leaves 32 for the number, a longer one 16")

    def __str__(self) -> str:
        return f"{self.asn}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> "RouteTarget":
        """From ASN:NUMBER. Raises RuleError: it is no such text."""
        if not re.fullmatch(r"\d{1,10}:\d{1,10}", text):
            raise RuleError(f"route target {text!r}: write ASN:NUMBER, as 64512:100")
        asn, _, number = text.partition(":")
        return cls(int(asn), int(number))


@dataclass(frozen=True)
class FlowSpecRule:
    """Packets of one prefix pair get a DSCP (RFC 8955, 7.5) and, with `redirect`, another routing instance."""

    source: Network
    destination: Network
    dscp: int
    redirect: RouteTarget | None = None

    def __post_init__(self) -> None:
        if self.source.version != self.destination.version:
            raise RuleError(f"{self.source} and {self.destination} are of different address families")
        if self.dscp not in DSCP:
            raise RuleError(f"{self.pair}: DSCP {self.dscp} is out of {DSCP[0]}..{DSCP[-1]}")

    def __str__(self) -> str:
        redirect = f" redirect {self.redirect}" if self.redirect else ""
        return f"{self.pair} dscp {self.dscp}{redirect}"

    @property
    def pair(self) -> PrefixPair:
        return PrefixPair(self.source, self.destination)

    @property
    def ip_version(self) -> int:
        return self.source.version


@dataclass(frozen=True)
class Bounds:
    """What no announcement exceeds: the number of rules, and how short a prefix of either family may be."""

    most_rules: int
    least_ipv4_length: int
    least_ipv6_length: int


def rules_of(
    pairs: Collection[PrefixPair], dscp: int, redirect: RouteTarget | None, bounds: Bounds | None
) -> list[FlowSpecRule]:
    """One rule per pair, in the order of pairs; without bounds as many and as short ones as there are.

    Raises:
        RuleError: there are too many pairs, or one has a prefix that is too short.
    """
    if bounds is not None:
        _require_within(pairs, bounds)
    return in_order(FlowSpecRule(pair.source, pair.destination, dscp, redirect) for pair in set(pairs))


def _require_within(pairs: Collection[PrefixPair], bounds: Bounds) -> None:
    if len(pairs) > bounds.most_rules:
        raise RuleError(f"{len(pairs)} rules are more than the {bounds.most_rules} that the router has for HNTES")
    for pair in pairs:
        # at least 1: a rule with an empty prefix would take all traffic from or to anywhere
        least = max(1, bounds.least_ipv4_length if pair.ip_version == 4 else bounds.least_ipv6_length)
        for prefix in (pair.source, pair.destination):
            if prefix.prefixlen < least:
                raise RuleError(f"{pair}: {prefix} is shorter than /{least}, the shortest that is announced")


def in_order(rules: Iterable[FlowSpecRule]) -> list[FlowSpecRule]:
    """IPv4 first, the most specific first, then by address; of one pair by its actions."""
    return sorted(rules, key=lambda rule: (rule.pair.sort_key, rule.dscp, str(rule.redirect)))


def rules_text(rules: Iterable[FlowSpecRule]) -> str:
    """One rule a line, in order; equal sets give equal bytes."""
    return "".join(f"{rule}\n" for rule in in_order(rules))


def rules_hash(rules: Iterable[FlowSpecRule]) -> str:
    """SHA-256 of the canonical text."""
    return hashlib.sha256(rules_text(rules).encode("ascii")).hexdigest()


def parse_rules(text: str) -> list[FlowSpecRule]:
    """The rules of a canonical text.

    Raises:
        RuleError: it is not one: a line is no rule, or is not where or as it is written.
    """
    found = [_parse(number, line) for number, line in enumerate(text.splitlines(), 1)]
    if rules_text(found) != text or len(set(found)) != len(found):
        raise RuleError("the rules are not in their order, or one stands twice; have the text written anew")
    return found


def _parse(number: int, line: str) -> FlowSpecRule:
    match = _LINE.fullmatch(line)
    if match is None:
        raise RuleError(
            f"line {number}: {line!r} is no rule; write SOURCE > DESTINATION dscp N, with redirect ASN:NUMBER"
        )
    try:
        pair = PrefixPair.parse(match["pair"])
    except PairError as cause:
        raise RuleError(f"line {number}: {cause}") from cause
    redirect = RouteTarget.parse(match["redirect"]) if match["redirect"] else None
    return FlowSpecRule(pair.source, pair.destination, int(match["dscp"]), redirect)
