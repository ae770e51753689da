"""Advice on the beta queue's share of a port: measured load, required rate, and fit of the split in force.

Pure. Rates are bit/s on the wire: IP bytes with what Ethernet adds to each packet, as the port has to send them.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from hntes.format import at, counted, gbps
from hntes.gate.shares.port_load import LoadedDay, PortLoad
from hntes.settings.shares import Shares

State = Literal["unknown", "too_small", "tight", "fits", "generous"]
# A peak is taken this many standard deviations of its sampling error larger, where that is more than the margin.
SAMPLING_SD = 3
# Above this share of a port nothing is left to judge an alpha flow beside (the gate's MOST_BETA_PCT).
LONE_PCT = 90
# Bursts take so many times the share that the minute's mean does, before a share is called more than enough.
BURST_FACTOR = 2


@dataclass(frozen=True)
class Split:
    """A port's shares in per cent of its rate: alpha, beta, and all other queues together.

    `idle_share_pct` is the part of the others that is idle by plan (network control) and that the router shares out
    among the busy queues by their shares; 0 where another queue goes first.
    """

    alpha_share_pct: int
    beta_share_pct: int
    other_share_pct: int
    idle_share_pct: int = 0

    def __str__(self) -> str:
        return f"{self.alpha_share_pct}/{self.beta_share_pct}"

    def with_beta(self, beta_share_pct: int) -> "Split":
        """The other queues as they are, alpha and beta sharing the rest: what beta does not get is alpha's."""
        return replace(self, alpha_share_pct=100 - self.other_share_pct - beta_share_pct, beta_share_pct=beta_share_pct)

    def beta_bps(self, rate_bps: int) -> int:
        """What beta gets of a port of this rate while all queues but the idle ones are full, in bit/s."""
        return rate_bps * self.beta_share_pct // (100 - self.idle_share_pct)


@dataclass(frozen=True)
class Demand:
    """The rate that the beta queue of one port needs.

    `measured_bps` is the highest of the days' minutes that count, of the day `peak`. `needed_bps` adds the margin, or
    three standard deviations of the sampling error where that is more. `complete_days` of `wanted_days` had complete
    data; `notes` name the others and what else limits the measure, one sentence for each.
    """

    port: PortLoad
    peak: LoadedDay | None
    needed_bps: int
    complete_days: int
    wanted_days: int
    notes: tuple[str, ...]

    @property
    def measured_bps(self) -> int:
        return self.peak.chosen_bps if self.peak else 0

    @property
    def is_known(self) -> bool:
        """Whether there is any measurement."""
        return self.peak is not None

    @property
    def minutes(self) -> int:
        """In how many minutes the router had flows, on all days that were measured."""
        return sum(day.minutes for day in self.port.days)

    def needed_days(self, shares: Shares) -> int:
        """How many complete days are enough."""
        return min(shares.min_complete_days, self.wanted_days)

    def is_enough(self, shares: Shares) -> bool:
        """Whether enough days are complete to believe in a load that is lower than it seems."""
        return self.complete_days >= self.needed_days(shares)


@dataclass(frozen=True)
class Fit:
    """Whether a split fits a demand; `sentence` says it in the operator's words, `is_warning` that it is pressing."""

    state: State
    sentence: str

    @property
    def is_warning(self) -> bool:
        return self.state in ("too_small", "tight")


