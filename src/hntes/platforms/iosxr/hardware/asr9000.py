"""ASR 9000."""

import re

from hntes.platforms.hardware import Hardware

HARDWARE = Hardware(
    name="asr9000",
    models="ASR 9000",
    recognized=re.compile(
        r"^(?:!.*|cisco .*|.*\bPID: *)\b(ASR[ -]?9\d{3}\w*|ASR9K|A9K-[\w-]+)\b", re.IGNORECASE | re.MULTILINE
    ),
    queues=513,
    # Line cards of the fourth generation share a buffer: 10 ms are a port's own, 100 ms the most it may have.
    buffers_ms=((10**13, 100),),
    sources={
        "queues": "Cisco IOS XR Modular QoS Command Reference for ASR 9000, set qos-group: groups 0 to 512",
        "buffers_ms": "Cisco, Dynamic Packet Buffering (xrdocs.io, asr9k): 100 ms of a port under congestion",
    },
)
