"""MX series with MPCs (Trio)."""

import re

from hntes.platforms.hardware import Hardware, Ranking

_COMPARED = "Juniper, Queuing Parameters for the Router Hardware, PIC, MIC, and MPC Interface Families, table 1"

HARDWARE = Hardware(
    name="mx",
    models="MX series with MPCs",
    recognized=re.compile(r"^(?:#+|Model:|Chassis\b).*\b(v?mx\d*)\b", re.IGNORECASE | re.MULTILINE),
    # Three levels within guaranteed rates: the middle priorities share one.
    ranking=Ranking((("strict-high", "high"), ("medium-high", "medium-low"), ("low",))),
    # 500 ms below 1 Gb/s; 100 ms from there on.
    buffers_ms=((999_999_999, 500), (10**13, 100)),
    sources={
        "queues": f"{_COMPARED}: 8 queues",
        "ranking": f"{_COMPARED}: 3 and 2 levels; which share one: D. Hanks, H. Reynolds, Juniper MX Series, chapter 5",
        "buffers_ms": "Juniper, Scheduler Delay Buffering on MIC and MPC Interfaces",
    },
)
