"""What a candidate for EOS may not say, and that no change of one of its words goes unseen."""

import re
from dataclasses import replace

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.errors import ParseError
from hntes.platforms.expected import effective_of
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, PLANS, model, router

MADE, BOTH = model("eos", pairs=PAIRS[:3]), model("eos")
TEXT = render(MADE)
HARMFUL = (
    "username admin privilege 15 secret x",
    "ip route 0.0.0.0/0 Null0",
    "no ip routing",
    "no interface Ethernet1/1",
    "default interface Ethernet1/1",
    "qos map dscp 46 to traffic-class 4",
    "qos rewrite dscp",
    "hardware tcam\n   system profile default",
    "policy-map type quality-of-service hntes\n   class class-default\n      set traffic-class 4",
    "interface Ethernet1/1.100\n   shutdown",
    "interface Ethernet1/1.100\n   traffic-policy output hntes-alpha-v4",
    "interface Ethernet2/1\n   tx-queue 1\n      bandwidth percent 1",
    "interface Ethernet2/1\n   shape rate 10 percent",
    "interface Ethernet9/1\n   traffic-policy input hntes-alpha-v4",
    "interface Ethernet9/1\n   service-profile own",
    "traffic-policies\n   traffic-policy own\n      match ipv4-all-default ipv4",
    "traffic-policies\n   counter interface per-interface ingress",
    "qos profile own\n   tx-queue 1\n      no priority",
    "qos profile hntes-other\n   tx-queue 1\n      no priority",
    "nexthop-group own type ip\n   entry 0 nexthop 192.0.2.9",
    "nexthop-group hntes-other type ip\n   entry 0 nexthop 192.0.2.9",
    "banner login\nwelcome\nEOF",
    "event-handler x\n   action bash reboot",
    "end",
    "exit",
    "commit",
)
LIMIT = "random-detect drop minimum-threshold 1 bytes maximum-threshold 2 bytes drop-probability 100"
# Lines within the objects of a candidate: what stands before them, and what is put behind it.
INSIDE = (
    ("         actions\n", "            drop\n"),
    ("         actions\n", "            set dscp 46\n"),
    ("         actions\n", "            count other\n"),
    ("         actions\n", "            police rate 100 mbps burst-size 10000 bytes\n"),
    ("         destination prefix 203.0.113.0/24\n", "         protocol tcp\n"),
    ("         destination prefix 203.0.113.0/24\n", "         destination prefix 0.0.0.0/0\n"),
    ("      match ipv4-all-default ipv4\n", "         actions\n            drop\n            log\n"),
    ("      match ipv4-all-default ipv4\n", "         source prefix 198.18.0.0/16\n"),
    ("      match ipv4-all-default ipv4\n", "         actions\n            drop\n" * 2),
    ("      match ipv4-all-default ipv4\n", "      match late ipv4\n"),
    ("   traffic-policy hntes-alpha-v4\n", "      counter all\n"),
    ("   tx-queue 4\n", "      shape rate 10 percent\n"),
    ("   tx-queue 4\n", "      no priority\n"),
    ("   tx-queue 4\n", "      random-detect ecn minimum-threshold 1 kbytes maximum-threshold 2 kbytes\n"),
    ("qos profile hntes-out-10000000k\n", "   qos trust cos\n"),
    ("qos profile hntes-out-10000000k\n", "   shape rate 10 percent\n"),
    ("qos profile hntes-out-10000000k\n", "   tx-queue 7\n      no priority\n"),
    ("qos profile hntes-out-10000000k\n", f"   tx-queue 0\n      {LIMIT}\n      bandwidth percent 1\n"),
)  # fmt: skip


@pytest.mark.parametrize("statement", HARMFUL)
def test_a_statement_that_no_candidate_has_is_refused(statement: str) -> None:
    with pytest.raises(ParseError) as refused:
        parse_config("eos", f"{TEXT}{statement}\n", MADE.interfaces)
    assert 0 < refused.value.line <= TEXT.count("\n") + 4


@pytest.mark.parametrize(("before", "line"), INSIDE)
def test_a_line_that_no_object_of_a_candidate_has_is_refused(before: str, line: str) -> None:
    assert before in TEXT
    with pytest.raises(ParseError):
        parse_config("eos", TEXT.replace(before, before + line, 1), MADE.interfaces)


def test_a_strict_queue_below_a_round_robin_one_is_refused() -> None:
    """All tx-queues below a round-robin one are round-robin, whatever is said of them."""
    text = re.sub(r"(tx-queue 3\n) +no priority\n +bandwidth percent 5\n", r"\1", TEXT)
    assert text != TEXT
    with pytest.raises(ParseError, match="is strict below tx-queue 4"):
        parse_config("eos", text, MADE.interfaces)


def test_a_strict_queue_with_a_share_is_refused() -> None:
    """Once read as `no priority`: the pairs' queue would have starved all others."""
    text = re.sub(r"(tx-queue 4\n +)no priority", r"\1priority strict", TEXT)
    assert text != TEXT
    with pytest.raises(ParseError, match="both or none of `no priority` and `bandwidth percent`"):
        parse_config("eos", text, MADE.interfaces)


@pytest.mark.parametrize("said", ["priority strict\n", ""])
def test_a_strict_queue_is_read_as_such(said: str) -> None:
    """The pairs' queue, above beta's: what it does to others is for the gate to find."""
    text = re.sub(r"(tx-queue 4\n +)no priority\n +bandwidth percent \d+\n", rf"\1{said}", TEXT)
    assert text != TEXT
    read = parse_config("eos", text, MADE.interfaces)
    found = [{each.label: (each.priority, each.share_pct) for each in port.queues} for port in read.ports]
    assert [each["tx-queue 4"] for each in found] == [("high", 0)] * len(found)
    assert {each["tx-queue 1"][0] for each in found} == {"low"}


