"""The limits and features of a platform, as data that layers above and generic checks read."""

import re
from dataclasses import dataclass
from typing import Literal

from hntes.rules.qos.policer_rates import EVERY_RATE, PolicerRates
from hntes.settings.terms import Priority

# candidate: a change is prepared apart from what is in force, and committed as a whole. line_by_line: each line of it
# is in force as it is typed, so what it would lead to is worked out and judged before the first is sent.
CommitModel = Literal["candidate", "line_by_line"]
RedirectKind = Literal["next_hop", "lsp"]


@dataclass(frozen=True)
class NameLengths:
    """The longest names HNTES may give on a platform, in characters, after the prefixes and suffixes it adds there."""

    forwarding_class: int = 64
    filter: int = 64
    reservation: int = 64


@dataclass(frozen=True)
class Capabilities:
    """What the routers of one platform have and take.

    Attributes:
        commit_model: How a change takes effect.
        counters: Whether packets are counted per prefix pair, or for all pairs together.
        queues: Queues per port, numbered from 0.
        queue_priorities: Priorities that rank queues among each other; queues of all others share as equals.
        burst_bytes: Token bucket sizes of policers.
        redirect_kinds: Ways in which pairs can be redirected.
        lsp_redirect_keys: The keys of an LSP redirect in the settings that the platform needs.
        router_keys: The keys of `[[routers]]` in the settings that exist for some platforms only, and for this one.
        policer_rates: Rates of policers.
        name_lengths: The longest names.
        max_reservations: Reservations that one router can police at once; None: no limit is known.
        filter_lists: Whether an interface takes an operator's filter behind that of HNTES.
        interface_name: The form of interface names; None: no form is checked.
        delivers: Whether HNTES itself can deliver to the platform.
        hardware_families: Families of line cards or chassis with capabilities of their own; empty: all are alike.
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
    delivers: bool = True
    hardware_families: tuple[str, ...] = ()

    def ranks(self, one: Priority, other: Priority) -> bool:
        """Whether a queue of one priority is served before a queue of the other."""
        return one != other and {one, other} <= set(self.queue_priorities)
