"""Words of Junos statements by kind: containers, list keys and values.

Source: Juniper/yang, Junos 22.1R1: junos-conf-firewall, -class-of-service, -interfaces, -policy-options,
-routing-options, -routing-instances. A hierarchy that is `OPAQUE` is kept as it is written and not checked.

A schema maps a keyword to a kind. `*` stands for any name.
"""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["container", "list", "leaf", "leaf-list", "flag", "opaque"]


@dataclass(frozen=True)
class Statement:
    """kind: `list` has `keys` words of identity behind its keyword, `leaf` one value. inline: shown on one line."""

    kind: Kind
    children: "dict[str, Statement]" = field(default_factory=dict)
    keys: int = 1
    inline: bool = False


OPAQUE = Statement("opaque")
FLAG = Statement("flag")
LEAF = Statement("leaf")
LEAVES = Statement("leaf-list")
NAMES = Statement("container", {"*": FLAG})


def container(inline: bool = False, **children: Statement) -> Statement:
    return Statement("container", _named(children), inline=inline)


def listed(inline: bool = False, keys: int = 1, **children: Statement) -> Statement:
    return Statement("list", _named(children), keys=keys, inline=inline)


def named(child: Statement) -> Statement:
    """A container whose children have names of their own, without a keyword."""
    return Statement("container", {"*": Statement("container", child.children, inline=child.inline)})


def _named(children: dict[str, Statement]) -> dict[str, Statement]:
    return {keyword.strip("_").replace("_", "-"): child for keyword, child in children.items()}


