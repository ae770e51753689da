"""IOS-XR text against Cisco's unified models (`Cisco-IOS-XR-um-*`), which have the words of the command line."""

from pathlib import Path

from tests.support.yang.cisco import Form
from tests.support.yang.schema import Node, load

MODULES = tuple(
    f"Cisco-IOS-XR-um-{name}-cfg"
    for name in (
        "interface",
        "ipv4-access-list",
        "ipv6-access-list",
        "if-access-group",
        "policymap-classmap",
        "if-service-policy-qos",
        "pbr-policy",
        "mpls-te",
    )
)
_ENTRY = "sequences/sequence[{number}]/{action}"
_FROM = r"(?:(?P<from_any>any)|host (?P<from_host>\S+)|(?P<from>[^\s/]+)/(?P<from_length>\d+))"
_TO = r"(?:(?P<to_any>any)|host (?P<to_host>\S+)|(?P<to>[^\s/]+)/(?P<to_length>\d+))"

FORMS = (
    Form("", "{family} access-list {name}", ("{family}/access-lists/access-list[{name}]",), "list"),
    Form(
        "list",
        f"{{number}} {{action}} {{protocol}} {_FROM} {_TO}(?: {{hop}} {{hop_family}} {{address}})?",
        (
            f"{_ENTRY}/protocol={{protocol}}",
            f"{_ENTRY}/source/{{from_any}}",
            f"{_ENTRY}/source/host={{from_host}}",
            f"{_ENTRY}/source/address={{from}}",
            f"{_ENTRY}/source/prefix-length={{from_length}}",
            f"{_ENTRY}/destination/{{to_any}}",
            f"{_ENTRY}/destination/host={{to_host}}",
            f"{_ENTRY}/destination/address={{to}}",
            f"{_ENTRY}/destination/prefix-length={{to_length}}",
            f"{_ENTRY}/{{hop}}/{{hop_family}}={{address}}",
        ),
    ),
    Form("list", "no {number}", ("sequences/sequence[{number}]",)),
    Form("", "class-map {match} {name}", ("class-map/type/qos[{name}]", "class-map/type/qos[{name}]/{match}"), "class"),
    Form(
        "",
        "class-map type {type} {match} {name}",
        ("class-map/type/{type}[{name}]", "class-map/type/{type}[{name}]/{match}"),
        "class",
    ),
    Form("class", "match access-group {family} {list}", ("match/access-group/{family}={list}",)),
    Form("class", "match {what} {values*}", ("match/{what}/*={values}",)),
    Form("", "policy-map {name}", ("policy-map/type/qos[{name}]",), "policy"),
    Form("", "policy-map type {type} {name}", ("policy-map/type/{type}[{name}]",), "policy"),
    Form("policy", "class {name}", ("class[{name}][qos]",), "actions"),
    Form("policy", "class type {type} {name}", ("class[{name}][{type}]",), "actions"),
    Form("actions", "set {what} {value}", ("set/{what}={value}",)),
    Form("actions", "set mpls experimental {what} {value}", ("set/mpls/experimental/{what}={value}",)),
    Form(
        "actions",
        "bandwidth remaining {unit} {value}",
        ("bandwidth-remaining/unit={unit}", "bandwidth-remaining/value={value}"),
    ),
    Form("actions", "priority {what} {value}", ("priority/{what}={value}",)),
    Form("actions", "bandwidth {unit} {value}", ("bandwidth/unit={unit}", "bandwidth/value={value}")),
    Form("actions", "queue-limit {value} {unit}", ("queue-limits/queue-limit[{value}][{unit}]",)),
    Form("actions", "random-detect {what}", ("random-detect-{what}",)),
    Form(
        "actions",
        "random-detect {what} {value} {least} {least_unit} {most} {most_unit}",
        ("random-detect[{least}][{least_unit}][{most}][{most_unit}]/{what}={value}",),
    ),
    Form(
        "actions",
        "police rate percent {rate}",
        ("police", "police/rate/unit=percent", "police/rate/value={rate}"),
        "police",
    ),
    Form(
        "actions",
        "police rate {rate} {unit} burst {burst} {burst_unit}"
        "(?: peak-rate {peak} {peak_unit})?(?: peak-burst {peak_burst} {peak_burst_unit})?",
        (
            "police",
            "police/rate/value={rate}",
            "police/rate/unit={unit}",
            "police/burst/value={burst}",
            "police/burst/unit={burst_unit}",
            "police/peak-rate/value={peak}",
            "police/peak-rate/unit={peak_unit}",
            "police/peak-burst/value={peak_burst}",
            "police/peak-burst/unit={peak_burst_unit}",
        ),
        "police",
    ),
    Form("police", "{when} {action}", ("{when}/{action}",)),
    Form("police", "{when} set {what} {value}", ("{when}/set/{what}={value}",)),
    Form("", "interface {name}", ("interfaces/interface[{name}]",), "interface"),
    Form("interface", "service-policy {direction} {name}", ("service-policy/{direction}[{name}]",)),
    Form(
        "interface",
        "service-policy type {type} {direction} {name}",
        ("service-policy/type/{type}/{direction}s/{direction}[{name}]",),
    ),
    Form(
        "interface",
        "{family} access-group {name} {direction}",
        ("{family}/access-group/{direction}/access-list-name-1/name={name}",),
    ),
    Form("interface", "forward-class {value}", ("forward-class={value}",)),
)


def schema(folder: Path) -> Node:
    """The top of the models."""
    return load(folder, MODULES)
