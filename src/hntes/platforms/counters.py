"""A counter of packets that HNTES' text matched on a router."""

from dataclasses import dataclass

from hntes.platforms.device_errors import DeliveryError

MOST = 2**63 - 1
# RFC 791, section 3.1: no packet has fewer octets than its header of 5 words.
LEAST_BYTES = 20


@dataclass(frozen=True)
class Counter:
    """One counter, since the router began to count. `interface` is empty where all interfaces are counted together.

    `bytes` are those of IP packets or of frames, as the platform has it.
    """

    name: str
    interface: str
    packets: int
    bytes: int

    def __post_init__(self) -> None:
        where = f"counter {self.name}" + (f" of {self.interface}" if self.interface else "")
        if not (0 <= self.packets <= MOST and 0 <= self.bytes <= MOST):
            raise DeliveryError(f"{where}: {self.packets} packets, {self.bytes} bytes are no numbers of 63 bits")
        if self.bytes < LEAST_BYTES * self.packets:
            raise DeliveryError(f"{where}: {self.packets} packets cannot have {self.bytes} bytes; it is not believed")
