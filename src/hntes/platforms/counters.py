"""Packet counters of HNTES' rules on a router."""

from dataclasses import dataclass

from hntes.platforms.device_errors import DeliveryError

MOST = 2**63 - 1
# RFC 791, section 3.1: the minimum header is 5 words.
LEAST_BYTES = 20


@dataclass(frozen=True)
class Counter:
    """One counter, since the router started counting. `interface` is empty if it counts all interfaces.

    `bytes` are those of IP packets or of frames, depending on the platform.
    """

    name: str
    interface: str
    packets: int
    bytes: int

    def __post_init__(self) -> None:
        where = f"counter {self.name}" + (f" of {self.interface}" if self.interface else "")
        if not (0 <= self.packets <= MOST and 0 <= self.bytes <= MOST):
            raise DeliveryError(f"{where}: {self.packets} packets, {self.bytes} bytes are not 63-bit numbers")
        if self.bytes < LEAST_BYTES * self.packets:
            raise DeliveryError(f"{where}: {self.packets} packets cannot have {self.bytes} bytes; ignored")
