"""Months of alpha flows between hosts that return and vanish, whose effectiveness follows from how they were made.

Nothing here knows prefixes' arithmetic, ageing or replays: each habit states by itself on which of its days a rule of
the evening before is there.
"""

from dataclasses import dataclass, field
from datetime import date, timedelta

from hntes.rules.backtest.observed import HostBeta
from hntes.sql.observations import SeenFlow

FIRST = date(2026, 1, 1)
GB = 10**9


@dataclass
class KnownMonth:
    """Observations, and by day: all alpha bytes, those queued with /24 and with /32 rules, what /24 drags along."""

    days: int
    flows: list[SeenFlow] = field(default_factory=list)
    beta: list[HostBeta] = field(default_factory=list)
    alpha_bytes: dict[date, int] = field(default_factory=dict)
    queued_by_24: dict[date, int] = field(default_factory=dict)
    queued_by_32: dict[date, int] = field(default_factory=dict)
    dragged_by_24: dict[date, int] = field(default_factory=dict)
    _subnets: int = 0

    @property
    def last(self) -> date:
        return FIRST + timedelta(days=self.days - 1)

    def all_days(self) -> list[date]:
        return [FIRST + timedelta(days=number) for number in range(self.days)]

    def regular(self, every: int, size: int, *, ageing_days: int) -> None:
        """One host that sends every so many days: always missed on its first day, ever after if it returns too late."""
        self._subnets += 1
        returns_in_time = every <= ageing_days + 1
        for number in range(0, self.days, every):
            caught = number > 0 and returns_in_time
            self._send(number, 1, size, by_24=caught, by_32=caught)

    def vanishing(self, begins: int, size: int) -> None:
        """A host seen on one day alone."""
        self._subnets += 1
        self._send(begins, 1, size, by_24=False, by_32=False)

    def rotating(self, hosts: int, size: int, beta_bytes: int, *, ageing_days: int) -> None:
        """A cluster of which another host sends each day, in turn; a neighbour sends beta to the same destination."""
        self._subnets += 1
        for number in range(self.days):
            knows_host = number >= hosts and hosts <= ageing_days + 1
            self._send(number, 1 + number % hosts, size, by_24=number > 0, by_32=knows_host)
            day = FIRST + timedelta(days=number)
            self.beta.append(HostBeta(day, self._host(10, 250), self._host(20, 9), beta_bytes))
            self.dragged_by_24[day] = self.dragged_by_24.get(day, 0) + (beta_bytes if number > 0 else 0)

    def _send(self, number: int, host: int, size: int, *, by_24: bool, by_32: bool) -> None:
        day = FIRST + timedelta(days=number)
        source, destination = self._host(10, host), self._host(20, 9)
        flow = f"{source} 50000 > {destination} 2811 / 6"
        self.flows.append(SeenFlow(day, flow, source, destination, size, size, size, 0, False, False))
        for total, counts in ((self.alpha_bytes, True), (self.queued_by_24, by_24), (self.queued_by_32, by_32)):
            total[day] = total.get(day, 0) + (size if counts else 0)

    def _host(self, block: int, host: int) -> str:
        return f"{block}.{self._subnets >> 8}.{self._subnets & 255}.{host}"


def returning_and_vanishing(days: int, ageing_days: int) -> KnownMonth:
    """Hosts of every habit: in time to the day, a day too late, once, and clusters that rotate."""
    month = KnownMonth(days)
    for every in (1, 2, 7, ageing_days, ageing_days + 1, ageing_days + 2, 2 * ageing_days + 3):
        month.regular(every, every * GB + 7, ageing_days=ageing_days)
    for begins in range(0, days, 5):
        month.vanishing(begins, 2 * GB + begins)
    for hosts in (3, ageing_days + 1, ageing_days + 2):
        month.rotating(hosts, 3 * GB + hosts, 10**6 + hosts, ageing_days=ageing_days)
    return month


def as_published() -> KnownMonth:
    """94% of the bytes queued with /24, 82% with /32, the shares that the HNTES papers report.

    A cluster of 13 hosts sends one unit on each of 95 days: /24 misses its first day, /32 the first of each host. Five
    units of hosts seen once are missed by both: 94 and 82 of 100. Ageing never sets in.
    """
    month = KnownMonth(95)
    month.rotating(13, GB, 0, ageing_days=95)
    for begins in range(5):
        month.vanishing(begins, GB)
    return month
