"""Counters of SR OS: packets that entered and matched an entry of a filter (nokia-state-filter, statistics)."""

import re
from collections.abc import Iterator

from lxml import etree

from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError

STATE = "urn:nokia.com:sros:ns:yang:sr:state"
# What is asked for: of both kinds of filters the entries' numbers and statistics.
FILTER = (
    f'<state xmlns="{STATE}"><filter>'
    + "".join(
        f"<{kind}><filter-name/><entry><entry-id/><statistics/></entry></{kind}>"
        for kind in ("ip-filter", "ipv6-filter")
    )
    + "</filter></state>"
)
_NUMBER = re.compile(r"\d{1,20}")


def filter_counters(state: etree._Element, names: dict[tuple[str, str], str]) -> tuple[Counter, ...]:
    """The counters of entries that have a name, given by filter and entry number.

    Raises:
        DeliveryError: a number is missing or none.
    """
    return tuple(_counters(state, names))


def _counters(state: etree._Element, names: dict[tuple[str, str], str]) -> Iterator[Counter]:
    for each in state.iter(f"{{{STATE}}}ip-filter", f"{{{STATE}}}ipv6-filter"):
        filter_name = _text(each, "filter-name")
        for entry in each.iter(f"{{{STATE}}}entry"):
            name = names.get((filter_name, _text(entry, "entry-id")))
            statistics = entry.find(f"{{{STATE}}}statistics")
            if name is not None and statistics is not None:
                packets, octets = (_number(statistics, f"ingress-hit-{unit}") for unit in ("pkt", "byte"))
                yield Counter(name, "", packets, octets)


def _text(element: etree._Element, name: str) -> str:
    found = element.find(f"{{{STATE}}}{name}")
    if found is None or not found.text:
        raise DeliveryError(f"the router's answer has a {etree.QName(element).localname} without <{name}>")
    return str(found.text).strip()


def _number(element: etree._Element, name: str) -> int:
    text = _text(element, name)
    if _NUMBER.fullmatch(text) is None:
        raise DeliveryError(f"the router's answer has {text[:40]!r} as <{name}>")
    return int(text)
