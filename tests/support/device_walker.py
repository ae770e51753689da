"""Packets walked through what an emulated router with SR OS or EOS holds: whether an edge drops them, and their class.

An oracle beside `packet_walker`, on the emulators' own trees: it shares no code with the parsers. Sources: 7750 SR
Router Configuration Guide, "Filter policies" (the first matching entry decides, embedded entries stand at their number
plus the offset); EOS User Manual, "Access Control Lists", "Traffic Management" (rules of a traffic policy in order).
"""

from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Any

from tests.support.devices.cisco.section import Section
from tests.support.packet_walker import Packet, UnsupportedError, Walked

# By number of their queue; EOS has best effort in class 1 (docs/decisions/0078-eos.md).
_SROS_CLASSES = ("be", "l2", "af", "l1", "h2", "ef", "h1", "nc")
_EOS_QUEUES = {"1": 0, "0": 1, **{str(number): number for number in range(2, 8)}}


def _within(address: str, prefix: str) -> bool:
    network, found = ip_network(prefix), ip_address(address)
    return found.version == network.version and found in network


def sros_walk(data: Any, interface: str, packet: Packet) -> Walked:
    """Through the filter on ingress of a router interface; unmarked packets are in class be."""
    is_ipv6 = ":" in packet[0]
    bound = data["router"][("Base",)]["interface"][(interface,)].get("ingress", {}).get("filter", {})
    name = bound.get("ipv6" if is_ipv6 else "ip")
    if name is None:
        return Walked(False, 0, ())
    filters = data["filter"]["ipv6-filter" if is_ipv6 else "ip-filter"]
    for _, entry in sorted(_sros_entries(filters, name), key=lambda each: each[0]):
        if all(_sros_meets(each, packet) for each in entry.get("match", {}).items()):
            action = entry.get("action", {})
            return Walked("drop" in action, _SROS_CLASSES.index(action.get("fc", "be")), ())
    return Walked(filters[(name,)].get("default-action", "drop") == "drop", 0, ())


def _sros_entries(filters: Any, name: str) -> Iterator[tuple[int, Any]]:
    for (number,), entry in filters[(name,)].get("entry", {}).items():
        yield int(number), entry
    for embedded, offset in filters[(name,)].get("embed", {}).get("filter", {}):
        for number, entry in _sros_entries(filters, embedded):
            yield number + int(offset), entry


def _sros_meets(condition: tuple[str, Any], packet: Packet) -> bool:
    word, said = condition
    if word not in ("src-ip", "dst-ip") or set(said) != {"address"}:
        raise UnsupportedError(f"match {word} {said}")
    return _within(packet[word == "dst-ip"], said["address"])


def eos_walk(root: Section, interface: str, packet: Packet) -> Walked:
    """Through the access list and the traffic policy on input of an interface; unmarked packets are in class 1."""
    lines = [each.text for each in root.below[f"interface {interface}"].below.values()]
    lists = [line.split()[2] for line in lines if line.startswith("ip access-group ") and line.endswith(" in")]
    if ":" not in packet[0] and not all(_eos_permits(root.below[f"ip access-list {name}"], packet) for name in lists):
        return Walked(True, 0, ())
    for line in lines:
        if line.startswith("traffic-policy input "):
            policy = root.below["traffic-policies"].below[f"traffic-policy {line.split()[-1]}"]
            return next(_eos_rules(policy, packet))
    return Walked(False, 0, ())


def _eos_permits(access_list: Section, packet: Packet) -> bool:
    for each in access_list.below.values():
        _, verb, protocol, *ends = each.text.split()
        if protocol != "ip" or len(ends) != 2:
            raise UnsupportedError(each.text)
        if all(end == "any" or _within(address, end) for address, end in zip(packet, ends, strict=True)):
            return verb == "permit"
    return False


def _eos_rules(policy: Section, packet: Packet) -> Iterator[Walked]:
    """The outcome of each rule that a packet meets, in their order."""
    for rule in policy.below.values():
        _, _, family = rule.text.split()
        prefixes = [each.text.split() for each in rule.below.values() if each.text != "actions"]
        if any(words[1:2] != ["prefix"] or len(words) != 3 for words in prefixes):
            raise UnsupportedError(f"{rule.text}: {prefixes}")
        is_met = all(_within(packet[words[0] == "destination"], words[2]) for words in prefixes)
        if is_met and (family == "ipv6") == (":" in packet[0]):
            actions = [each.text for each in rule.below["actions"].below.values()] if "actions" in rule.below else []
            classes = [each.split()[-1] for each in actions if each.startswith("set traffic class ")]
            yield Walked("drop" in actions, _EOS_QUEUES[classes[0] if classes else "1"], ())
