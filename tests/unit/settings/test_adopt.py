"""Settings by which a router keeps the operator's classes."""

from pathlib import Path

import pytest

from hntes.rules.qos.build import build_model
from tests.support.settings_file import load, refusal, with_router

RUNNING = 'running_config = "r1.conf"\n'


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (RUNNING + "adopt = {}", "names nothing to keep"),
        (RUNNING + 'adopt = { forwarding_class = "a;b" }', "adopt.forwarding_class"),
        (RUNNING + 'adopt = { forwarding_class = "bulk", shares_with = ["ef"] }', "adopt.shares_with"),
        ('adopt = { forwarding_class = "bulk" }', "adopt needs running_config"),
        (RUNNING + 'simulate_with_running_config = false\nadopt = { policy = "wan" }', "adopt needs running_config"),
        (
            RUNNING + 'adopt = { policy = "wan" }\nredirect = { kind = "next_hop", ipv4 = "192.0.2.1" }',
            "adopt and redirect",
        ),
        (
            RUNNING
            + 'adopt = { policy = "wan" }\nkept_classes = [{ forwarding_class = "v", queue = 5, share_pct = 5 }]',
            "leave kept_classes out",
        ),
        ('kept_classes = [{ forwarding_class = "voice", queue = 4, share_pct = 5 }]', "in the way of class alpha"),
        ('kept_classes = [{ forwarding_class = "alpha", queue = 5, share_pct = 5 }]', "in the way of class alpha"),
        ('kept_classes = [{ forwarding_class = "voice", queue = 5, share_pct = 90 }]', "lower them"),
        ('kept_classes = [{ forwarding_class = "voice", queue = 8, share_pct = 5 }]', "kept_classes[0].queue"),
        ("queues = { alpha = 8 }", "junos has the numbers 1 to 7"),
        ("queues = { alpha = 513 }", "queues.alpha"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_the_reason(tmp_path: Path, line: str, why: str) -> None:
    assert why in refusal(tmp_path, with_router(line))


def test_qos_groups_up_to_those_of_each_platform(tmp_path: Path) -> None:
    xr = with_router("queues = { alpha = 512 }").replace('"junos"', '"iosxr"')
    assert load(tmp_path, xr).routers[0].queues.alpha == 512
    assert "iosxe has the numbers 1 to 99" in refusal(tmp_path, xr.replace('"iosxr"', '"iosxe"'))


def test_kept_classes_take_their_shares_from_alpha_alone(tmp_path: Path) -> None:
    line = (
        'kept_classes = [{ forwarding_class = "voice", queue = 5, share_pct = 6, buffer_pct = 2, priority = "high" }]'
    )
    settings = load(tmp_path, with_router(line))
    router = settings.routers[0]
    plain = build_model(router.model_copy(update={"kept_classes": ()}), settings.plans[router.plan], [])
    kept = build_model(router, settings.plans[router.plan], [])
    before, after = ({each.forwarding_class: each for each in made.schedulers} for made in (plain, kept))
    assert after["alpha"].transmit_share_pct == before["alpha"].transmit_share_pct - 6
    assert after["alpha"].buffer_share_pct == before["alpha"].buffer_share_pct - 2
    assert (after["voice"].transmit_share_pct, after["voice"].buffer_share_pct, after["voice"].priority) == (
        6,
        2,
        "high",
    )
    assert after["beta"] == before["beta"]


def test_only_junos_gets_a_class_added(tmp_path: Path) -> None:
    text = with_router(RUNNING + 'adopt = { policy = "wan" }').replace('"junos"', '"iosxr"')
    assert "iosxr adds no class to the operator's policy: set adopt.forwarding_class" in refusal(tmp_path, text)
