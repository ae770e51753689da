"""PTX series."""

import re

from hntes.platforms.hardware import Hardware, Ranking

_SCHEDULING = "Juniper, Understanding Scheduling on PTX Series Routers"

HARDWARE = Hardware(
    name="ptx",
    models="PTX series",
    recognized=re.compile(r"^(?:#+|Model:|Chassis\b).*\b(ptx\d[\w-]*)\b", re.IGNORECASE | re.MULTILINE),
    # The interface has high, medium and low: the five priorities share them. This is normal scheduling; the option
    # strict-priority-scheduler of a traffic control profile is refused.
    ranking=Ranking((("strict-high", "high"), ("medium-high", "medium-low"), ("low",))),
    sources={
        "queues": f"{_SCHEDULING}; Juniper, Schedulers Overview: 8 queues",
        "ranking": f"{_SCHEDULING}: Output Queue Priorities, Scheduling Processes",
        "buffers_ms": "no figure per port was found; Juniper, buffer-size (Schedulers): it differs from card to card",
    },
)