DEFAULT = "      match ipv4-all-default ipv4\n"
COUNTED = "            count\n"
MARKED = f"{COUNTED}            set traffic class 4\n"


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        ("", ("accept", None)),
        ("            drop\n", ("discard", None)),
        (f"{COUNTED}            drop\n", ("discard", None)),
        (MARKED, ("accept", 4)),
    ],
)
def test_the_actions_of_a_default_rule_are_those_of_all_other_packets(
    actions: str, expected: tuple[str, int | None]
) -> None:
    """Of its family: IPv6 passes as before."""
    said = f"         actions\n{actions}" if actions else ""
    read = parse_config("eos", render(BOTH).replace(DEFAULT, DEFAULT + said), BOTH.interfaces)
    finals = {
        (edge.ip_version, each.final.disposition, each.final.queue) for edge in read.edges for each in edge.programs
    }
    assert finals == {(4, *expected), (6, "accept", None)}


def test_a_rule_that_drops_is_read() -> None:
    text = TEXT.replace(MARKED, "            drop\n", 1)
    read = parse_config("eos", text, MADE.interfaces)
    found = [each.action.disposition for edge in read.edges for program in edge.programs for each in program.entries]
    assert "discard" in found
    assert set(found) == {"discard", "accept"}


def test_a_policy_of_default_rules_alone_does_what_these_say() -> None:
    rules = f"{DEFAULT}         actions\n            drop\n      match ipv6-all-default ipv6\n"
    policy = r"(   traffic-policy hntes-alpha-v46\n).*?(^   !\n)"
    text = re.sub(policy, rf"\1{rules}\2", render(BOTH), flags=re.DOTALL | re.MULTILINE)
    read = parse_config("eos", text, BOTH.interfaces)
    found = {(edge.ip_version, tuple(each.final.disposition for each in edge.programs)) for edge in read.edges}
    assert found == {(4, ("discard",)), (6, ())}


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("            set traffic class 4\n", "            set dscp 46\n"),
        ("         source prefix 198.18.10.0/24\n", "         source port 80\n"),
        ("      bandwidth percent 55\n", "      bandwidth guaranteed kbps 10\n"),
    ],
)
def test_of_two_lines_that_contradict_each_other_both_are_named(line: str, other: str) -> None:
    assert line in TEXT
    text = TEXT.replace(line, other + line, 1)
    first = text[: text.index(other)].count("\n") + 1
    with pytest.raises(ParseError, match=rf"line {first}\b") as refused:
        parse_config("eos", text, MADE.interfaces)
    assert refused.value.line == first + 1


def control_apart() -> RouterModel:
    """Network control where EOS has it, and alpha in the class below best effort."""
    target = router("eos", queues={"network_control": 6, "alpha": 1, "premium": 2})
    return build_model(target, PLANS["two_queue"], PAIRS[:3])


def test_network_control_on_its_own_queue_stays_strict_and_has_no_share() -> None:
    made = control_apart()
    text = render(made)
    found = parse_config("eos", text, made.interfaces)
    assert found == effective_of(made)
    (queue,) = (each for each in found.ports[0].queues if each.numbers == (6,))
    assert (queue.priority, queue.share_pct, queue.label) == ("high", 0, "tx-queue 6")
    assert [each.label for each in found.ports[0].queues] == ["tx-queue 1", "tx-queue 0", "tx-queue 6"]
    assert text.count("no priority") == 4  # best effort and alpha, for two rates of ports
    assert {line.strip() for line in text.splitlines() if "traffic class" in line and line[0] == " "} == {
        "set traffic class 0"
    }


def _changed(word: str) -> list[str]:
    """Other words of the same kind."""
    if word.isdigit():
        return [str(int(word) + 1), str(max(0, int(word) - 1)), "0"]
    if "/" in word:
        return [f"{word[:-1]}{(int(word[-1]) + 1) % 3}" if word[-1].isdigit() else f"{word}x"]
    known = {"ipv4": "ipv6", "ipv6": "ipv4", "kbps": "mbps", "bytes": "kbytes", "input": "output", "ip": "gre"}
    return [known.get(word, f"{word}x")]


@pytest.mark.parametrize(
    "made",
    [
        MADE,
        model("eos", "premium", pairs=PAIRS[:2]),
        model("eos", redirect="next_hop", pairs=PAIRS[:2]),
        control_apart(),
    ],
)
def test_no_changed_word_goes_unseen(made: RouterModel) -> None:
    """But for names of rules."""
    text, wanted = render(made), effective_of(made)
    lines = text.splitlines()
    unseen = []
    for index, line in enumerate(lines):
        for word in re.finditer(r"\S+", "" if line.lstrip().startswith("!") else line):
            for other in _changed(word[0]):
                changed = f"{line[: word.start()]}{other}{line[word.end() :]}"
                if other == word[0]:
                    continue
                try:
                    whole = "".join(f"{each}\n" for each in (*lines[:index], changed, *lines[index + 1 :]))
                    found = parse_config("eos", whole, made.interfaces)
                except ParseError:
                    continue
                if not differences(found, wanted):
                    unseen.append(changed.strip())
    assert [
        each for each in unseen if not re.fullmatch(r"match (alpha|premium|ipv[46]-all-default)\S* ipv[46]", each)
    ] == []


def test_the_most_that_a_port_may_have_is_refused_beyond() -> None:
    made = model("eos")
    fast = tuple(replace(each, rate_bps=800_000_000_000) for each in made.interfaces)
    assert any("above 4294967295" in line for line in problems(replace(made, interfaces=fast, port_buffer_ms=500)))
