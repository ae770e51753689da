"""Random histories of what a router was to have: pairs come and go, plans, shares, redirects and interfaces change."""

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from hntes.platforms.registry import platform_of
from hntes.platforms.render import render
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.reserved import Reserved
from hntes.settings.model import Router
from hntes.settings.plans import Plan, ScavengerPolicer, SingleQueue, TwoQueue, WredPolicer
from tests.contract.platform.case import case_of
from tests.support.qos_models import PLANS, PREMIUM_PLANS, REDIRECTS, RESERVED, interfaces_of, redirect_of, router
from tests.support.qos_strategies import pair_sets

OTHER_PLANS: dict[str, Plan] = {
    "other shares": TwoQueue(kind="two_queue", alpha_share_pct=20, beta_share_pct=70, network_control_share_pct=10),
    "strict alpha": TwoQueue(kind="two_queue", alpha_priority="strict-high"),
    "other scavenger": ScavengerPolicer(kind="scavenger_policer", beta_share_pct=40, scavenger_share_pct=6),
    "other wred": WredPolicer(kind="wred_policer", alpha_share_pct=45, beta_share_pct=50),
    "other single": SingleQueue(kind="single_queue", shared_share_pct=90, network_control_share_pct=10),
}
ALL_PLANS = PLANS | OTHER_PLANS
ALL_REDIRECTS = REDIRECTS | {"other": {"kind": "next_hop", "ipv4": "192.0.2.9", "ipv6": "2001:db8:ffff::9"}}
QUEUED = ("network_control", "alpha", "scavenger", "premium")
# The families of an interface.
CARRIED = st.sampled_from([(4, 6), (4, 6), (4, 6), (4,), (6,)])
ROLES = (("edge", "core", "both"), ("edge", "core"), ("both", "edge", "core"))


@dataclass(frozen=True)
class EndState:
    """The text that a router was to have, the pairs that it has terms for, and the model of both."""

    text: str
    pairs: frozenset[PrefixPair]
    model: RouterModel | None = None


@st.composite
def histories(draw: st.DrawFn, platform: str, *, states: int = 3) -> list[EndState]:
    """End states one after another; most pairs of one are in the next, too."""
    hosts = draw(st.lists(st.builds(_host_pair, st.sampled_from([4, 6]), st.integers(0, 99)), max_size=8))
    known = list(dict.fromkeys([*draw(pair_sets()), *hosts]))
    return [draw(_end_states(platform, known)) for _ in range(draw(st.integers(2, states)))]


@st.composite
def _reserved(draw: st.DrawFn) -> list[Reserved]:
    """Some reservations, of which a name may stand for another pair or rate in the next end state."""
    kept = [each for each in RESERVED if draw(st.booleans())]
    names = draw(st.permutations([each.name for each in RESERVED]))
    rates = draw(st.lists(st.sampled_from([50_000_000, 100_000_000]), min_size=3, max_size=3))
    return [replace(each, name=name, rate_bps=rate) for each, name, rate in zip(kept, names, rates, strict=False)]


def _host_pair(ip_version: int, index: int) -> PrefixPair:
    """Two hosts: such pairs never cross another, and all have their lines in one band of numbers."""
    return PrefixPair.parse(
        f"198.18.0.{index}/32>198.18.1.1/32" if ip_version == 4 else f"2001:db8::{index:x}/128>2001:db8::1:1/128"
    )


@st.composite
def _end_states(draw: st.DrawFn, platform: str, known: list[PrefixPair]) -> EndState:
    kept = [pair for pair in known if draw(st.integers(0, 3))]
    family = draw(st.sampled_from([None, None, None, 4, 6]))
    pairs = [pair for pair in kept if family in (None, pair.ip_version)]
    tables = interfaces_of(platform)
    roles = draw(st.sampled_from(ROLES))
    rates = (10_000_000_000, 10_000_000_000, draw(st.sampled_from([1_000_000_000, 40_000_000_000])))
    interfaces = [
        {**table, "role": role, "rate_bps": rate, "ip_versions": draw(CARRIED)}
        for table, role, rate in zip(tables, roles, rates, strict=False)
    ]
    numbers = st.permutations(case_of(platform).queues).map(lambda queues: dict(zip(QUEUED, queues, strict=False)))
    queues = draw(st.just(dict(case_of(platform).queue_numbers)) | numbers)
    plain = router(platform, interfaces=interfaces, queues=queues).model_dump(exclude_unset=True)
    name = draw(st.sampled_from([each for each in sorted(ALL_PLANS) if each not in case_of(platform).refused]))
    reserves = name in PREMIUM_PLANS and f"{name}-none" not in case_of(platform).refused
    reserved = draw(_reserved()) if reserves else []
    kinds = platform_of(platform).capabilities.redirect_kinds
    possible = [key for key, each in ALL_REDIRECTS.items() if each is None or each["kind"] in kinds]
    redirect = "none" if reserved else draw(st.sampled_from(sorted(possible)))
    target = Router.model_validate(plain | {"redirect": redirect_of(platform, ALL_REDIRECTS[redirect])})
    model = build_model(target, ALL_PLANS[name], pairs, reserved)
    return EndState(render(model), frozenset(pairs), model)
