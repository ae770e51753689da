"""What is read back from rendered text is what the model says, on every platform, plan and redirect."""

import dataclasses

from hypothesis import assume, given
from hypothesis import strategies as st

from hntes.platforms.expected import effective_of
from hntes.platforms.parse import read_back
from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import DropPoint, DropProfile, RouterModel
from tests.support.qos_models import PLANS, PLATFORMS, REDIRECTS, router
from tests.support.qos_strategies import pair_sets

platforms = st.sampled_from(PLATFORMS)
plans = st.sampled_from(sorted(PLANS))
redirects = st.sampled_from(sorted(REDIRECTS))


def build(pairs: list[PrefixPair], platform: str, plan: str = "two_queue", redirect: str = "none") -> RouterModel:
    return build_model(router(platform, redirect), PLANS[plan], pairs)


@given(pairs=pair_sets() | st.just([]), platform=platforms, plan=plans, redirect=redirects)
def test_the_text_says_what_the_model_says(pairs: list[PrefixPair], platform: str, plan: str, redirect: str) -> None:
    model = build(pairs, platform, plan, redirect)
    assert read_back(model.platform, render(model), model.interfaces) == effective_of(model)


@st.composite
def changed_models(draw: st.DrawFn) -> RouterModel:
    """Valid models with other shares, priorities, rates, bursts and interfaces than the plans' defaults."""
    model = build(draw(pair_sets()), draw(platforms), draw(plans), draw(redirects))
    shares = [draw(st.integers(1, 33)) for _ in model.schedulers]
    buffers = [draw(st.integers(1, 33)) for _ in model.schedulers]
    words = [draw(st.sampled_from(["low", "medium-low", "medium-high", "high"])) for _ in model.schedulers]
    if draw(st.booleans()):
        words[draw(st.integers(0, len(words) - 1))] = "strict-high"
    rates = st.integers(8, 64_000_000).map(lambda kbps: 1_000 * kbps)
    bursts = st.integers(3_000, 512_000_000)
    schedulers = zip(model.schedulers, shares, buffers, words, strict=True)
    return dataclasses.replace(
        model,
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
            for each in model.policers
        ),
        three_color_policers=tuple(
            dataclasses.replace(each, discard_red=draw(st.booleans()), excess_burst_bytes=draw(bursts))
            for each in model.three_color_policers
        ),
        interfaces=tuple(
            dataclasses.replace(each, role=draw(st.sampled_from(["edge", "core", "both"]))) for each in model.interfaces
        ),
        drop_profiles=tuple(_from_level(each, draw(st.integers(1, 99))) for each in model.drop_profiles),
        port_buffer_ms=draw(st.integers(10, 500)),
    )


def _from_level(profile: DropProfile, level_pct: int) -> DropProfile:
    """A profile that begins to drop above an empty queue, beginning at another level."""
    first, *between, last = profile.points
    return dataclasses.replace(
        profile, points=(first, *(DropPoint(level_pct, each.drop_pct) for each in between), last)
    )


@given(model=changed_models())
def test_models_of_other_numbers_are_read_back_too(model: RouterModel) -> None:
    assume(not problems(model))
    assert read_back(model.platform, render(model), model.interfaces) == effective_of(model)
