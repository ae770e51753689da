"""ACX7000 family (Junos OS Evolved)."""

import re

from hntes.platforms.hardware import Hardware, Ranking
from hntes.settings.terms import ALPHA, BETA, NETWORK_CONTROL, PREMIUM, SCAVENGER

_DESIGN = "Juniper Validated Design, Low Latency Queueing, design guide: Multi-Level Priority"

HARDWARE = Hardware(
    name="acx7000",
    models="ACX7000 family",
    recognized=re.compile(r"^(?:#+|Model:|Chassis\b).*\b(acx7\d{3}[\w-]*)\b", re.IGNORECASE | re.MULTILINE),
    # Each queue preempts those of lower priority, whatever they are guaranteed; those of low share by weight.
    ranking=Ranking((("strict-high",), ("high",), ("medium-high",), ("medium-low",), ("low",)), is_strict=True),
    priorities=dict.fromkeys((ALPHA, BETA, NETWORK_CONTROL, PREMIUM, SCAVENGER), "low"),
    # What a queue may have of the shared buffer, of which HNTES gives queues their parts.
    buffers_ms=(
        (10 * 10**9, 40),
        (25 * 10**9, 80),
        (40 * 10**9, 50),
        (100 * 10**9, 40),
        (200 * 10**9, 20),
        (400 * 10**9, 10),
    ),
    continues=False,
    redirects_classified=False,
    sources={
        "queues": f"{_DESIGN}; eight forwarding classes and eight queues",
        "ranking": f"{_DESIGN}: all queues preempt lower priority, low is WFQ; shape the others to prevent starvation",
        "priorities": f"{_DESIGN}: without a shaping rate only low starves nothing",
        "buffers_ms": "Juniper, ACX7000 Configuration Essentials, Class of Service, table 2: Shared Buffer per VOQ",
        "continues": "Juniper, Standard Firewall Filter Nonterminating Actions on ACX Series Routers: no next term (of "
        "older ACX; no text was found that ACX7000 has it)",
        "redirects_classified": "Juniper, Standard Firewall Filter Terminating Actions on ACX Series Routers: "
        "routing-instance allows no other action (of older ACX; no text was found that ACX7000 does)",
    },
)
