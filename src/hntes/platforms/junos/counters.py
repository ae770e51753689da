"""The counters of HNTES' filters in a Junos router's answer to <get-firewall-information>.

Source: Junos OS CLI Reference, "show firewall" (one counter per name in a filter, over all interfaces of the filter,
unless it is `interface-specific`; "Bytes", "Packets"). Element names are those of recorded answers in the tests of
CiscoTestAutomation/genieparser (Junos, `show firewall`): filter-information, filter-name, counter, counter-name,
packet-count, byte-count.
"""

import re
from collections.abc import Iterator

from lxml import etree

from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.grammar import OWN_NAME

_NUMBER = re.compile(r"\d{1,20}")


def firewall_counters(answer: etree._Element) -> tuple[Counter, ...]:
    """The counters of HNTES' filters by name, in the router's order.

    Raises:
        DeliveryError: a name or number is missing, a name is repeated, or a number is implausible.
    """
    found: dict[str, Counter] = {}
    for information in _below(answer, "filter-information"):
        if OWN_NAME.fullmatch(_text(information, "filter-name")):
            for each in _below(information, "counter"):
                name = _text(each, "counter-name")
                if name in found:
                    raise DeliveryError(f"the router's answer has counter {name[:80]!r} twice")
                found[name] = Counter(name, "", _number(each, "packet-count"), _number(each, "byte-count"))
    return tuple(found.values())


def _below(element: etree._Element, name: str) -> Iterator[etree._Element]:
    return (each for each in element.iter("{*}*") if etree.QName(each).localname == name)


def _text(element: etree._Element, name: str) -> str:
    found = next(_below(element, name), None)
    if found is None or not (found.text or "").strip():
        raise DeliveryError(f"the router's answer has a {etree.QName(element).localname} without <{name}>")
    return (found.text or "").strip()


def _number(element: etree._Element, name: str) -> int:
    text = _text(element, name)
    if _NUMBER.fullmatch(text) is None:
        raise DeliveryError(f"the router's answer has {text[:40]!r} as <{name}>")
    return int(text)
