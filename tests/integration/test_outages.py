"""Public outages as changes that HNTES is asked to make: each is stopped, or docs/reference/attacks.md says why not.

Sources: Level 3/CenturyLink, FCC report on the outage of 30 August 2020 (a FlowSpec rule that matched all packets);
Cloudflare, "Today's outage post mortem", 3 March 2013 (a FlowSpec rule on packets of 99,971 bytes) and "Cloudflare
outage on July 17, 2020" (all traffic attracted to one router); CRTC, report on the Rogers outage of 8 July 2022 (a
filter that was removed).
"""

import importlib
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path

import pytest

from hntes.delivery.flowspec.rule import Bounds, RuleError, rules_of
from hntes.delivery.load_watch import LoadWatch
from hntes.gate import Judgement, RedirectTarget, Subject, judge
from hntes.platforms.device_errors import NotKeptError
from hntes.platforms.load import Part, RouterLoad
from hntes.rules.pairs import PrefixPair
from hntes.settings.load import LoadLimits
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from tests.support.benches import DELIVERED_TO, bench_of
from tests.support.devices.farm import Farm
from tests.support.gate_subjects import refusing_lab, replaced, small_model, subject_of
from tests.support.qos_models import PAIRS, PLATFORMS

PLAN = TwoQueue(kind="two_queue")
_ENDS = """\
                    src-ip {{
                        address {}
                    }}
                    dst-ip {{
                        address {}
                    }}
"""
# The first pair's match, and what an empty one looks like.
MATCH = {
    "junos": (
        (
            "from {\n                    source-address 198.18.10.7/32;\n"
            "                    destination-address 203.0.113.0/24;\n                }\n                then"
        ),
        "then",
    ),
    "iosxr": ("permit ipv4 host 198.18.10.7 203.0.113.0/24", "permit ipv4 any any"),
    "iosxe": ("permit ip host 198.18.10.7 203.0.113.0 0.0.0.255", "permit ip any any"),
    "sros": (
        f"                match {{\n{_ENDS.format('198.18.10.7/32', '203.0.113.0/24')}                }}\n",
        "",
    ),
    # a rule without prefixes is not read at all
    "eos": (
        "         source prefix 198.18.10.7/32\n         destination prefix 203.0.113.0/24\n",
        "         source prefix 0.0.0.0/0\n         destination prefix 0.0.0.0/0\n",
    ),
}
# An operator's filter goes, in the same text.
REMOVAL = {
    "junos": ("    family inet {\n", "    delete: filter guard;\n    family inet {\n"),
    "iosxr": (
        "no ipv4 access-list hntes-alpha-v4\n",
        "no ipv4 access-list guard\nno ipv4 access-list hntes-alpha-v4\n",
    ),
    "iosxe": (
        "class-map match-any hntes-alpha\n",
        "no ip access-list extended guard\nclass-map match-any hntes-alpha\n",
    ),
    "sros": ("    filter {\n", "    delete filter ip-filter guard\n    filter {\n"),
    "eos": ("traffic-policies\n", "traffic-policies\n   no traffic-policy guard\n"),
}
# What a platform can say of a packet's length.
LENGTH = {
    "junos": ("source-address 198.18.10.7/32;", "source-address 198.18.10.7/32;\n packet-length 99971-99985;"),
    "iosxr": (MATCH["iosxr"][0], f"{MATCH['iosxr'][0]} packet-length range 99971 99985"),
    "iosxe": (MATCH["iosxe"][0], f"{MATCH['iosxe'][0]} fragments"),
    "sros": (
        "                match {\n",
        "                match {\n                    packet-length gt 99970\n",
    ),
    "eos": (
        "         source prefix 198.18.10.7/32\n",
        "         source prefix 198.18.10.7/32\n         ip length 99971-99985\n",
    ),
}


@pytest.fixture(autouse=True)
def without_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text alone is asked: no run may be needed to refuse it."""
    module = importlib.import_module("hntes.gate.judge")
    for name in ("judge_plans", "control_verdicts"):
        monkeypatch.setattr(module, name, lambda *_, **__: [])


def judged(platform: str, old: str, new: str, *, is_candidate: bool) -> Judgement:
    """What the gate says of an edited candidate, or of the same text by an operator's hand."""
    model = small_model(platform, PLAN, PAIRS[:2])
    whole = subject_of(model)
    text = replaced(old, new)(whole.text)
    subject: Subject = replace(whole, text=text, expected=whole.expected if is_candidate else None)
    return judge(subject, Gate(), refusing_lab())


def failed(judgement: Judgement) -> set[str]:
    return {f"{each.criterion}/{each.measure}" for each in judgement.verdicts if each.outcome == "failed"}


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("is_candidate", [True, False])
def test_the_text_that_the_outages_are_put_into_is_not_refused(platform: str, is_candidate: bool) -> None:
    assert failed(judged(platform, "HNTES", "HNTES", is_candidate=is_candidate)) == set()


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_rule_without_a_match_is_refused(platform: str) -> None:
    """Cloudflare 2026, CenturyLink 2020: in a candidate by its structure, in a text by hand by what it takes."""
    assert "structure/findings" in failed(judged(platform, *MATCH[platform], is_candidate=True))
    assert "reach/address_space" in failed(judged(platform, *MATCH[platform], is_candidate=False))


def test_an_announcement_that_matches_everything_is_refused() -> None:
    """CenturyLink 2020, by FlowSpec."""
    whole = PrefixPair(ip_network("0.0.0.0/0"), ip_network("203.0.113.0/24"))
    with pytest.raises(RuleError, match=r"0\.0\.0\.0/0"):
        rules_of([whole], 8, None, Bounds(100, 16, 32))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("is_candidate", [True, False])
def test_a_text_that_removes_a_filter_of_the_operators_is_refused(platform: str, is_candidate: bool) -> None:
    """Rogers 2022."""
    assert "structure/findings" in failed(judged(platform, *REMOVAL[platform], is_candidate=is_candidate))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_match_that_no_candidate_has_is_refused_whether_a_router_takes_it_or_not(platform: str) -> None:
    """Cloudflare 2013: packets of a length that no packet has."""
    assert "structure/findings" in failed(judged(platform, *LENGTH[platform], is_candidate=True))


@pytest.mark.parametrize("platform", DELIVERED_TO)
def test_a_legal_rule_that_exhausts_a_router_is_taken_back(
    platform: str, tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cloudflare 2013, with a rule that no check of a text could tell from others: memory is full while it is there."""
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    bench = bench_of(platform, tmp_path, farm)
    seen = []

    def told() -> RouterLoad:
        seen.append(bench.holds)
        return RouterLoad(Part("processor 0", 20), Part("memory 0", 40 if bench.holds == "before" else 99))

    bench.watch = LoadWatch("r1", told, LoadLimits(), "", bench.timer)
    with pytest.raises(NotKeptError, match=r"memory 0 at 99 %, above delivery\.load\.max_memory_pct, 90 %"):
        bench.push()
    assert seen == ["before", *["after on trial"] * 3]
    assert bench.holds == bench.starts_with == "before"


def test_pairs_that_fill_the_path_to_which_they_are_sent_are_refused() -> None:
    """Cloudflare 2020: 9 Gbit/s of pairs to a port of 10 that carries its own traffic beside them."""
    subject = subject_of(small_model("junos", PLAN, PAIRS[:2]))
    port = next(each.name for each in subject.interfaces if each.role == "core")
    found = judge(replace(subject, redirect_target=RedirectTarget(port, 9e9, 1440)), Gate(), refusing_lab())
    assert "reach/redirect_target" in failed(found)
