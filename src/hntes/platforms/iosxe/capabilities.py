"""The capabilities of IOS-XE routers."""

import re

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.cisco.limits import BURST_BYTES, MAX_RESERVATIONS, name_lengths
from hntes.platforms.hardware import hardware_in
from hntes.platforms.iosxe import hardware
from hntes.platforms.iosxe.load import LOAD
from hntes.rules.qos.policer_rates import PolicerRates

CAPABILITIES = Capabilities(
    commit_model="line_by_line",
    counters="class",
    # QoS groups 0..99 (Cisco IOS QoS Command Reference, `set qos-group`).
    queues=100,
    queue_priorities=("strict-high",),
    burst_bytes=BURST_BYTES,
    redirect_kinds=frozenset({"next_hop", "lsp"}),
    lsp_redirect_keys=("tunnel",),
    router_keys=frozenset({"adopt"}),
    # `police cir` and `pir`, as supported by every release from 16.12; later ones allow a higher cir.
    policer_rates=PolicerRates(max_number=64_000_000_000),
    name_lengths=name_lengths(class_map=40),
    max_reservations=MAX_RESERVATIONS,
    system_description=re.compile(r"IOS[ -]?XE|LINUX_IOSD", re.IGNORECASE),
    hardware=hardware_in(hardware),
    load=LOAD,
)
