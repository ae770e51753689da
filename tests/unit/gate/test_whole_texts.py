"""Whole configurations of unknown origin: what was not looked at is listed, and what could matter is not judged."""

from dataclasses import replace

import pytest

from hntes.gate import Judgement, judge
from hntes.platforms.render import render
from hntes.settings.model import Gate
from hntes.settings.plans import TwoQueue
from tests.support.gate_subjects import refusing_lab, small_model, subject_of
from tests.support.harmful_statements import Harmful, harmful_statements
from tests.support.qos_models import PLATFORMS, PORTS, model

PLAN = TwoQueue(kind="two_queue")
HARMFUL = harmful_statements()
# What every router has: it changes neither the judged ports nor their queues, and is listed.
USUAL_TEXTS = {
    "junos": "version 22.1R1;\nsystem { host-name r1; login { user ada { class operator; } } }\nsnmp { location l; }\n",
    "iosxr": "hostname r1\nrouter bgp 64500\n bgp router-id 192.0.2.9\n!\n",
    "iosxe": "hostname r1\nrouter bgp 64500\n bgp router-id 192.0.2.9\n!\n",
    "sros": "/configure system name r1\n/configure system security aaa user-template x home-directory y\n"
    "/configure router Base bgp group ibgp type internal\n/configure qos network wan policy-id 10\n",
    "eos": "hostname r1\nrouter bgp 64500\n   router-id 192.0.2.9\n!\nno aaa root\nno ip routing vrf x\n",
}
# The first words of each.
FIRST_WORDS = {"junos": "version", "iosxr": "hostname", "iosxe": "hostname", "sros": "system name", "eos": "hostname"}


def listed(platform: str) -> str:
    """A configuration as a router lists it: without a candidate's head, tags and removals."""
    lines = render(small_model(platform, PLAN)).replace("replace: ", "").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("# ", "## ", "! ", "no ")))


def judged(platform: str, text: str) -> Judgement:
    """The judgement on any text; beta alone fills the port, so that nothing runs."""
    core = PORTS[platform][1]
    subject = subject_of(small_model(platform, PLAN), beta_peak_bps={core: 9.5e9})
    return judge(replace(subject, text=text, expected=None), Gate(), refusing_lab())


@pytest.mark.parametrize("platform", PLATFORMS)
def test_what_every_router_has_is_listed_with_its_lines(platform: str) -> None:
    candidate = listed(platform)
    line = len(candidate.splitlines()) + 1
    first = judged(platform, candidate + USUAL_TEXTS[platform]).verdicts[0]
    assert first.outcome == "passed"
    assert "Not parsed, without effect" in first.sentence
    assert f"`{FIRST_WORDS[platform]}" in first.sentence
    assert f"line {line}" in first.sentence


def test_what_a_router_lists_as_switched_off_is_neither_a_removal_nor_in_the_way() -> None:
    port = "interface TenGigabitEthernet0/0/1\n"
    off = "no aaa new-model\nno service pad\nno ip http server\nno ip domain lookup\n"
    text = listed("iosxe").replace(port, port + " no ip redirects\n no shutdown\n") + off
    first = judged("iosxe", text).verdicts[0]
    assert first.outcome == "passed", first.sentence
    assert "`no ip" in first.sentence


@pytest.mark.parametrize("platform", ["iosxe", "eos"])
@pytest.mark.parametrize("line", ["no router ospf 1", "no ip routing", "no ip cef", "no ipv6 unicast-routing"])
def test_taking_anything_else_away_is_not_judged(platform: str, line: str) -> None:
    assert judged(platform, listed(platform) + line + "\n").verdicts[0].outcome == "not_judged"


@pytest.mark.parametrize("harmful", HARMFUL, ids=lambda each: f"{each.platform}: {each.what}")
def test_no_harmful_statement_passes_in_silence(harmful: Harmful) -> None:
    text, _ = harmful.put_into(listed(harmful.platform))
    first = judged(harmful.platform, text).verdicts[0]
    assert (first.outcome == "passed") == harmful.is_usual, first.sentence


@pytest.mark.parametrize("harmful", HARMFUL, ids=lambda each: f"{each.platform}: {each.what}")
def test_no_harmful_statement_passes_in_a_text_to_be_loaded(harmful: Harmful) -> None:
    text, _ = harmful.put_into(render(small_model(harmful.platform, PLAN)))
    assert judged(harmful.platform, text).verdicts[0].outcome == "failed"


def test_a_list_of_what_was_not_looked_at_is_bounded() -> None:
    first = judged("iosxe", listed("iosxe") + "".join(f"odd{number} word\n" for number in range(400))).verdicts[0]
    assert first.outcome == "not_judged"
    assert "and 388 more" in first.sentence
    assert len(first.sentence) < 2_000


def test_a_path_that_only_the_router_knows_is_named() -> None:
    made = model("junos", redirect="lsp")
    first = judge(subject_of(made, beta_peak_bps={"xe-0/0/1": 9.5e9}), Gate(), refusing_lab()).verdicts[0]
    assert "Not checked whether the router has LSP to-ER" in first.sentence
