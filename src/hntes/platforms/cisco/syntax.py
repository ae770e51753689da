"""Differences between the configuration languages of IOS-XR and IOS-XE, as data for the shared parser."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Buffer, BufferUnit, Ceiling, DropCurve, Treatment
from hntes.platforms.statement_table import StatementTable


@dataclass(frozen=True)
class ListSyntax:
    """Access lists.

    Attributes:
        ipv4_head: The words before the name of an IPv4 list.
        ipv4_protocol: The word for any IPv4 protocol in its lines.
        ipv4_prefixes: Its lines allow prefix lengths, not only wildcards.
        forwards: A line may name a next hop (ABF).
        are_rebuilt: A list is removed and rebuilt in one commit; otherwise lines are merged into the existing list.
        keywords: The words before a list's name in a class-map, each with the family; None: that of the list itself.
    """

    ipv4_head: tuple[str, ...]
    ipv4_protocol: str
    ipv4_prefixes: bool
    forwards: bool
    are_rebuilt: bool
    keywords: Mapping[str, Literal[4, 6] | None]


@dataclass(frozen=True)
class PoliceSyntax:
    """Policers.

    Attributes:
        statement: A policer's line, with groups `cir`, `cbs`, `pir`, `ebs`, and perhaps `cir_unit` and `pir_unit`.
        unstated_violate: The default violate action; None: there is no second bucket.
        class_mark: The words of an action before a QoS group.
        loss_mark: The words of an action before a discard class.
    """

    statement: re.Pattern[str]
    unstated_violate: Treatment | None
    class_mark: tuple[str, ...]
    loss_mark: tuple[str, ...]


@dataclass(frozen=True)
class QueueDefaults:
    """Queue limits of an operator's class as the platform understands them.

    Attributes:
        priority: That of a priority class that states none.
        of_class: That of another class that states none, from its guarantee in per cent and the port's rate in bit/s.
        packet_bytes: The size of a packet in a limit in packets.
        by_class_rate: A time is one at the rate of the class, not of the port.
    """

    priority: Buffer
    of_class: Callable[[int, int], Buffer]
    packet_bytes: int
    by_class_rate: bool


@dataclass(frozen=True)
class QueueSyntax:
    """Classes of an output policy.

    Attributes:
        limit_units: Units of a queue limit.
        strict: The share of a strict class and its ceiling, from its `priority` and its policer.
        strict_has_limit: A strict class has a queue limit.
        curve: A line of random-detect.
        has_weights: The average queue length has a weight, and thresholds by discard class must be enabled.
        strict_ceiling: What the rate of a priority without policer is.
        defaults: Queue limits of an operator's class.
    """

    limit_units: tuple[BufferUnit, ...]
    strict: Callable[[Section, Section | None], tuple[int, Ceiling]]
    strict_has_limit: bool
    curve: Callable[[Section], DropCurve]
    has_weights: bool
    strict_ceiling: Ceiling
    defaults: QueueDefaults


@dataclass(frozen=True)
class CiscoSyntax:
    """The syntax of one platform.

    Attributes:
        default_match: How a class-map combines conditions by default.
        statements: What its statements can touch.
        port_statements: What those of a judged interface can touch.
    """

    platform: str
    highest_group: int
    default_match: Literal["match-any", "match-all"]
    lists: ListSyntax
    police: PoliceSyntax
    queues: QueueSyntax
    statements: StatementTable
    port_statements: StatementTable
