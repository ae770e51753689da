"""A three-colour marker before the alpha queue as data, and what early drops make of the colours."""

from dataclasses import dataclass
from typing import Literal

from hntes.simulator.scenario import Action, Actions, Conditioner, Meter, Srtcm, Trtcm

Colour = Literal["green", "yellow", "red"]
MarkedAction = Literal["mark", "drop"]
COLOURS: tuple[Colour, ...] = ("green", "yellow", "red")
_ACTIONS: dict[MarkedAction, Action] = {"mark": "pass", "drop": "drop"}


@dataclass(frozen=True)
class MarkerPlan:
    """A colour-blind meter: RFC 2697 without a peak rate, RFC 2698 with one; one per flow, or one for all of them.

    Rates are in bit/s of IP bytes. `excess_burst_bytes` is the EBS of RFC 2697 or the PBS of RFC 2698. Green packets
    pass; yellow and red ones pass with their colour (`mark`) or are dropped.
    """

    committed_rate_bps: float
    committed_burst_bytes: int
    excess_burst_bytes: int
    per_flow: bool
    peak_rate_bps: float | None = None
    yellow: MarkedAction = "mark"
    red: MarkedAction = "mark"

    @property
    def problem(self) -> str | None:
        """Why no packet could pass it, or no RFC knows it; None if all is well."""
        if min(self.committed_rate_bps, self.committed_burst_bytes, self.excess_burst_bytes) <= 0:
            bursts = f"{self.committed_burst_bytes} and {self.excess_burst_bytes} bytes"
            return f"a marker of {self.committed_rate_bps:g} bit/s, {bursts} has an empty bucket"
        if self.peak_rate_bps is not None and self.peak_rate_bps < self.committed_rate_bps:
            rates = f"{self.peak_rate_bps:g} bit/s is below the committed {self.committed_rate_bps:g} bit/s"
            return f"a marker's peak rate of {rates} (RFC 2698 asks for PIR >= CIR)"
        return None

    def conditioner(self, traffic_class: str) -> Conditioner:
        """The marker for the engine, which then has series by colour."""
        return Conditioner(
            class_=traffic_class,
            aggregate="flow" if self.per_flow else "class",
            meter=self._meter(),
            actions=Actions(yellow=_ACTIONS[self.yellow], red=_ACTIONS[self.red]),
            colour_series=True,
        )

    def _meter(self) -> Meter:
        committed = (self.committed_rate_bps, self.committed_burst_bytes)
        if self.peak_rate_bps is None:
            return Srtcm(*committed, self.excess_burst_bytes)
        return Trtcm(*committed, self.peak_rate_bps, self.excess_burst_bytes)


@dataclass(frozen=True)
class EarlyDrops:
    """Packets of a colour are dropped the more likely, the fuller their queue is.

    None is dropped up to `from_pct` of the queue's length, all are from `to_pct` on; a straight line lies between.
    """

    colour: Colour
    from_pct: float
    to_pct: float
