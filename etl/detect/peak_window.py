"""The fullest window of a flow, as it is compared with the rate of its port."""

from dataclasses import dataclass

# What a port sends in any so long a time is compared with its rate. Exporters' clocks tick in up to a second, which
# moves a fifth of these bytes to the time before or after, and rates are a few per cent off.
BIN_MS = 5000


@dataclass(frozen=True, slots=True)
class PeakWindow:
    """A flow's fullest window: `bytes`, spread evenly over [start_ms, end_ms], out of the port of that SNMP index.

    `sd_bytes` is one standard deviation due to sampling; 0 where none is known.
    """

    flow_id: str
    port_index: int
    start_ms: int
    end_ms: int
    bytes: int
    sd_bytes: int

    @property
    def span_ms(self) -> tuple[int, int]:
        """When it was sent; an instant takes a millisecond, so that what was sent by a moment has no jumps."""
        return self.start_ms, max(self.end_ms, self.start_ms + 1)

    @property
    def fitting(self) -> float:
        """The largest part of it in any BIN_MS."""
        start, end = self.span_ms
        return min(1.0, BIN_MS / (end - start))

    @property
    def size_bytes(self) -> float:
        """The most of it in any BIN_MS."""
        return self.fitting * self.bytes
