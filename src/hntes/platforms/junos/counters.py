"""The counters of HNTES' filters in a Junos router's answer to <get-firewall-information>.

Source: Junos OS CLI Reference, "show firewall" (one counter per name in a filter, over all interfaces of the filter,
unless it is `interface-specific`; "Bytes", "Packets"); Routing Policies, Firewall Filters, and Traffic Policers User
Guide, "Guidelines for Applying Multiple Firewall Filters as a List" (the filters of a list become one filter per
interface, `xe-0/0/0.0-i`, and their counters get its name as a suffix). Element names are those of recorded answers in
the tests of CiscoTestAutomation/genieparser (Junos, `show firewall`): filter-information, filter-name, counter,
counter-name, packet-count, byte-count.
"""

import re
from collections.abc import Iterator

from lxml import etree

from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.grammar import OWN_NAME

# The filter that a router makes of an interface's input list, and the counters of HNTES in it (rules/qos/build.py).
_LIST = re.compile(r"\S+\.\d+-i")
_LISTED_COUNTER = re.compile(r"alpha-[0-9a-f]+")
_NUMBER = re.compile(r"\d{1,20}")


def firewall_counters(answer: etree._Element) -> tuple[Counter, ...]:
    """The counters of HNTES' filters by name, in the router's order; those of several interfaces are added up.

    Raises:
        DeliveryError: a name or number is missing, a name is repeated in a filter, or a number is implausible.
    """
    found: dict[str, Counter] = {}
    seen: set[tuple[str, str]] = set()
    for filter_name, name, each in _own(answer):
        if (filter_name, name) in seen:
            raise DeliveryError(f"the router's answer has counter {name[:80]!r} twice")
        seen.add((filter_name, name))
        read = Counter(name, "", _number(each, "packet-count"), _number(each, "byte-count"))
        other = found.get(name)
        found[name] = Counter(name, "", read.packets + other.packets, read.bytes + other.bytes) if other else read
    return tuple(found.values())


def _own(answer: etree._Element) -> Iterator[tuple[str, str, etree._Element]]:
    """The counters of HNTES with the names of their filters and their own, as the text has them."""
    for information in _below(answer, "filter-information"):
        filter_name = _text(information, "filter-name")
        is_own, is_list = OWN_NAME.fullmatch(filter_name), _LIST.fullmatch(filter_name)
        for each in _below(information, "counter") if is_own or is_list else ():
            name = _text(each, "counter-name").removesuffix(f"-{filter_name}")
            if is_own or _LISTED_COUNTER.fullmatch(name):
                yield filter_name, name, each


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
