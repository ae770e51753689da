"""The capabilities of SR OS routers (7750 SR).

Sources: Nokia's YANG modules of releases 23.10 and 26.3: nokia-types-sros (fc-name), nokia-types-filter
(rate-limit-pir-kilobps, filter-name), nokia-conf-filter (action rate-limit mbs, forward).
"""

import re

from hntes.platforms.capabilities import Capabilities, NameLengths
from hntes.platforms.sros.load import LOAD
from hntes.rules.qos.policer_rates import PolicerRates

_PLACE = r"(?:\d+|esat-\d+)/(?:x\d+/)?(?:\d+/)?(?:c\d+/)?(?:u?\d+)"

CAPABILITIES = Capabilities(
    commit_model="candidate",
    counters="pair",
    queues=8,
    queue_priorities=("low", "medium-low", "medium-high", "high", "strict-high"),
    burst_bytes=range(1, 268_435_457),
    redirect_kinds=frozenset({"next_hop", "lsp"}),
    lsp_redirect_keys=("name",),
    router_keys=frozenset({"interfaces.logical"}),
    policer_rates=PolicerRates((("kbps", 1_000),), 2_000_000_000),
    name_lengths=NameLengths(forwarding_class=64, filter=55, reservation=64),
    filter_lists=True,
    interface_name=re.compile(rf"{_PLACE}|lag-[A-Za-z0-9_-]+"),
    system_description=re.compile(r"\bTiMOS\b|Nokia SR ?OS|\bSR ?OS\b", re.IGNORECASE),
    has_trial_ids=True,
    load=LOAD,
)