_MARKER = container(
    color_blind=FLAG, color_aware=FLAG, committed_information_rate=LEAF, committed_burst_size=LEAF,
    excess_burst_size=LEAF, peak_information_rate=LEAF, peak_burst_size=LEAF,
)  # fmt: skip
_TERM = listed(
    from_=container(
        source_address=NAMES, destination_address=NAMES, protocol=LEAVES, dscp=LEAVES, traffic_class=LEAVES,
        next_header=LEAVES, source_port=LEAVES, destination_port=LEAVES, forwarding_class=LEAVES,
        prefix_list=NAMES, source_prefix_list=NAMES, destination_prefix_list=NAMES,
    ),
    then=container(
        inline=True, accept=FLAG, discard=FLAG, reject=FLAG, policer=LEAF, count=LEAF, forwarding_class=LEAF,
        loss_priority=LEAF, routing_instance=LEAF, log=FLAG, syslog=FLAG, next=LEAF,
        three_color_policer=container(single_rate=LEAF, two_rate=LEAF),
    ),
)  # fmt: skip
_FILTER = listed(interface_specific=FLAG, fast_lookup_filter=FLAG, term=_TERM)
_FIREWALL = container(
    family=listed(filter=_FILTER),
    filter=_FILTER,
    policer=listed(
        if_exceeding=container(bandwidth_limit=LEAF, bandwidth_percent=LEAF, burst_size_limit=LEAF),
        then=container(inline=True, discard=FLAG, loss_priority=LEAF, forwarding_class=LEAF),
    ),
    three_color_policer=listed(
        action=container(loss_priority=listed(inline=True, then=container(inline=True, discard=FLAG))),
        single_rate=_MARKER,
        two_rate=_MARKER,
    ),
)
_SCHEDULER = container(
    transmit_rate=container(inline=True, percent=LEAF, remainder=FLAG, exact=FLAG, rate_limit=FLAG),
    buffer_size=container(inline=True, percent=LEAF, remainder=FLAG, temporal=LEAF, exact=FLAG),
    priority=LEAF,
    drop_profile_map=listed(keys=4, inline=True, drop_profile=LEAF),
    explicit_congestion_notification=FLAG,
    shaping_rate=container(inline=True, percent=LEAF),
)
_COS = container(
    drop_profiles=named(container(interpolate=container(fill_level=LEAVES, drop_probability=LEAVES))),
    forwarding_classes=container(
        class_=listed(inline=True, queue_num=LEAF, priority=LEAF), queue=listed(inline=True, **{"*": FLAG})
    ),
    interfaces=named(
        container(
            scheduler_map=LEAF,
            unit=listed(scheduler_map=LEAF, classifiers=OPAQUE, rewrite_rules=OPAQUE, shaping_rate=OPAQUE),
            classifiers=OPAQUE, rewrite_rules=OPAQUE, shaping_rate=OPAQUE,
        )
    ),
    scheduler_maps=named(container(forwarding_class=listed(inline=True, scheduler=LEAF))),
    schedulers=named(_SCHEDULER),
    forwarding_policy=container(
        next_hop_map=listed(
            forwarding_class=listed(next_hop=LEAVES, lsp_next_hop=LEAVES, non_lsp_next_hop=FLAG, discard=FLAG),
            forwarding_class_default=container(
                next_hop=LEAVES, lsp_next_hop=LEAVES, non_lsp_next_hop=FLAG, discard=FLAG
            ),
        ),
        class_=OPAQUE,
    ),
    classifiers=OPAQUE, rewrite_rules=OPAQUE, code_point_aliases=OPAQUE, host_outbound_traffic=OPAQUE,
)  # fmt: skip
_FAMILY = listed(
    filter=container(input=LEAF, output=LEAF, input_list=LEAVES, output_list=LEAVES),
    address=NAMES, mtu=LEAF, sampling=OPAQUE, rpf_check=FLAG, policer=OPAQUE,
)  # fmt: skip
_UNIT = listed(description=LEAF, vlan_id=LEAF, bandwidth=LEAF, family=_FAMILY)
_INTERFACE = container(
    description=LEAF, disable=FLAG, mtu=LEAF, speed=LEAF, vlan_tagging=FLAG, flexible_vlan_tagging=FLAG,
    encapsulation=LEAF, per_unit_scheduler=FLAG, hierarchical_scheduler=FLAG, gigether_options=OPAQUE, unit=_UNIT,
)  # fmt: skip
_POLICY = container(
    prefix_list=listed(**{"*": FLAG}),
    policy_statement=listed(from_=OPAQUE, then=OPAQUE, term=listed(from_=OPAQUE, to=OPAQUE, then=OPAQUE)),
    community=OPAQUE, as_path=OPAQUE,
)  # fmt: skip
_ROUTING = container(
    static=OPAQUE, router_id=LEAF, autonomous_system=LEAF, forwarding_table=container(export=LEAVES),
    rib_groups=OPAQUE, interface_routes=OPAQUE, rib=OPAQUE, instance_import=LEAVES,
)  # fmt: skip
_TOP = {
    "firewall": _FIREWALL,
    "class-of-service": _COS,
    "interfaces": named(_INTERFACE),
    "policy-options": _POLICY,
    "routing-options": _ROUTING,
    "routing-instances": named(container(instance_type=LEAF, routing_options=_ROUTING, interface=LEAVES)),
    "system": container(
        host_name=LEAF, services=OPAQUE, login=OPAQUE, root_authentication=OPAQUE, syslog=OPAQUE, ntp=OPAQUE,
        commit=OPAQUE, name_server=LEAVES, domain_name=LEAF, time_zone=LEAF, max_configurations_on_flash=LEAF,
    ),
    "protocols": OPAQUE, "snmp": OPAQUE, "chassis": OPAQUE, "event-options": OPAQUE, "forwarding-options": OPAQUE,
    "services": OPAQUE, "security": OPAQUE, "applications": OPAQUE,
}  # fmt: skip
TOP = Statement("container", {**_TOP, "version": LEAF, "groups": named(Statement("container", _TOP))})
# Any hierarchy may take what groups define: Junos CLI User Guide, "Use Configuration Groups".
EVERYWHERE = {"apply-groups": LEAVES, "apply-groups-except": LEAVES}


def child_of(parent: Statement, word: str) -> Statement | None:
    """The statement that a word begins below another, or nothing if the word is not one of its."""
    if parent.kind == "opaque":
        return OPAQUE
    if parent.kind not in ("container", "list"):
        return None
    return parent.children.get(word) or EVERYWHERE.get(word) or parent.children.get("*")
