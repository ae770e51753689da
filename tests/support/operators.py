"""Random configurations that an operator has on a router before HNTES comes, as the router lists them.

They hold objects of each kind that HNTES writes, under other names and on other interfaces, and statements on the
interfaces that HNTES uses, in places that it leaves alone. On Junos an edge interface may have an input filter.
"""

from collections.abc import Callable

from hypothesis import strategies as st

from tests.support.devices.junos.load import load
from tests.support.devices.junos.text import write_text
from tests.support.devices.junos.tree import Node
from tests.support.qos_models import PORTS

# Each only lets pass, discards and counts, so that it may stay behind a filter of HNTES.
FILTERS = {
    "customers": "term spoofed { from { source-address { 198.18.0.8/29; } } then { count spoofed; discard; } } "
    "term rest { then accept; }",
    "only-known": "term known { from { destination-address { 198.18.0.0/15; 203.0.113.0/24; } } then accept; }",
    "open": "term watched { from { source-address { 198.18.0.0/16; } } then { count watched; next term; } } "
    "term rest { then { log; accept; } }",
}
FILTERS_6 = {
    "customers6": "term spoofed { from { source-address { 2001:db8::8/125; } } then { reject; } } "
    "term rest { then accept; }",
}
_MAPS = """
class-of-service {
    schedulers { own { transmit-rate { percent 60; } } }
    scheduler-maps { own { forwarding-class network-control scheduler own; } }
}
"""
_BALANCED = """
policy-options { policy-statement balance { then { load-balance per-packet; } } }
routing-options { forwarding-table { export balance; } }
"""
_JUNOS_BLOCKS = (
    "system { host-name wr; }",
    "firewall { family inet { filter PROTECT-RE { term all { then accept; } } } }",
    "class-of-service { classifiers { dscp core { forwarding-class voice { loss-priority low code-points ef; } } } }",
    _MAPS,
    _BALANCED,
    "routing-options { static { route 198.51.100.0/24 discard; } }",
    "interfaces { xe-0/0/9 { unit 0 { family inet { address 192.0.2.41/30; } } } }",
)


@st.composite
def junos_operators(draw: st.DrawFn) -> str:
    """With the interfaces that the histories use, each with both families."""
    blocks = [each for each in _JUNOS_BLOCKS if draw(st.booleans())]
    named = {4: draw(st.none() | st.sampled_from(sorted(FILTERS))), 6: draw(st.sampled_from([None, None, *FILTERS_6]))}
    for port, unit in zip(PORTS["junos"], (100, 0, 0), strict=True):
        families = []
        for version, family in ((4, "inet"), (6, "inet6")):
            name = named[version] if draw(st.booleans()) else None
            bound = f"filter {{ input {name}; }}" if name is not None else ""
            families.append(f"family {family} {{ {bound} }}" if bound else f"family {family};")
        blocks.append(f'interfaces {{ {port} {{ unit {unit} {{ description "port"; {" ".join(families)} }} }} }}')
    for family, filters in (("inet", FILTERS), ("inet6", FILTERS_6)):
        blocks += [f"firewall {{ family {family} {{ filter {n} {{ {b} }} }} }}" for n, b in filters.items()]
    root = Node()
    assert load(root, "\n".join(blocks), "override") == []
    return "\n".join(write_text(root)) + "\n"


_LISTS: dict[str, Callable[[str], str]] = {
    "iosxe": lambda name: f"ip access-list extended {name}\n 10 permit ip host 192.0.2.77 any\n",
    "iosxr": lambda name: f"ipv4 access-list {name}\n 10 permit ipv4 host 192.0.2.77 any\n",
}
_MATCH = {"iosxe": "access-group name", "iosxr": "access-group ipv4"}


@st.composite
def cisco_operators(draw: st.DrawFn, platform: str) -> str:
    """Lists, classes, policies with shares of their own, route-maps, and interfaces that use them."""
    names = draw(st.lists(st.sampled_from(["management", "voice", "gold", "bulk"]), min_size=1, unique=True))
    share = draw(st.integers(1, 100 // (len(names) + 1)))
    first, second, third = PORTS[platform]
    text = "".join(_LISTS[platform](name) for name in names)
    text += "".join(f"class-map match-any {name}\n match {_MATCH[platform]} {name}\n" for name in names)
    classes = "".join(f" class {name}\n  bandwidth percent {share}\n" for name in names)
    text += f"policy-map own\n{classes} class class-default\n  bandwidth percent {100 - share * len(names)}\n"
    other = second.removesuffix("1") + "9"
    lines = ["service-policy output own"]
    if platform == "iosxe" and draw(st.booleans()):
        text += f"route-map leave permit 10\n match ip address {names[0]}\n set ip next-hop 192.0.2.78\n"
        lines.append("ip policy route-map leave")
    text += f"interface {other}\n" + "".join(f" {line}\n" for line in lines)
    for name in (f"{first}.100", second, third):
        said = draw(st.lists(st.sampled_from(["description port", "mtu 9000", "cdp enable"]), unique=True))
        text += f"interface {name}\n" + "".join(f" {line}\n" for line in said) if said else ""
    return text