def demand(port: PortLoad, shares: Shares) -> Demand:
    """The demand of one port over its days. A day without complete data can raise it, never lower it.

    A lone minute (`lone_minute`) is set aside: its day counts by what 99 % of its minutes do not exceed.
    """
    complete = [day for day in port.days if day.complete]
    lone = lone_minute(port)
    counted_days = [replace(day, chosen_bps=day.p99_bps) if day is lone else day for day in port.days]
    peak = max(counted_days, key=lambda day: (day.chosen_bps, day.complete), default=None)
    notes = list(port.notes)
    if lone is not None:
        notes.append(lone_sentence(port, lone))
    doubtful = [day for day in port.days if not day.complete]
    if doubtful:
        named = [f"{day.day} ({day.reason})" if day.reason else str(day.day) for day in doubtful]
        notes.append(
            f"{counted(len(doubtful), 'day')} with incomplete data, which count only for their traffic: "
            f"{_listed(named)}"
        )
    if port.unmeasured:
        notes.append(f"{counted(len(port.unmeasured), 'day')} not measured: {_listed(list(map(str, port.unmeasured)))}")
    needed = 0
    if peak is not None:
        room = Fraction(peak.chosen_bps * (100 + shares.margin_pct), 100)
        needed = -(-room.numerator // room.denominator)
        if peak.sd_bps is None:
            notes.append("the sampling rate at the peak is unknown, so is its error")
        else:
            needed = max(needed, peak.chosen_bps + SAMPLING_SD * peak.sd_bps)
    return Demand(port, peak, needed, len(complete), shares.days, tuple(notes))


def lone_minute(port: PortLoad) -> LoadedDay | None:
    """The day whose fullest minute alone would make every change of the port not judgeable, None if there is none.

    It takes more than LONE_PCT of the port and at least twice what 99 % of that day's minutes and every other day
    reached. A port that is really full is full again; four forged datagrams are not.
    """
    fullest = max(port.days, key=lambda day: day.chosen_bps, default=None)
    if fullest is None or not fullest.is_peak_minute or 100 * fullest.peak_bps <= LONE_PCT * port.rate_bps:
        return None
    others = [day.chosen_bps for day in port.days if day is not fullest]
    return fullest if 2 * max([fullest.p99_bps, *others]) <= fullest.peak_bps else None


def lone_sentence(port: PortLoad, lone: LoadedDay) -> str:
    """The minute that was set aside, and the evidence."""
    others = max((day.chosen_bps for day in port.days if day is not lone), default=0)
    return (
        f"one minute of {port.name} is set aside: {gbps(lone.peak_bps)} {at(lone.peak_ms)} is more than {LONE_PCT}% of "
        f"the port, while 99% of that day's minutes stay below {gbps(lone.p99_bps)} and the other days below "
        f"{gbps(others)}; if it was true traffic, give the port more rate"
    )


def needed_share_pct(needed: Demand, shares: Shares, idle_share_pct: int = 0) -> int | None:
    """The least allowed share, a multiple of the step, whose rate (`Split.beta_bps`) holds the demand.

    None where none does or nothing was measured. This is arithmetic alone; only a simulation shows what the queues
    make of it.
    """
    if not needed.is_known:
        return None
    exact = Fraction((100 - idle_share_pct) * needed.needed_bps, needed.port.rate_bps)
    steps = -(-exact // shares.step_pct)
    share = max(int(steps) * shares.step_pct, _lowest(shares))
    return share if share <= 100 else None


def candidate_splits(present: Split, shares: Shares) -> tuple[Split, ...]:
    """All splits that may be advised, by growing beta share."""
    most = 100 - present.other_share_pct - shares.min_alpha_share_pct
    return tuple(present.with_beta(beta) for beta in range(_lowest(shares), most + 1, shares.step_pct))


def fit(needed: Demand, split: Split | None, shares: Shares) -> Fit:
    """Whether the split leaves the beta queue enough rate for the demand."""
    port = needed.port
    if split is None:
        return Fit("unknown", f"{port.name}: the plan has no separate queues for alpha and beta, so no split")
    if needed.peak is None:
        why = port.notes[0] if port.notes else "no day of it was measured yet"
        return Fit("unknown", f"{port.name}: the beta load is unknown: {why}")
    least_bps = split.beta_bps(port.rate_bps)
    has = f"the beta queue of {port.name} is guaranteed {gbps(least_bps)} ({split.beta_share_pct}%)"
    if split.idle_share_pct:
        part = f"{split.beta_share_pct}% and its part of what network control leaves"
        has = f"the beta queue of {port.name} gets {gbps(least_bps)} with an alpha flow ({part})"
    peak = needed.peak
    reached = f"beta traffic reached {gbps(peak.chosen_bps)}{_error(peak)} {_when(peak)}"
    if peak.chosen_bps > least_bps:
        short = gbps(peak.chosen_bps - least_bps)
        return Fit("too_small", f"the split no longer fits: {has}, but {reached}, {short} more")
    if needed.needed_bps > least_bps:
        return Fit(
            "tight",
            f"the split leaves too little margin: {has}; {reached}, with its margin {gbps(needed.needed_bps)}",
        )
    least = needed_share_pct(needed, shares, split.idle_share_pct)
    for_bursts = None if least is None else BURST_FACTOR * least
    if (
        for_bursts is not None
        and split.beta_share_pct - for_bursts >= shares.remark_above_pct
        and needed.is_enough(shares)
    ):
        return Fit(
            "generous",
            f"{has}, more than it needs: {reached}; {for_bursts}% would do, with bursts of twice the minute's mean",
        )
    return Fit("fits", f"{has}; {reached}")


def _lowest(shares: Shares) -> int:
    """The lower bound as a multiple of the step."""
    return -(-shares.min_beta_share_pct // shares.step_pct) * shares.step_pct


def _when(day: LoadedDay) -> str:
    if not day.peak_bps:
        return "in all that was measured"
    if not day.is_peak_minute:
        return f"on {day.day} (its peak {gbps(day.peak_bps)} {at(day.peak_ms)})"
    return at(day.peak_ms)


def _error(day: LoadedDay) -> str:
    return f" +- {gbps(day.sd_bps)}" if day.sd_bps else ""


def _listed(words: list[str]) -> str:
    return ", ".join(words[:3]) + (f" and {len(words) - 3} more" if len(words) > 3 else "")
