"""Limits of IOS-XE."""

from collections.abc import Iterator

from hntes.platforms.cisco import limits
from hntes.rules.qos.model import RouterModel, Scheduler

MAX_QUEUE_PACKETS = 8_192_000
PACKET_BYTES = 1_500
BITS_PER_BYTE = 8


def queue_packets(model: RouterModel, scheduler: Scheduler, rate_bps: int) -> int:
    """The scheduler's share of the buffer of a port of that rate, in packets of `PACKET_BYTES`; at least 2."""
    port_bytes = int(rate_bps * model.port_buffer_ms // 1000) // BITS_PER_BYTE
    return max(2, port_bytes * scheduler.buffer_share_pct // 100 // PACKET_BYTES)


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each part of the model that IOS-XE does not support."""
    yield from limits.problems(model)
    rates = sorted({each.rate_bps for each in model.interfaces if each.is_core})
    for scheduler in model.schedulers:
        for rate in rates:
            packets = queue_packets(model, scheduler, rate)
            if packets > MAX_QUEUE_PACKETS:
                yield (
                    f"scheduler {scheduler.name}: its queue at {rate} bit/s is {packets} packets, above "
                    f"{MAX_QUEUE_PACKETS}, the maximum on iosxe; lower its buffer share"
                )
