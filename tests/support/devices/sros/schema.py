"""The part of SR OS' configuration that the emulated router knows: lists with their keys, containers, leaves.

Source: nokia-conf-* of release 26.3 (types of nokia-types-*). A leaf is a pattern of its values; "" takes none.
"""

from typing import Any

_NAME = r".{1,64}"
_NUMBER = r"\d{1,10}"
_FC = r"be|l2|af|l1|h2|ef|h1|nc"
_V4 = r"\d+\.\d+\.\d+\.\d+"
_V6 = r"[0-9a-f:.]+"
_PERCENT = r"(100|\d{1,2})(\.\d{1,2})?"
_TO_100 = r"100|\d{1,2}"
_TO_8 = r"[0-8]"
_ON = r"enable|disable"
_BOOL = r"true|false"


def _keyed(*keys: str, **below: Any) -> dict[str, Any]:
    return {"@keys": keys, **{name.replace("_", "-"): each for name, each in below.items()}}


def _of(**below: Any) -> dict[str, Any]:
    return {name.replace("_", "-"): each for name, each in below.items()}


def _filter(address: str, prefix: str) -> dict[str, Any]:
    side = _of(address=prefix, mask=_V4)
    action = _of(
        fc=_FC,
        accept="",
        drop="",
        forward=_of(
            lsp=_NAME,
            next_hop=_of(nh_ip=_of(address=address, indirect=_BOOL), interface_name=_NAME),
            router_instance=_NAME,
        ),
        rate_limit=_of(pir=rf"max|{_NUMBER}", mbs=rf"auto|{_NUMBER}"),
    )
    match = _of(src_ip=side, dst_ip=side, protocol=_NAME, dscp=_NAME)
    return _keyed(
        "filter-name",
        filter_name=_NAME,
        default_action="accept|drop",
        description=_NAME,
        filter_id=_NUMBER,
        scope="exclusive|template|embedded|system",
        embed=_of(filter=_keyed("name", "offset", name=_NAME, offset=_NUMBER, admin_state=_ON)),
        entry=_keyed(
            "entry-id", entry_id=_NUMBER, description=".{1,80}", match=match, action=action, collect_stats=_BOOL
        ),
    )


_INTERFACE = _keyed(
    "interface-name",
    interface_name=_NAME,
    description=".{1,80}",
    admin_state=_ON,
    port=_NAME,
    ipv4=_of(primary=_of(address=_V4, prefix_length=r"\d{1,2}")),
    ipv6=_of(address=_keyed("ipv6-address", ipv6_address=_V6, prefix_length=r"\d{1,3}")),
    ingress=_of(filter=_of(ip=_NAME, ipv6=_NAME)),
    egress=_of(filter=_of(ip=_NAME, ipv6=_NAME)),
    qos=_of(network_policy=_NAME),
)
SCHEMA: dict[str, Any] = _of(
    card=_keyed(
        "slot-number", slot_number=r"\d+", card_type=_NAME, mda=_keyed("mda-slot", mda_slot=r"\d+", mda_type=_NAME)
    ),
    filter=_of(ip_filter=_filter(_V4, rf"{_V4}(/\d+)?"), ipv6_filter=_filter(_V6, rf"{_V6}(/\d+)?")),
    port=_keyed(
        "port-id",
        port_id=_NAME,
        admin_state=_ON,
        description=".{1,160}",
        connector=_of(breakout=_NAME),
        ethernet=_of(
            mode="access|network|hybrid",
            encap_type="null|dot1q|qinq",
            mtu=_NUMBER,
            egress=_of(port_scheduler_policy=_of(policy_name=_NAME)),
            network=_of(egress=_of(queue_policy=_NAME)),
        ),
    ),
    qos=_of(
        network=_keyed(
            "network-policy-name",
            network_policy_name=_NAME,
            policy_id=_NUMBER,
            ingress=_of(
                default_action=_of(fc=_FC, profile="in|out"),
                dscp=_keyed("dscp-name", dscp_name=_NAME, fc=_FC, profile="in|out"),
                lsp_exp=_keyed("lsp-exp-value", lsp_exp_value=r"[0-7]", fc=_FC, profile="in|out"),
            ),
        ),
        network_queue=_keyed(
            "network-queue-policy",
            network_queue_policy=_NAME,
            description=".{1,80}",
            fc=_keyed("fc-name", fc_name=_FC, queue=r"1[0-6]|[1-9]"),
            queue=_keyed(
                "queue-id",
                queue_id=r"1[0-6]|[1-9]",
                mbs=_PERCENT,
                cbs=_PERCENT,
                rate=_of(pir=_TO_100, cir=_TO_100),
                port_parent=_of(level=r"[1-8]", weight=_TO_100, cir_level=_TO_8, cir_weight=_TO_100),
            ),
        ),
        port_scheduler_policy=_keyed("name", name=_NAME, max_rate=rf"max|{_NUMBER}"),
    ),
    router=_keyed(
        "router-name",
        router_name=_NAME,
        autonomous_system=_NUMBER,
        interface=_INTERFACE,
        bgp=_of(
            group=_keyed("group-name", group_name=_NAME, peer_as=_NUMBER),
            neighbor=_keyed("ip-address", ip_address=_NAME, group=_NAME),
        ),
    ),
    system=_of(name=_NAME, location=_NAME, time=_of(ntp=_of(admin_state=_ON))),
)
