"""Routers, plans, redirects and pairs from which tests build configuration models."""

from collections.abc import Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Router
from hntes.settings.plans import Plan, ScavengerPolicer, SingleQueue, ThreeColorMarker, TwoQueue, WredPolicer
from tests.contract.platform.case import case_of, shipped_platforms

# Those that HNTES ships, by its entry points: another joins every suite by itself. What one cannot take stands in its
# case, with the reason (`refused`); those that are installed besides are in the contract suite.
PLATFORMS = shipped_platforms()
# Those that take every plan with every redirect: for tests of such a plan, and golden files of all of them.
# Those of SR OS and EOS have tests of their own (tests/golden/test_sros_golden.py, test_eos_golden.py).
WITH_EVERY_PLAN = tuple(name for name in PLATFORMS if not case_of(name).refused)
# The published experiments' shares, which are also those of the buffer; the default has a larger share for beta.
PUBLISHED = TwoQueue(kind="two_queue", alpha_share_pct=55, beta_share_pct=40)
PLANS: dict[str, Plan] = {
    "single_queue": SingleQueue(kind="single_queue"),
    "recommended": TwoQueue(kind="two_queue"),
    "two_queue": PUBLISHED,
    "scavenger_policer": ScavengerPolicer(kind="scavenger_policer"),
    "wred_policer": WredPolicer(kind="wred_policer"),
    "three_color_marker": ThreeColorMarker(kind="three_color_marker"),
    "two_queue_ecn": TwoQueue(kind="two_queue", alpha_share_pct=55, beta_share_pct=40, alpha_ecn=True),
    "premium": TwoQueue(kind="two_queue", premium_share_pct=40, alpha_share_pct=35, beta_share_pct=20),
    "premium_best_effort": TwoQueue(
        kind="two_queue",
        premium_share_pct=40,
        premium_buffer_pct=10,
        premium_priority="medium-high",
        premium_excess="best_effort",
        alpha_share_pct=35,
        beta_share_pct=20,
    ),
}
PREMIUM_PLANS = ("premium", "premium_best_effort")
REDIRECTS: dict[str, dict[str, Any] | None] = {
    "none": None,
    "next_hop": {"kind": "next_hop", "ipv4": "192.0.2.1", "ipv6": "2001:db8:ffff::1"},
    "lsp": {"kind": "lsp", "name": "to-ER", "tunnel": 5},
}
PORTS = {platform: case_of(platform).ports for platform in PLATFORMS}
# Nested prefixes, hosts and disjoint ones, in both families; none crosses another.
PAIR_TEXTS = (
    "198.18.10.0/24>203.0.113.0/24",
    "198.18.10.7/32>203.0.113.0/24",
    "198.18.10.7/32>203.0.113.9/32",
    "198.18.20.0/24>203.0.113.0/24",
    "198.18.0.0/16>198.51.100.0/24",
    "2001:db8:1::/64>2001:db8:2::/64",
    "2001:db8:1::5/128>2001:db8:2::/64",
    "2001:db8:1::5/128>2001:db8:2::9/128",
    "2001:db8:3::/48>2001:db8:4::/64",
)
PAIRS = tuple(PrefixPair.parse(text) for text in PAIR_TEXTS)
# Apart from the pairs, so that damage to either is seen by itself: both families, hosts, one inside of another.
RESERVED = (
    Reserved("reservation-1", ip_network("198.18.30.0/24"), ip_network("203.0.113.0/24"), 150_000_000, 500_000),
    Reserved("reservation-2", ip_network("198.18.30.7/32"), ip_network("203.0.113.9/32"), 100_000_000, 250_000),
    Reserved("reservation-12", ip_network("2001:db8:9::/64"), ip_network("2001:db8:a::/64"), 80_000_000, 125_000),
)


