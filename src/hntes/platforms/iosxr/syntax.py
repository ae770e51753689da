"""The configuration syntax of IOS-XR, as far as it differs from IOS-XE.

Sources: Cisco's QoS command references (`police rate`: the default violate action drops, where a second bucket is
metered), its YANG modules of policy maps and access lists.
"""

import re

from hntes.platforms.cisco.parser.queues import loss_priority, percent, thresholds
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.cisco.syntax import CiscoSyntax, ListSyntax, PoliceSyntax, QueueDefaults, QueueSyntax
from hntes.platforms.effective import Buffer, BufferUnit, Ceiling, DropCurve, Treatment
from hntes.platforms.iosxr.statement_table import PORT_STATEMENTS, STATEMENTS

_LIMIT_UNITS: tuple[BufferUnit, ...] = ("ms", "us", "packets", "bytes")
_DROP = re.compile(r"random-detect discard-class (\d+) (\d+) (ms|us|packets|bytes) (\d+) (ms|us|packets|bytes)")


def _strict(priority: Section, police: Section | None) -> tuple[int, Ceiling]:
    """The share and ceiling of a strict class, which is always policed."""
    if priority.words != ("priority", "level", "1"):
        raise priority.refused("only `priority level 1` is understood")
    if police is None:
        raise priority.refused("needs a `police rate percent N`: the class could use the whole link")
    police.end()
    return percent(police, "police", "rate", "percent"), "policed"


def _curve(line: Section) -> DropCurve:
    match = _DROP.fullmatch(line.text)
    if match is None or match[3] != match[5]:
        raise line.refused("only `random-detect discard-class C MIN UNIT MAX UNIT` in one unit is understood")
    unit = next(each for each in _LIMIT_UNITS if each == match[3])
    first, last = thresholds(line, match[2], match[4])
    return DropCurve(loss_priority(line, match[1]), unit, ((first, 0), (last, 100)))


SYNTAX = CiscoSyntax(
    platform="iosxr",
    highest_group=512,
    default_match="match-any",
    lists=ListSyntax(
        ipv4_head=("ipv4", "access-list"),
        ipv4_protocol="ipv4",
        ipv4_prefixes=True,
        forwards=True,
        are_rebuilt=True,
        keywords={"ipv4": 4, "ipv6": 6},
    ),
    police=PoliceSyntax(
        statement=re.compile(
            r"police rate (?P<cir>\d+) (?P<cir_unit>\w+) burst (?P<cbs>\d+) bytes"
            r"(?: peak-rate (?P<pir>\d+) (?P<pir_unit>\w+))?(?: peak-burst (?P<ebs>\d+) bytes)?"
        ),
        unstated_violate=Treatment(discard=True),
        class_mark=("set", "qos-group"),
        loss_mark=("set", "discard-class"),
    ),
    queues=QueueSyntax(
        limit_units=_LIMIT_UNITS,
        strict=_strict,
        strict_has_limit=True,
        curve=_curve,
        has_weights=False,
        strict_ceiling="policed",
        defaults=QueueDefaults(Buffer(10, "ms"), lambda _share, _rate: Buffer(100, "ms"), 256, by_class_rate=True),
    ),
    statements=STATEMENTS,
    port_statements=PORT_STATEMENTS,
)
