"""The configuration syntax of IOS-XE, as far as it differs from IOS-XR.

Sources: Cisco's QoS command references (`police`), its YANG modules of policy maps and access lists.
"""

import re

from hntes.platforms.cisco.parser.queues import loss_priority, percent, thresholds, unpoliced
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.cisco.syntax import CiscoSyntax, ListSyntax, PoliceSyntax, QueueDefaults, QueueSyntax
from hntes.platforms.effective import Buffer, Ceiling, DropCurve
from hntes.platforms.iosxe.statement_table import PORT_STATEMENTS, STATEMENTS
from hntes.platforms.values import number

PACKET_BYTES = 1_500
_DROP = re.compile(r"random-detect discard-class (\d+) (\d+) (\d+) (\d+)")


def _strict(priority: Section, police: Section | None) -> tuple[int, Ceiling]:
    """The share and ceiling of a strict class, which is policed under congestion."""
    unpoliced(police)
    return percent(priority, "priority", "percent"), "policed when congested"


def _curve(line: Section) -> DropCurve:
    match = _DROP.fullmatch(line.text)
    if match is None:
        raise line.refused("only `random-detect discard-class C MIN MAX DENOMINATOR` is understood")
    first, last = thresholds(line, match[2], match[3])
    if number(match[4], 1, 65_535, line.line, line.text, "denominator") != 1:
        raise line.refused("only denominator 1 (everything is dropped at the maximum) is understood")
    return DropCurve(loss_priority(line, match[1]), "packets", ((first, 0), (last, 100)))


def _class_limit(_share_pct: int, rate_bps: int) -> Buffer:
    """50 ms of the port in packets, at least 64."""
    return Buffer(max(64, rate_bps // 20 // (8 * PACKET_BYTES)), "packets")


SYNTAX = CiscoSyntax(
    platform="iosxe",
    highest_group=99,
    default_match="match-all",
    lists=ListSyntax(
        ipv4_head=("ip", "access-list", "extended"),
        ipv4_protocol="ip",
        ipv4_prefixes=False,
        forwards=False,
        are_rebuilt=False,
        keywords={"name": None},
    ),
    police=PoliceSyntax(
        statement=re.compile(
            r"police(?: cir)? (?P<cir>\d+) bc (?P<cbs>\d+)(?: pir (?P<pir>\d+))?(?: be (?P<ebs>\d+))?"
        ),
        unstated_violate=None,
        class_mark=("set-qos-transmit",),
        loss_mark=("set-discard-class-transmit",),
    ),
    queues=QueueSyntax(
        limit_units=("packets", "bytes"),
        strict=_strict,
        strict_has_limit=False,
        curve=_curve,
        has_weights=True,
        strict_ceiling="policed when congested",
        defaults=QueueDefaults(Buffer(512, "packets"), _class_limit, PACKET_BYTES, by_class_rate=False),
    ),
    statements=STATEMENTS,
    port_statements=PORT_STATEMENTS,
)
