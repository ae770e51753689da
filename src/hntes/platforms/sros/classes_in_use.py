"""The classes into which a router's own configuration puts packets.

Sources: 7750 SR Quality of Service Guide, "Network QoS policies", tables of the default policy (DSCP and LSP EXP on
ingress); nokia-conf-qos, network and sap-ingress; nokia-conf-filter, action fc.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hntes.platforms.sros.parser.tree import Node, below

# The default network policy, which cannot be changed: class -> marks, as names and as the three bits of EXP.
DEFAULT_POLICY = "default"
DEFAULT_MARKS = {
    "l2": ("cs1", "001"),
    "af": ("af11", "af12", "af13", "010", "011"),
    "l1": ("af21", "af22", "af23", "af31", "af32", "af33"),
    "h2": ("af41", "af42", "af43", "100"),
    "ef": ("ef", "101"),
    "h1": ("nc1", "110"),
    "nc": ("nc2", "111"),
}
_MARKED = ("dscp", "lsp-exp", "dot1p", "prec")
_FC_WORDS = ("fc", "default-fc")


@dataclass(frozen=True)
class ClassUse:
    """A statement that puts packets with some marks into a class; no marks: any packets."""

    name: str
    marks: frozenset[str]
    line: int
    statement: str


def stated_uses(configure: Node) -> Iterator[ClassUse]:
    """The uses that policies and filters of the operator's state, whether bound or not."""
    for kind in ("network", "sap-ingress"):
        for policy in configure.child("qos", kind) or ():
            ingress = policy.child("ingress") if kind == "network" else policy
            yield from _uses(ingress, {kind}) if ingress is not None else ()
    for kind in ("ip-filter", "ipv6-filter"):
        for each in configure.child("filter", kind) or ():
            yield from _uses(each, {kind})
    # `qos-route-lookup` of an interface takes the class from the route that such a policy has accepted.
    for each in configure.child("policy-options", "policy-statement") or ():
        yield from _uses(each, {"policy-statement"})


def _uses(policy: Node, kinds: set[str]) -> Iterator[ClassUse]:
    is_sap = "sap-ingress" in kinds
    for parent in (policy, *below(policy)):
        for word in _FC_WORDS:
            stated = parent.child(word)
            # `fc NAME { queue N }` of a SAP policy says how a class is queued, not what is in it
            if stated is None or (word == "fc" and parent is policy and is_sap):
                continue
            for value in stated:
                if not value.children:
                    yield ClassUse(value.word, _marks(parent), value.line, value.path)


def _marks(parent: Node) -> frozenset[str]:
    """The mark in front of a class: `dscp af41 { fc h2 }`, `lsp-exp 4 { fc h2 }`."""
    words = parent.path.split()
    if len(words) < 2 or words[-2] not in _MARKED:
        return frozenset()
    if words[-2] == "dscp":
        return frozenset({words[-1]})
    return frozenset({f"{int(words[-1]):03b}"}) if words[-1].isdigit() and int(words[-1]) < 8 else frozenset()


def default_uses(configure: Node, interfaces: frozenset[str]) -> Iterator[ClassUse]:
    """The uses of the default policy, if one of these router interfaces has no other."""
    for name in sorted(interfaces):
        interface = configure.child("router", "Base", "interface", name)
        bound = interface.child("qos", "network-policy") if interface is not None else None
        policies = [each.word for each in bound or ()]
        if interface is not None and policies in ([], [DEFAULT_POLICY]):
            for fc, marks in DEFAULT_MARKS.items():
                line = bound.line if bound is not None else interface.line
                yield ClassUse(fc, frozenset(marks), line, f"{interface.path} qos network-policy {DEFAULT_POLICY}")
            return
