"""NCS 5500 and 540 (Jericho, Qumran)."""

import re

from hntes.platforms.hardware import Hardware

_GUIDE = "Cisco, QoS Troubleshooting Guide for NCS 5500 Series"
_BUFFERING = "Cisco, NCS5500 QoS Part 1, Understanding Packet Buffering (xrdocs.io, ncs5500)"
_KNOWN = "known, no public text was read for it"

HARDWARE = Hardware(
    name="ncs",
    models="NCS 5500 and 540",
    recognized=re.compile(
        r"^(?:!.*|cisco .*|.*\bPID: *)\b(NCS-?5[05]\w*|NCS-?540\w*|N540\w*-\w+)\b", re.IGNORECASE | re.MULTILINE
    ),
    # 4 GB for 900 Gb/s of an NPU; a queue-limit may allow more where other ports are idle.
    buffers_ms=((10**13, 35),),
    max_terms={4: 4_000, 6: 2_000},
    carrier="traffic-class",
    control_queue=7,
    has_strict_high=False,
    moves_classes=False,
    sources={
        "queues": f"{_BUFFERING}: 8 virtual output queues for each port",
        "buffers_ms": f"{_BUFFERING}: 4 GB of DRAM for each NPU, 900 Gb/s",
        "max_terms": "Cisco, Security ACL on NCS5500 Part 1 (xrdocs.io, ncs5500): Scale, without changed profiles",
        "carrier": f"{_GUIDE}: traffic-class selects the queue on output, qos-group marks",
        "control_queue": f"{_KNOWN}: the router's own control packets are of traffic class 7",
        "has_strict_high": f"{_KNOWN}: no policer on output, by which HNTES limits a priority class",
        "moves_classes": f"{_KNOWN}: a policer marks, and does not set the traffic class",
    },
)
