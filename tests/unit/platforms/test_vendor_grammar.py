"""Every rendered text is in the vendor's language, and the grammar that says so can say no."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.build import build_model
from hntes.settings.plans import Plan, ThreeColorMarker, TwoQueue
from tests.contract.platform.models import redirects_of, supported_plans, taken
from tests.support.qos_models import PAIRS, PLANS, PLATFORMS, many_pairs, router
from tests.support.vendor_grammar import GrammarError, parse

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
GOLDENS = sorted(
    path.relative_to(GOLDEN) for platform in PLATFORMS for path in GOLDEN.glob(f"{platform}/*/expected.conf")
)

OTHER_PLANS: list[Plan] = [
    TwoQueue(kind="two_queue", alpha_priority="strict-high"),
    ThreeColorMarker(kind="three_color_marker", marker="single_rate"),
    ThreeColorMarker(kind="three_color_marker", marker="two_rate", red_action="discard"),
]


def other_texts() -> Iterator[tuple[str, Plan, str]]:
    """Platform, plan and redirect of the other plans; test_plan_support.py has the refusals."""
    for platform, plan in product(PLATFORMS, OTHER_PLANS):
        for redirect in redirects_of(platform):
            if not problems(build_model(router(platform, redirect), plan, PAIRS)):
                yield platform, plan, redirect


ANY_TO_ANY = ["0.0.0.0/0>198.18.0.0/15", "::/0>2001:db8::/32"]


def golden(platform: str, name: str) -> str:
    return (GOLDEN / platform / name / "expected.conf").read_text()


def test_all_goldens_are_read() -> None:
    for platform in PLATFORMS:
        found = [path for path in GOLDENS if path.parts[0] == platform]
        assert len(found) >= len(supported_plans(platform)) + len(redirects_of(platform)) - 1


@pytest.mark.parametrize("path", GOLDENS, ids=str)
def test_golden_is_in_the_language(path: Path) -> None:
    parse(path.parts[0], (GOLDEN / path).read_text())


@pytest.mark.parametrize(
    ("platform", "plan", "redirect"),
    [
        *((platform, PLANS[plan], redirect) for platform, plan, redirect in taken()),
        *other_texts(),
    ],
    ids=str,
)
def test_other_texts_are_in_the_language(platform: str, plan: Plan, redirect: str) -> None:
    for pairs in ([], PAIRS, PAIRS[:1], PAIRS[-1:], [PrefixPair.parse(text) for text in ANY_TO_ANY]):
        parse(platform, render(build_model(router(platform, redirect), plan, pairs)))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_two_thousand_pairs_are_in_the_language(platform: str) -> None:
    parse(platform, render(build_model(router(platform, "next_hop"), PLANS["two_queue"], many_pairs())))


MUTATIONS = [
    ("junos", "two_queue-none", "queue-num 4", "queue-num 8"),
    ("junos", "two_queue-none", "class network-control queue", "replace: class network-control queue"),
    ("junos", "two_queue-none", "        replace: filter hntes-alpha-v4 {", "        filter hntes-alpha-v4 {"),
    ("junos", "two_queue-none", "transmit-rate percent 5;", "transmit-rate percent 101;"),
    ("junos", "two_queue-none", "priority medium-high;", "priority medium;"),
    ("junos", "two_queue-none", "source-address 198.18.10.7/32", "source-address 198.18.10.7/24"),
    ("junos", "two_queue-none", "source-address 198.18.10.7/32", "source-address 2001:db8::/32"),
    ("junos", "two_queue-none", "                    accept;\n", "                    accept;\n accept;\n"),
    ("junos", "two_queue-none", "then accept;", "then permit;"),
    ("junos", "two_queue-none", "scheduler-map hntes;", "scheduler-map hntes"),
    ("junos", "two_queue-none", "unit 100 {", "unit 1073741824 {"),
    ("junos", "two_queue-next-hop", "routing-instance hntes-alpha;", "routing-instance hntes-alpha; accept;"),
    ("junos", "two_queue-next-hop", "route ::/0 next-hop 2001", "route ::/0 nexthop 2001"),
    ("junos", "two_queue-next-hop", "instance-type forwarding;", "instance-type vrf;"),
    ("junos", "two_queue-lsp", "non-lsp-next-hop;", "no-lsp-next-hop;"),
    ("junos", "wred_policer-none", "burst-size-limit 31000;", "burst-size-limit 1499;"),
    ("junos", "wred_policer-none", "            burst-size-limit 31000;\n", ""),
    ("junos", "wred_policer-none", "fill-level [ 0 100 ]", "fill-level [ 0 101 ]"),
    ("junos", "wred_policer-none", "protocol any ", ""),
    ("junos", "three_color_marker-none", "            color-blind;\n", ""),
    ("junos", "three_color_marker-none", "{ two-rate hntes-marker; }", "two-rate hntes-marker;"),
    ("junos", "two_queue_ecn-none", "explicit-congestion-notification;", "explicit-congestion-notification 1;"),
    ("junos", "two_queue_ecn-none", "explicit-congestion-notification;", "ecn;"),
    ("iosxr", "two_queue_ecn-none", "random-detect ecn", "random-detect ecn 50 ms"),
    ("iosxe", "two_queue_ecn-none", "random-detect ecn", "random-detect explicit"),
    ("iosxr", "two_queue-next-hop", " 2147483643 permit ipv6", " 2147483644 permit ipv6"),
    ("iosxr", "two_queue-next-hop", " 2147483643 permit ipv4", " 2147483646 permit ipv4"),
    ("iosxr", "two_queue-next-hop", "nexthop1 ipv6 2001", "nexthop1 ipv4 2001"),
    ("iosxr", "two_queue-next-hop", "-v4-abf ingress", "-v4-abf in"),
    ("iosxr", "two_queue-none", "198.18.20.0/24", "198.18.20.0 0.0.0.255"),
    ("iosxr", "two_queue-none", "match qos-group 4", "match qos-group 513"),
    ("iosxr", "two_queue-none", " end-class-map\n", ""),
    ("iosxr", "two_queue-none", " end-policy-map\n", ""),
    ("iosxr", "two_queue-none", "access-group ipv4 ", "access-group name "),
    ("iosxr", "two_queue-none", "bandwidth percent 55", "bandwidth percent 0"),
    ("iosxr", "two_queue-none", "bandwidth percent 55", "priority level 1\n  bandwidth percent 55"),
    ("iosxr", "two_queue-lsp", "set forward-class 1", "set forward-class 8"),
    ("iosxr", "wred_policer-none", "   violate-action set discard-class 3\n", ""),
    ("iosxr", "wred_policer-none", "rate 1 gbps burst", "rate 1 gb burst"),
    ("iosxr", "wred_policer-none", "discard-class 3 0 ms 100 ms", "discard-class 3 100 ms 0 ms"),
    ("iosxr", "three_color_marker-none", "peak-rate 2 gbps peak-burst 62000 bytes", "peak-burst 62000 peak-rate 2"),
    ("iosxe", "two_queue-none", "198.18.20.0 0.0.0.255", "198.18.20.0/24"),
    ("iosxe", "two_queue-none", "198.18.20.0 0.0.0.255", "198.18.20.0 255.255.255.0"),
    ("iosxe", "two_queue-none", " sequence ", " "),
    ("iosxe", "two_queue-none", "access-group name ", "access-group ipv4 "),
    ("iosxe", "two_queue-none", "queue-limit 4583 packets", "queue-limit 8192001 packets"),
    ("iosxe", "two_queue-none", "bandwidth percent 55", "priority percent 10\n  bandwidth percent 55"),
    ("iosxe", "wred_policer-none", "discard-class 3 1 4583 1", "discard-class 3 0 4583 1"),
    ("iosxe", "wred_policer-none", "discard-class 3 1 4583 1", "discard-class 3 4583 4583 1"),
    ("iosxe", "wred_policer-none", "cir 1000000000 bc", "cir 64000000001 bc"),
    ("iosxe", "wred_policer-none", "   exceed-action", "  exceed-action"),
    ("iosxe", "two_queue-next-hop", "set ipv6 next-hop 2001", "set ip next-hop 2001"),
    ("iosxe", "two_queue-lsp", "set interface Tunnel5", "set interface tunnel-te5"),
    ("sros", "two-queue-none", "entry 10 {", "entry 0 {"),
    ("sros", "two-queue-none", "entry 10 {", "entry 2097152 {"),
    ("sros", "two-queue-none", "fc h2", "fc h3"),
    ("sros", "two-queue-none", "address 198.18.10.7/32", "address 198.18.10.7"),
    ("sros", "two-queue-none", "address 198.18.10.7/32", "address 2001:db8::/32"),
    (
        "sros",
        "two-queue-none",
        "                    accept\n",
        "                    accept\n                    drop\n",
    ),
    ("sros", "two-queue-none", "            default-action accept\n", ""),
    ("sros", "two-queue-none", "cir 55", "cir 101"),
    ("sros", "two-queue-none", "mbs 55.0", "mbs 100.5"),
    ("sros", "two-queue-none", "queue 5 {", "queue 17 {"),
    ("sros", "two-queue-none", "cir-level 3", "cir-level 9"),
    ("sros", "two-queue-none", "max-rate max", "max-rate 10g"),
    ("sros", "two-queue-none", "ip hntes-alpha-v4", "ip-filter hntes-alpha-v4"),
    ("sros", "two-queue-none", "policy-name hntes", "name hntes"),
    ("sros", "two-queue-next-hop", "indirect true", "indirect false"),
    ("sros", "two-queue-lsp", "lsp to-ER", "lsp to-ER\n                        next-hop"),
    ("sros", "premium-none", "pir 100000", "pir 2000000001"),
    ("eos", "two-queue-none", "set traffic class 4", "set traffic class 8"),
    ("eos", "two-queue-none", "set traffic class 4", "set traffic-class 4"),
    ("eos", "two-queue-none", "source prefix 198.18.10.7/32", "source prefix 198.18.10.7/24"),
    ("eos", "two-queue-none", "source prefix 198.18.10.7/32", "source address 198.18.10.7/32"),
    ("eos", "two-queue-none", "tx-queue 4", "tx-queue 7"),
    ("eos", "two-queue-none", "bandwidth percent 55", "bandwidth percent 0"),
    ("eos", "two-queue-none", "no priority", "priority strict"),
    ("eos", "two-queue-none", "drop-probability 100", "drop-probability 50"),
    ("eos", "two-queue-none", "         actions\n", "        actions\n"),
    ("eos", "two-queue-none", "traffic-policy input", "traffic-policy in"),
    ("eos", "two-queue-next-hop", "entry 0 nexthop 192.0.2.1", "entry 0 next-hop 192.0.2.1"),
    ("eos", "two-queue-next-hop", "type ip\n", "type mpls\n"),
    ("eos", "premium-none", "police rate 100000 kbps", "police rate 100000 kbit"),
]


@pytest.mark.parametrize(("platform", "name", "old", "new"), MUTATIONS)
def test_a_wrong_text_is_refused(platform: str, name: str, old: str, new: str) -> None:
    text = golden(platform, name)
    assert old in text
    with pytest.raises(GrammarError):
        parse(platform, text.replace(old, new, 1))


def _longer(line: str) -> str:
    for end in (";", " {"):
        if line.endswith(end):
            return f"{line.removesuffix(end)} bogus{end}"
    return f"{line} bogus"


def _with_one_word_more(text: str) -> Iterator[str]:
    """The text with a word added to one line, for each line of a form of its own."""
    lines = text.splitlines()
    seen = {"}"}
    for index, line in enumerate(lines):
        form = re.sub(r"[0-9a-f]*\d[0-9a-f.:/]*", "0", line).strip()
        if form not in seen and not form.startswith(("!", "#")):
            seen.add(form)
            yield "\n".join([*lines[:index], _longer(line), *lines[index + 1 :]])


@pytest.mark.parametrize("path", GOLDENS, ids=str)
def test_no_line_can_have_a_word_more(path: Path) -> None:
    longer = list(_with_one_word_more((GOLDEN / path).read_text()))
    assert len(longer) > 15
    for text in longer:
        with pytest.raises(GrammarError):
            parse(path.parts[0], text)
