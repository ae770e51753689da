"""FlowSpec rules as values, and the canonical text of a rule set, which is displayed and hashed."""

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
    """A rule or rule set that must not be announced; the message says why."""


@dataclass(frozen=True, order=True)
class RouteTarget:
    """The routing instance for redirected packets: AS number and assigned number (RFC 8955, 7.4).

    One of the two has 16 bits, the other 32: AS numbers above 65535 leave 16 bits for the assigned number.
    """

    asn: int
    number: int

    def __post_init__(self) -> None:
        most = 0xFFFF if self.asn > 0xFFFF else 0xFFFFFFFF
        if not (0 < self.asn <= 0xFFFFFFFF and 0 <= self.number <= most):
            raise RuleError(f"route target {self}: out of range; with an AS number above 65535 the number has 16 bits")

    def __str__(self) -> str:
        return f"{self.asn}:{self.number}"

    @classmethod
    def parse(cls, text: str) -> "RouteTarget":
        """Parses ASN:NUMBER. Raises RuleError if it is not."""
        if not re.fullmatch(r"\d{1,10}:\d{1,10}", text):
            raise RuleError(f"route target {text!r}: write ASN:NUMBER, as 64512:100")
        asn, _, number = text.partition(":")
        return cls(int(asn), int(number))


@dataclass(frozen=True)
class FlowSpecRule:
    """A rule that marks packets of one prefix pair with a DSCP (RFC 8955, 7.5) and may redirect them."""

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
    """Limits of any announcement: the number of rules, and the shortest prefix per family."""

    most_rules: int
    least_ipv4_length: int
    least_ipv6_length: int


def rules_of(
    pairs: Collection[PrefixPair], dscp: int, redirect: RouteTarget | None, bounds: Bounds | None
) -> list[FlowSpecRule]:
    """One rule per pair, in the order of pairs; `bounds` None: unlimited.

    Raises:
        RuleError: there are too many pairs, or a prefix is too short.
    """
    if bounds is not None:
        _require_within(pairs, bounds)
    return in_order(FlowSpecRule(pair.source, pair.destination, dscp, redirect) for pair in set(pairs))


def _require_within(pairs: Collection[PrefixPair], bounds: Bounds) -> None:
    if len(pairs) > bounds.most_rules:
        raise RuleError(f"{len(pairs)} rules exceed the router's limit of {bounds.most_rules} for HNTES")
    for pair in pairs:
        # at least 1: a rule with a default prefix would match all traffic to or from anywhere
        least = max(1, bounds.least_ipv4_length if pair.ip_version == 4 else bounds.least_ipv6_length)
        for prefix in (pair.source, pair.destination):
            if prefix.prefixlen < least:
                raise RuleError(f"{pair}: {prefix} is shorter than /{least}, the shortest that is announced")


def in_order(rules: Iterable[FlowSpecRule]) -> list[FlowSpecRule]:
    """The rules in canonical order: IPv4 first, most specific first, then by address and actions."""
    return sorted(rules, key=lambda rule: (rule.pair.sort_key, rule.dscp, str(rule.redirect)))


def rules_text(rules: Iterable[FlowSpecRule]) -> str:
    """The canonical text: one rule per line, in order; equal sets give equal bytes."""
    return "".join(f"{rule}\n" for rule in in_order(rules))


def rules_hash(rules: Iterable[FlowSpecRule]) -> str:
    """SHA-256 of the canonical text."""
    return hashlib.sha256(rules_text(rules).encode("ascii")).hexdigest()


def parse_rules(text: str) -> list[FlowSpecRule]:
    """Parses a canonical text.

    Raises:
        RuleError: a line is not a rule in canonical form, or the order is wrong.
    """
    found = [_parse(number, line) for number, line in enumerate(text.splitlines(), 1)]
    if rules_text(found) != text or len(set(found)) != len(found):
        raise RuleError("the rules are out of order, or one is listed twice; write the text again with `rules_text`")
    return found


def _parse(number: int, line: str) -> FlowSpecRule:
    match = _LINE.fullmatch(line)
    if match is None:
        raise RuleError(
            f"line {number}: {line!r} is not a rule; write SOURCE > DESTINATION dscp N, with redirect ASN:NUMBER"
        )
    try:
        pair = PrefixPair.parse(match["pair"])
    except PairError as cause:
        raise RuleError(f"line {number}: {cause}") from cause
    redirect = RouteTarget.parse(match["redirect"]) if match["redirect"] else None
    return FlowSpecRule(pair.source, pair.destination, int(match["dscp"]), redirect)