def router(platform: str, redirect: str | None = "none", **changes: Any) -> Router:
    """A router with an edge unit, a core port, and a port that is both."""
    content: dict[str, Any] = {
        "name": "wr",
        "platform": platform,
        "flow_folder": Path("flows"),
        "interfaces": interfaces_of(platform),
        **_queues_of(platform),
        "redirect": redirect_of(platform, REDIRECTS[redirect]) if redirect else None,
    }
    return Router.model_validate(content | changes)


def _queues_of(platform: str) -> dict[str, Any]:
    numbers = case_of(platform).queue_numbers
    return {"queues": dict(numbers)} if numbers else {}


def interfaces_of(platform: str) -> list[dict[str, Any]]:
    """The tables of these interfaces in the settings."""
    case = case_of(platform)
    units, roles = (100, 0, 0), ("edge", "core", "both")
    rates = (10_000_000_000, 10_000_000_000, 1_000_000_000)
    tables = [
        {"name": name, "unit": unit, "role": role, "rate_bps": rate_bps}
        for name, unit, role, rate_bps in zip(case.ports, units, roles, rates, strict=True)
    ]
    named = case.logical or ()
    return [{**table, "logical": name} for table, name in zip(tables, named, strict=True)] if named else tables


def redirect_of(platform: str, redirect: dict[str, Any] | None) -> dict[str, Any] | None:
    """The redirect of the table, with what an LSP needs on the platform besides."""
    if redirect is None or redirect["kind"] != "lsp":
        return redirect
    return redirect | dict(case_of(platform).lsp)


def model(
    platform: str = "junos", plan: str = "two_queue", redirect: str = "none", pairs: Iterable[PrefixPair] = PAIRS
) -> RouterModel:
    """The model of such a router, with reservations where plan and redirect allow them."""
    reserved = RESERVED if plan in PREMIUM_PLANS and redirect == "none" else ()
    return build_model(router(platform, redirect), PLANS[plan], pairs, reserved)


def own_values(platform: str, redirect: str = "next_hop", plan: str | None = None) -> RouterModel:
    """Numbers, names, a buffer and families that the settings give, and what only Junos has; with a policer, if any."""
    of_junos: dict[str, Any] = {"class_names": {"alpha": "bulk", "beta": "best-effort"}, "fast_lookup_filter": True}
    fallbacks = {"fallback_ipv4": "192.0.2.2", "fallback_ipv6": "2001:db8:ffff::2"}
    way = redirect_of(platform, REDIRECTS[redirect])
    if platform == "junos" and way is not None and redirect == "next_hop":
        way = {**way, **fallbacks}
    given = of_junos if platform == "junos" else {}
    interfaces = [each.model_dump() for each in router(platform).interfaces]
    interfaces[0]["ip_versions"] = (4,)
    numbers = case_of(platform).queues
    queues = {"alpha": numbers[-2], "network_control": numbers[-1], "scavenger": numbers[1]}
    values = {"interfaces": interfaces, "queues": queues, "port_buffer_ms": 20, "redirect": way, **given}
    made = Router.model_validate(router(platform).model_dump(exclude_unset=True) | values)
    policing = "scavenger_policer" not in case_of(platform).refused
    return build_model(made, PLANS[plan or ("scavenger_policer" if policing else "recommended")], PAIRS)


def many_pairs() -> list[PrefixPair]:
    """2,000 pairs, 1,400 IPv4 and 600 IPv6, some of them hosts inside another pair."""
    pairs = []
    for index in range(700):
        source, destination = f"198.{18 + index // 256}.{index % 256}", f"100.{64 + index // 256}.{index % 256}"
        pairs.append(PrefixPair.parse(f"{source}.0/24>{destination}.0/24"))
        pairs.append(PrefixPair.parse(f"{source}.{index % 250 + 1}/32>{destination}.{index % 240 + 2}/32"))
    for index in range(300):
        source, destination = f"2001:db8:1:{index:x}::", f"2001:db8:2:{index:x}::"
        pairs.append(PrefixPair.parse(f"{source}/64>{destination}/64"))
        pairs.append(PrefixPair.parse(f"{source}{index + 1:x}/128>{destination}/64"))
    return pairs
