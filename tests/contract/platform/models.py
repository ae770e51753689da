"""Models of the suite: every plan with the redirects that a platform has, and valid models of other numbers."""

import dataclasses
from collections.abc import Iterator

from hypothesis import strategies as st

from hntes.platforms.registry import platform_of
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import DropPoint, DropProfile, ForwardingClass, RouterModel
from hntes.settings.adopt import Adopt
from tests.contract.platform.case import case_of
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, REDIRECTS, model, router
from tests.support.qos_strategies import pair_sets


def redirects_of(platform: str) -> list[str]:
    """The redirects of `tests.support.qos_models` that a platform has."""
    kinds = platform_of(platform).capabilities.redirect_kinds
    return [name for name, each in REDIRECTS.items() if each is None or each["kind"] in kinds]


def supports(platform: str, plan: str, redirect: str = "none") -> bool:
    """Whether the platform's case does not name the plan, or it with this redirect, as refused."""
    refused = case_of(platform).refused
    return plan not in refused and f"{plan}-{redirect}" not in refused


def taking(plan: str, redirect: str = "none") -> tuple[str, ...]:
    """The platforms that HNTES ships and that support the plan with this redirect; the others' cases say why not."""
    return tuple(name for name in PLATFORMS if redirect in redirects_of(name) and supports(name, plan, redirect))


def taken() -> list[tuple[str, str, str]]:
    """Platform, plan and redirect of all texts that the platforms which HNTES ships can have."""
    return [(name, plan, each) for plan in sorted(PLANS) for each in sorted(REDIRECTS) for name in taking(plan, each)]


def supported_plans(platform: str) -> list[str]:
    """The plans that the platform supports with every redirect."""
    return [plan for plan in sorted(PLANS) if all(supports(platform, plan, each) for each in redirects_of(platform))]


def all_plans(platform: str) -> Iterator[tuple[str, RouterModel]]:
    """Each supported plan with each redirect, named."""
    for plan in PLANS:
        for redirect in redirects_of(platform):
            if supports(platform, plan, redirect):
                yield f"{plan}-{redirect}", model(platform, plan, redirect)


def all_models(platform: str) -> Iterator[tuple[str, RouterModel]]:
    """All plans, and pairs in a class of the operator's where the platform can keep it."""
    yield from all_plans(platform)
    if "adopt" in platform_of(platform).capabilities.router_keys:
        yield "adopted", adopted_model(platform)


def adopted_model(platform: str) -> RouterModel:
    """Pairs in a class of the operator's, as it is after the router's configuration was read."""
    adopting = router(platform).model_copy(update={"adopt": Adopt(forwarding_class="bulk")})
    made = build_model(adopting, PLANS["recommended"], PAIRS)
    return dataclasses.replace(made, forwarding_classes=(ForwardingClass("bulk", 1),))


@st.composite
def changed_models(draw: st.DrawFn, platform: str) -> RouterModel:
    """Valid models with other shares, priorities, rates, bursts and interfaces than the plans' defaults."""
    target = router(platform, draw(st.sampled_from(redirects_of(platform))))
    made = build_model(target, PLANS[draw(st.sampled_from(supported_plans(platform)))], draw(pair_sets()))
    shares = [draw(st.integers(1, 33)) for _ in made.schedulers]
    buffers = [draw(st.integers(1, 33)) for _ in made.schedulers]
    words = [draw(st.sampled_from(["low", "medium-low", "medium-high", "high"])) for _ in made.schedulers]
    if draw(st.booleans()):
        words[draw(st.integers(0, len(words) - 1))] = "strict-high"
    rates = st.integers(8, 64_000_000).map(lambda kbps: 1_000 * kbps)
    bursts = st.integers(3_000, 512_000_000)
    schedulers = zip(made.schedulers, shares, buffers, words, strict=True)
    return dataclasses.replace(
        made,
        schedulers=tuple(
            dataclasses.replace(each, transmit_share_pct=share, buffer_share_pct=buffer, priority=word)
            for each, share, buffer, word in schedulers
        ),
        policers=tuple(
            dataclasses.replace(
                each,
                rate_bps=draw(rates),
                burst_bytes=draw(bursts),
                out_loss_priority=draw(st.sampled_from(["high", "medium-low"])) if draw(st.booleans()) else None,
                out_forwarding_class=draw(st.sampled_from(["beta", "alpha"])),
            )
            for each in made.policers
        ),
        three_color_policers=tuple(
            dataclasses.replace(each, discard_red=draw(st.booleans()), excess_burst_bytes=draw(bursts))
            for each in made.three_color_policers
        ),
        interfaces=tuple(
            dataclasses.replace(each, role=draw(st.sampled_from(["edge", "core", "both"]))) for each in made.interfaces
        ),
        drop_profiles=tuple(_from_level(each, draw(st.integers(1, 99))) for each in made.drop_profiles),
        port_buffer_ms=draw(st.integers(10, 500)),
    )


def _from_level(profile: DropProfile, level_pct: int) -> DropProfile:
    """A profile that begins to drop above an empty queue, beginning at another level."""
    first, *between, last = profile.points
    return dataclasses.replace(
        profile, points=(first, *(DropPoint(level_pct, each.drop_pct) for each in between), last)
    )
