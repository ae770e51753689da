"""The capabilities of EOS routers (7280R3).

Sources: EOS User Manual, "Quality of Service", "Traffic Management"; the configurations that Arista's AVD is tested
with (eos_cli_config_gen: traffic-policies, qos). Ranges of `police` are known; no public text was read for them.
"""

import re

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.eos.classes import CONTROL_QUEUE
from hntes.platforms.eos.load import LOAD
from hntes.rules.qos.policer_rates import PolicerRates

CAPABILITIES = Capabilities(
    commit_model="candidate",
    counters="pair",
    queues=CONTROL_QUEUE + 1,
    # Round-robin queues share by weight; which queues are strict is said by their numbers.
    queue_priorities=(),
    burst_bytes=range(256, 128_000_001),
    redirect_kinds=frozenset({"next_hop"}),
    lsp_redirect_keys=(),
    policer_rates=PolicerRates((("kbps", 1_000),), 200_000_000),
    interface_name=re.compile(r"Ethernet\d+(?:/\d+){0,2}|Port-Channel\d+"),
    system_description=re.compile(r"\bArista Networks EOS\b|\bArista\b|\bEOS-\d", re.IGNORECASE),
    has_trial_ids=True,
    load=LOAD,
)
