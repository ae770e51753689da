"""IOS-XE text against Cisco's native models (`Cisco-IOS-XE-*`)."""

from pathlib import Path

from tests.support.yang.cisco import Form
from tests.support.yang.schema import Node, load

MODULES = tuple(f"Cisco-IOS-XE-{name}" for name in ("native", "acl", "policy", "route-map"))
_PERMITS4 = (
    r"{action} {protocol} (?:(?P<any>any)|host {host}|(?P<from>[\d.]+) {mask})"
    r" (?:(?P<to_any>any)|host {to_host}|(?P<to>[\d.]+) {to_mask})"
)
_PERMITS6 = (
    r"{action} {protocol} (?:(?P<any>any)|host {host}|(?P<from>\S+/\d+))"
    r" (?:(?P<to_any>any)|host {to_host}|(?P<to>\S+/\d+))"
)
_IPV4 = {
    "action": "{action}",
    "protocol": "{protocol}",
    "{any}": "",
    "host": "{host}",
    "ipv4-address": "{from}",
    "mask": "{mask}",
    "dst-{to_any}": "",
    "dst-host": "{to_host}",
    "dest-ipv4-address": "{to}",
    "dest-mask": "{to_mask}",
}
_IPV6 = {
    "action": "{action}",
    "protocol": "{protocol}",
    "{any}": "",
    "source-host": "{host}",
    "source-prefix": "{from}",
    "destination-{to_any}": "",
    "destination-host": "{to_host}",
    "destination-prefix": "{to}",
}
# An entry that is removed by what it permits has no number; any stands for it.
_NUMBERED, _REMOVED = "access-list-seq-rule[{number}]/ace-rule", "access-list-seq-rule[1]/ace-rule"


def _entry(place: str, leaves: dict[str, str]) -> tuple[str, ...]:
    return tuple(f"{place}/{leaf}={value}" for leaf, value in leaves.items())


_RATE, _WRED = "action-list[police]/police-policy-map/police", "action-list[random-detect]/random-detect"
_CLASS = "policy/class-map[{name}]"
_CLAUSE = "route-map[{name}]/route-map-without-order-seq[{number}]"

FORMS = (
    Form("", "ip access-list {type} {name}", ("ip/access-list/{type}[{name}]",), "list"),
    Form("list", f"{{number}} {_PERMITS4}", _entry(_NUMBERED, _IPV4)),
    Form("list", f"no {_PERMITS4}", _entry(_REMOVED, _IPV4)),
    Form("", "ipv6 access-list {name}", ("ipv6/access-list/named-acl[{name}]",), "list6"),
    Form("list6", f"sequence {{number}} {_PERMITS6}", _entry(_NUMBERED, _IPV6)),
    Form("list6", f"no {_PERMITS6}", _entry(_REMOVED, _IPV6)),
    Form(
        "",
        "class-map {match} {name}",
        (_CLASS, f"{_CLASS}/prematch={{match}}"),
        "class",
    ),
    Form("class", "match access-group {by} {list}", ("match/access-group/{by}={list}",)),
    Form("class", "match {what} {values*}", ("match/{what}={values}",)),
    Form("", "policy-map {name}", ("policy/policy-map[{name}]",), "policy"),
    Form("policy", "class {name}", ("class[{name}]",), "actions"),
    Form("actions", "set {what} {value}", ("action-list[set]/set/{what}/{what}-value={value}",)),
    Form("actions", "(?P<by>priority|bandwidth) {unit} {value}", ("action-list[{by}]/{by}/{unit}={value}",)),
    Form(
        "actions",
        "{action} {value} {unit}",
        (
            "action-list[{action}]/{action}/{action}-value={value}",
            "action-list[{action}]/{action}/{action}-type={unit}",
        ),
    ),
    Form("actions", "random-detect {what} {value}", (f"{_WRED}/{{what}}={{value}}",)),
    Form("actions", "random-detect {what}", (f"{_WRED}/{{what}}",)),
    Form(
        "actions",
        "random-detect {what} {value} {least} {most} {share}",
        (
            f"{_WRED}/{{what}}-list[{{value}}]/min-threshold={{least}}",
            f"{_WRED}/{{what}}-list[{{value}}]/max-threshold={{most}}",
            f"{_WRED}/{{what}}-list[{{value}}]/denominator={{share}}",
        ),
    ),
    Form(
        "actions",
        "police cir {rate} bc {burst}(?: pir {peak})?(?: be {excess})?",
        (_RATE, f"{_RATE}/cir={{rate}}", f"{_RATE}/bc={{burst}}", f"{_RATE}/pir={{peak}}", f"{_RATE}/be={{excess}}"),
        "police",
    ),
    Form("police", "{when}-action {what}", ("actions/{when}-{what}/{when}-action/{what}",)),
    Form("police", "{when}-action {what} {value}", ("actions/{when}-{what}/{when}-action/{what}={value}",)),
    Form("", "route-map {name} {operation} {number}", (_CLAUSE, f"{_CLAUSE}/operation={{operation}}"), "clause"),
    Form("clause", "match {family} address {list}", ("match/{family}/address/access-list={list}",)),
    Form("clause", "set ip next-hop {address}", ("set/ip/next-hop/address={address}",)),
    Form("clause", "set ipv6 next-hop {address}", ("set/ipv6/next-hop/ipv6={address}",)),
    Form("clause", r"set interface (?P<type>[A-Za-z]+)(?P<number>\d+)", ("set/interface/{type}={number}",)),
    Form("", r"interface (?P<type>[A-Za-z]+)(?P<number>[\d/.]+)", ("interface/{type}[{number}]",), "interface"),
    Form("interface", "service-policy {direction} {name}", ("service-policy/{direction}={name}",)),
    Form("interface", "{family} policy route-map {name}", ("{family}/policy/route-map={name}",)),
)


def schema(folder: Path) -> Node:
    """The container `native` of the models."""
    top = load(folder, MODULES).named("native")
    assert top is not None
    return top
