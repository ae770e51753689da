"""An emulated router that runs approved rules, and an installation that knows it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hntes.workflow.context import Context
from hntes.workflow.delivery.push import push_router
from hntes.workflow.delivery.scheduled_delivery import (
    ScheduledDelivery,
    ScheduledRound,
    deliver_scheduled,
    run_scheduled_round,
)
from hntes.workflow.reservations.reservation_status import path_status
from tests.support.delivery import OPERATORS_OWN, SharedTimer
from tests.support.devices.farm import EmulatedRouter, Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.installation import Installation
from tests.support.reserving import NOW_S, set_clock
from tests.support.scheduled_site import access, approve_rules, at, by_quota, pass_gate, propose, scheduled_site


@dataclass
class Edge:
    """r1 runs approved rules."""

    context: Context
    router: JunosRouter
    served: EmulatedRouter
    patched: pytest.MonkeyPatch
    site: Installation

    def at(self, second: int) -> None:
        set_clock(self.patched, NOW_S + second)

    def prepare(self) -> None:
        propose(self.context)
        pass_gate(self.context)
        by_quota(self.context)

    def deliver(self, *, commit: bool = True) -> ScheduledDelivery:
        (found,) = deliver_scheduled(
            self.context, self.context.chosen(["r1"]), commit=commit, timer_of=lambda _: SharedTimer(self.router)
        )
        return found

    @property
    def now_s(self) -> int:
        """The second at which the test began."""
        return NOW_S

    def round(self) -> ScheduledRound:
        """As `hntes reserve deliver --commit`."""
        return run_scheduled_round(
            self.context, self.context.chosen(["r1"]), commit=True, timer_of=lambda _: SharedTimer(self.router)
        )

    def push(self) -> None:
        """As `hntes router deliver` does with rules."""
        push_router(self.context, self.context.settings.router("r1"), commit=True, timer=SharedTimer(self.router))

    def policed(self) -> dict[int, int]:
        """What the router itself polices, bit/s by reservation, as it prints its policers."""
        assert self.router.pending is None
        shown = "\n".join(write_text(self.router.active))
        found = re.findall(
            r"policer hntes-premium-reservation-(\d+) \{\s+if-exceeding \{\s+bandwidth-limit (\d+);", shown
        )
        return {int(number): int(bps) for number, bps in found}

    def pairs(self) -> int:
        return len(re.findall(r"term alpha-", "\n".join(write_text(self.router.active))))

    def states(self, number: int) -> list[tuple[str, str]]:
        return [(each.router, each.state) for each in path_status(self.context, number)]


@contextmanager
def running_schedule(folder: Path, farm: Farm, patched: pytest.MonkeyPatch, **settings: str) -> Iterator[Edge]:
    """r1 runs its rules since a moment ago; `settings` are as for `scheduled_site`."""
    set_clock(patched)
    router = JunosRouter.with_text("r1", OPERATORS_OWN)
    served = farm.serve(router, netconf=lambda user: NetconfSession(router, user))
    site = scheduled_site(folder, more=access(served), **settings)
    with at(site) as context:
        approve_rules(context)
        made = Edge(context, router, served, patched, site)
        made.push()
        yield made
