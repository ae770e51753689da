"""The limits and features of a platform, as data for generic checks and the layers above."""

import re
from dataclasses import dataclass
from typing import Literal

from hntes.platforms.hardware import Hardware
from hntes.platforms.load import LoadObjects
from hntes.rules.qos.policer_rates import EVERY_RATE, PolicerRates
from hntes.settings.terms import Priority

# candidate: a change is prepared in a candidate configuration and committed as a whole. line_by_line: each line takes
# effect as it is typed, so the result is computed and judged before the first line is sent.
CommitModel = Literal["candidate", "line_by_line"]
RedirectKind = Literal["next_hop", "lsp"]


@dataclass(frozen=True)
class NameLengths:
    """Maximum lengths of names in characters, including the prefixes and suffixes that HNTES adds."""

    forwarding_class: int = 64
    filter: int = 64
    reservation: int = 64


@dataclass(frozen=True)
class Capabilities:
    """The capabilities of one platform's routers.

    Attributes:
        commit_model: How a change takes effect.
        counters: Packets are counted per prefix pair, or for all pairs together.
        queues: How many numbers of queues there are, from 0: hardware queues, or QoS groups.
        queue_priorities: Priorities that rank queues; queues of all other priorities share equally.
        burst_bytes: Token bucket sizes of policers.
        redirect_kinds: Supported kinds of redirection.
        lsp_redirect_keys: The keys of an LSP redirect in the settings that the platform requires.
        router_keys: The platform-specific keys of `[[routers]]` that this platform supports.
        policer_rates: Rates of policers.
        name_lengths: Maximum lengths of names.
        max_reservations: Reservations that one router can police at once; None: no known limit.
        filter_lists: An interface supports an operator's filter behind that of HNTES.
        interface_name: The form of interface names; None: not checked.
        system_description: What its SNMP agents write into sysDescr, and inventories call it; None: not known.
        adds_classes: A class of HNTES can be added to the operator's schedulers (`adopt.policy` alone).
        delivers: HNTES itself can deliver to the platform.
        has_trial_ids: HNTES gives its trials an id, by which `Device.undo_trial` ends no other.
        load: What its SNMP agents tell of processor and memory; None: not known.
        hardware: Families of routers with different capabilities, by name; empty: all are alike.
    """

    commit_model: CommitModel
    counters: Literal["pair", "class"]
    queues: int
    queue_priorities: tuple[Priority, ...]
    burst_bytes: range
    redirect_kinds: frozenset[RedirectKind]
    lsp_redirect_keys: tuple[str, ...]
    router_keys: frozenset[str] = frozenset()
    policer_rates: PolicerRates = EVERY_RATE
    name_lengths: NameLengths = NameLengths()
    max_reservations: int | None = None
    filter_lists: bool = False
    interface_name: re.Pattern[str] | None = None
    system_description: re.Pattern[str] | None = None
    adds_classes: bool = False
    delivers: bool = True
    has_trial_ids: bool = False
    load: LoadObjects | None = None
    hardware: tuple[Hardware, ...] = ()

    def ranks(self, one: Priority, other: Priority) -> bool:
        """Whether a queue of one priority is served before one of the other."""
        return one != other and {one, other} <= set(self.queue_priorities)
