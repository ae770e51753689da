"""The text that a router needs once when pairs are announced, read back by the parser of configurations."""

import re
from typing import Any

import pytest

from hntes.platforms.flowspec_queues import queues_text
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, PLANS, router

FLOWSPEC = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}


def model(platform: str, pairs: Any = PAIRS, **changes: Any) -> RouterModel:
    return build_model(router(platform, redirect=None, flowspec=FLOWSPEC, **changes), PLANS["two_queue"], pairs)


@pytest.mark.parametrize("platform", ["iosxr", "iosxe"])
def test_on_cisco_the_mark_chooses_the_alpha_queue_and_nothing_else_differs(platform: str) -> None:
    made = model(platform)
    marked = parse_config(platform, queues_text(made), made.interfaces)
    filtered = parse_config(platform, render(made), made.interfaces)
    assert all(edge.programs == () for edge in marked.edges)
    assert [port.name for port in marked.ports] == [port.name for port in filtered.ports]
    for port, other in zip(marked.ports, filtered.ports, strict=True):
        for queue, expected in zip(port.queues, other.queues, strict=True):
            is_alpha = queue.label == "hntes-queue-alpha"
            wanted = ((), (10,)) if is_alpha else (expected.numbers, expected.code_points)
            assert (queue.numbers, queue.code_points) == wanted
            assert (queue.share_pct, queue.buffer, queue.priority) == (
                expected.share_pct, expected.buffer, expected.priority,
            )  # fmt: skip


def test_on_junos_both_families_have_a_classifier_beside_the_same_queues() -> None:
    made = model("junos", class_names={"alpha": "bulk"})
    queues, found, classifiers = queues_text(made).partition("class-of-service {\n    classifiers {\n")
    assert found
    assert (
        parse_config("junos", queues, made.interfaces).ports
        == parse_config("junos", render(made), made.interfaces).ports
    )
    assert re.findall(
        r"replace: (\S+) hntes \{\s+import default;\s+forwarding-class (\w+) \{\s+(.*);", classifiers
    ) == [
        ("dscp", "bulk", "loss-priority low code-points 001010"),
        ("dscp-ipv6", "bulk", "loss-priority low code-points 001010"),
    ]
    assert re.findall(r"(xe-\S+) \{\s+unit (\d+)", classifiers) == [("xe-0/0/1", "0"), ("xe-0/0/2", "0")]
