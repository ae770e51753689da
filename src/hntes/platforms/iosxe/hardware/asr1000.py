"""ASR 1000."""

import re

from hntes.platforms.hardware import Hardware

HARDWARE = Hardware(
    name="asr1000",
    models="ASR 1000",
    recognized=re.compile(
        r"^(?:!.*|cisco .*|.*\bPID: *|license udi pid )\b(ASR[ -]?1\d{3}\w*)", re.IGNORECASE | re.MULTILINE
    ),
    queues=100,
    # What the packet memory is divided by; a queue-limit may allow more.
    buffers_ms=((10**13, 50),),
    sources={
        "queues": "Cisco IOS QoS Command Reference, set qos-group: groups 0 to 99",
        "buffers_ms": "as in hntes.platforms.iosxe.syntax: the default queue-limit, 50 ms of the port",
    },
)
