"""Cisco 8000 (Silicon One)."""

import re

from hntes.platforms.hardware import Hardware

_GUIDE = "Cisco, Modular QoS Configuration Guide for Cisco 8000 Series Routers"
_KNOWN = "known, no public text was read for it"

HARDWARE = Hardware(
    name="8000",
    models="Cisco 8000",
    recognized=re.compile(
        r"^(?:!.*|cisco .*|.*\bPID: *)\b(8[12678][01]\d(?:-\w+)?|Cisco 8000)\b", re.IGNORECASE | re.MULTILINE
    ),
    # 8 GB for the 12.8 Tb/s of a Q200 with all ports congested; a queue may have more while others are idle.
    buffers_ms=((10**13, 5),),
    carrier="traffic-class",
    control_queue=7,
    has_strict_high=False,
    moves_classes=False,
    clears_exp=True,
    sources={
        "queues": f"{_GUIDE}, Traffic Management with VOQs: 8 queues for each port",
        "buffers_ms": "Cisco, 8608 Architecture (xrdocs.io, 8000): Q200 with 8 GB HBM",
        "carrier": f"{_GUIDE}: queueing policies match traffic-class",
        "control_queue": f"{_KNOWN}: the router's own control packets are of traffic class 7",
        "has_strict_high": f"{_KNOWN}: no policer on output, by which HNTES limits a priority class",
        "moves_classes": f"{_KNOWN}: a policer marks, and does not set the traffic class",
        "clears_exp": "Cisco, MPLS QoS on Cisco 8200/8800 Routing Platforms (xrdocs.io, 8000), note",
    },
)
