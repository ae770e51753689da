"""The text that a router needs once when pairs are announced, read back by the parser of configurations."""

import re
from typing import Any

import pytest

from hntes.platforms.flowspec_queues import queues_text
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import ModelError, RouterModel
from tests.support.devices.sros.datastore import enter
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, router

FLOWSPEC = {"speaker": "127.0.0.1:50051", "neighbor": "192.0.2.1", "dscp": 10, "community": "64512:17"}


def model(platform: str, pairs: Any = PAIRS, **changes: Any) -> RouterModel:
    return build_model(router(platform, redirect=None, flowspec=FLOWSPEC, **changes), PLANS["two_queue"], pairs)


# What stands before or behind the queues of a text, and takes the mark.
MARKING = {
    "junos": r"class-of-service \{\n    classifiers \{\n.*",
    "sros": r"configure \{\n    qos \{\n        network hntes-mark \{.*?\n\}\n",
}


def test_a_platform_takes_the_mark_or_says_from_which_document_it_cannot() -> None:
    refused = {platform: problems(model(platform)) for platform in PLATFORMS}
    refused = {platform: found for platform, found in refused.items() if found}
    assert all("flowspec: " in each and "document" in each for found in refused.values() for each in found)
    assert 0 < len(refused) < len(PLATFORMS)
    for platform in refused:
        with pytest.raises(ModelError, match="flowspec: "):
            queues_text(model(platform))


@pytest.mark.parametrize("platform", [each for each in PLATFORMS if not problems(model(each))])
def test_queues_are_those_of_a_text_with_filters(platform: str) -> None:
    made = model(platform)
    queues = re.sub(MARKING.get(platform, r"\Z"), "", queues_text(made), flags=re.DOTALL)
    marked = parse_config(platform, queues, made.interfaces).ports
    filtered = parse_config(platform, render(made), made.interfaces).ports
    kinds = [
        [[(each.share_pct, each.buffer, each.priority) for each in port.queues] for port in ports]
        for ports in (marked, filtered)
    ]
    assert [each.name for each in marked] == [each.name for each in filtered]
    assert kinds[0] == kinds[1]


def test_on_sros_a_network_policy_has_the_mark_and_keeps_network_control_apart() -> None:
    """A policy of somebody's own puts all that it does not name into be; the default one has control in h1 and nc."""
    data: dict[object, object] = {}
    (policy,) = re.findall(MARKING["sros"], queues_text(model("sros")), flags=re.DOTALL)
    enter(data, policy)
    assert data == {
        "qos": {
            "network": {
                ("hntes-mark",): {
                    "ingress": {
                        "dscp": {
                            ("af11",): {"fc": "h2", "profile": "in"},
                            ("nc1",): {"fc": "h1", "profile": "in"},
                            ("nc2",): {"fc": "nc", "profile": "in"},
                        },
                        "lsp-exp": {
                            ("6",): {"fc": "h1", "profile": "in"},
                            ("7",): {"fc": "nc", "profile": "in"},
                        },
                    }
                }
            }
        }
    }


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
