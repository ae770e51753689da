"""The capabilities of IOS-XR routers (ASR 9000)."""

import re

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.cisco.limits import BURST_BYTES, MAX_RESERVATIONS, name_lengths
from hntes.platforms.hardware import hardware_in
from hntes.platforms.iosxr import hardware
from hntes.platforms.iosxr.load import LOAD
from hntes.rules.qos.policer_rates import PolicerRates

CAPABILITIES = Capabilities(
    commit_model="candidate",
    counters="class",
    # QoS groups 0..512 (Cisco IOS XR Modular QoS Command Reference for ASR 9000, `set qos-group`).
    queues=513,
    queue_priorities=("strict-high",),
    burst_bytes=BURST_BYTES,
    redirect_kinds=frozenset({"next_hop", "lsp"}),
    lsp_redirect_keys=("tunnel",),
    router_keys=frozenset({"adopt"}),
    # `police rate` is a 32-bit number of bps, kbps, mbps or gbps.
    policer_rates=PolicerRates(
        (("gbps", 1_000_000_000), ("mbps", 1_000_000), ("kbps", 1_000), ("bps", 1)), 4_294_967_295
    ),
    name_lengths=name_lengths(class_map=63),
    max_reservations=MAX_RESERVATIONS,
    system_description=re.compile(r"IOS[ -]?XR", re.IGNORECASE),
    hardware=hardware_in(hardware),
    load=LOAD,
)
