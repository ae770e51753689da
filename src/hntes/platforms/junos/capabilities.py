"""The capabilities of Junos routers (MX series)."""

import re

from hntes.platforms.capabilities import Capabilities
from hntes.platforms.hardware import hardware_in
from hntes.platforms.junos import hardware
from hntes.platforms.junos.load import LOAD

CAPABILITIES = Capabilities(
    commit_model="candidate",
    counters="pair",
    queues=8,
    queue_priorities=("low", "medium-low", "medium-high", "high", "strict-high"),
    burst_bytes=range(1_500, 10_000_000_001),
    redirect_kinds=frozenset({"next_hop", "lsp"}),
    # Without routes the LSP would apply to every route of the router.
    lsp_redirect_keys=("name", "routes"),
    router_keys=frozenset(
        {
            "class_names",
            "fast_lookup_filter",
            "kept_classes",
            "adopt",
            "redirect.fallback_ipv4",
            "redirect.fallback_ipv6",
            "redirect.routes",
        }
    ),
    filter_lists=True,
    system_description=re.compile(r"Juniper|\bJUNOS\b", re.IGNORECASE),
    adds_classes=True,
    hardware=hardware_in(hardware),
    load=LOAD,
)
