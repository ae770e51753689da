"""An operator's classes on a Cisco router: what is read, what stays, and what is refused with its line."""

import re

import pytest

from hntes.gate.criteria.structure import STRUCTURE
from hntes.platforms.adopted import expected_beside, read_kept
from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.effective import Buffer, EffectiveModel, Queue
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from hntes.settings.model import Interface
from hntes.workflow.adoption import adoption
from tests.support.adopted import LISTINGS, PAIRS, PORTS, RATE_BPS, plan_of
from tests.support.harmful_beside import harmful_beside

PLATFORMS = ("iosxr", "iosxe")
BULK = {"adopt": {"forwarding_class": "bulk", "policy": "wan"}}


def changed(platform: str, *replacements: str) -> str:
    text = LISTINGS[platform]
    for old, new in zip(replacements[::2], replacements[1::2], strict=True):
        assert text.count(old) >= 1, old
        text = text.replace(old, new)
    return text


def collisions(model: RouterModel, running: str) -> list[str]:
    """The collisions, each of which names a line that holds the last word of its statement, or no line."""
    with pytest.raises(CollisionError) as caught:
        check_conflicts(model, running)
    lines = running.splitlines()
    for each in caught.value.collisions:
        if each.line and not each.statement.startswith("scheduler of"):
            assert each.statement.split()[-1] in lines[each.line - 1], each
    return [str(each) for each in caught.value.collisions]


def queues(platform: str, running: str | None = None) -> dict[str, Queue]:
    (port,) = read_kept(platform, running or LISTINGS[platform], plan_of(platform).interfaces).ports
    return {each.label: each for each in port.queues}


def merged_of(model: RouterModel, running: str, text: str | None = None) -> EffectiveModel:
    return read_merged(model.platform, text or render(model), running, model.interfaces, keeps_classes=True)


def outcome(model: RouterModel, running: str, text: str | None = None) -> str:
    verdict = STRUCTURE.verdict(
        merged_of(model, running, text), PAIRS, alpha_queue=1, is_redirected=False, port_buffer_ms=100,
        expected=expected_beside(model, running), is_adopted=True,
    )  # fmt: skip
    return str(verdict.outcome)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_operators_queues_are_read_with_their_numbers_shares_and_ranks(platform: str) -> None:
    """Expected by hand: class-default has 100 - 10 - 15 - 20."""
    found = queues(platform)
    assert {name: each.share_pct for name, each in found.items()} == {
        "voice": 10, "business": 15, "bulk": 20, "class-default": 55
    }  # fmt: skip
    assert {name: each.numbers for name, each in found.items()} == {
        "voice": (5,), "business": (2,), "bulk": (1,), "class-default": (0,)
    }  # fmt: skip
    assert {name: each.priority for name, each in found.items()} == {
        "voice": "strict-high", "business": "low", "bulk": "low", "class-default": "low"
    }  # fmt: skip


def test_queue_limits_are_those_stated_or_the_defaults_of_the_platform() -> None:
    """IOS-XR: 100 ms at the rate of the class, 10 ms of a priority class. IOS-XE: 50 ms of the port in packets of 1500
    bytes (10 Gb/s for 50 ms are 62.5 MB), 512 packets of a priority class."""
    assert {name: each.buffer for name, each in queues("iosxr").items()} == {
        "voice": Buffer(10, "ms"), "business": Buffer(100, "ms"), "bulk": Buffer(200, "ms"),
        "class-default": Buffer(50, "ms"),
    }  # fmt: skip
    assert {name: each.buffer for name, each in queues("iosxe").items()} == {
        "voice": Buffer(512, "packets"), "business": Buffer(62_500_000 // 1500, "packets"),
        "bulk": Buffer(33_333 * 1500, "bytes"), "class-default": Buffer(62_500_000 // 1500, "packets"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("stated", "buffer"),
    [
        ("1000 packets", Buffer(256_000, "bytes")),
        ("70 kbytes", Buffer(70_000, "bytes")),
        ("500 us", Buffer(500, "us")),
    ],
)
def test_a_packet_of_a_queue_limit_of_iosxr_has_256_bytes(stated: str, buffer: Buffer) -> None:
    assert queues("iosxr", changed("iosxr", "queue-limit 200 ms", f"queue-limit {stated}"))["bulk"].buffer == buffer


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    ("stated", "shares"),
    [
        # of the 90% that voice leaves
        ("bandwidth remaining percent {}", {"business": 13, "bulk": 18, "class-default": 58}),
        ("bandwidth remaining ratio {}", {"business": 37, "bulk": 50, "class-default": 2}),
        ("bandwidth percent {}", {"business": 15, "bulk": 20, "class-default": 55}),
    ],
)
def test_shares_of_what_is_left(platform: str, stated: str, shares: dict[str, int]) -> None:
    """By hand: 90 * 15 / 100 = 13.5, 90 * 20 / 100 = 18, 90 * 65 / 100 = 58.5; ratios 15 : 20 : 1 of 90."""
    running = changed(platform, "bandwidth percent 15", stated.format(15), "bandwidth percent 20", stated.format(20))
    found = queues(platform, running)
    assert {name: found[name].share_pct for name in shares} == shares


@pytest.mark.parametrize("platform", PLATFORMS)
def test_rates_in_units_are_parts_of_the_port(platform: str) -> None:
    running = changed(
        platform, "bandwidth percent 15", "bandwidth 1500000", "bandwidth percent 20", "bandwidth 2000000"
    )
    assert {name: queues(platform, running)[name].share_pct for name in ("business", "bulk")} == {
        "business": 15, "bulk": 20
    }  # fmt: skip


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("blank", ["", " "])
def test_a_policy_below_a_shaper_of_the_port_has_the_shaped_rate(platform: str, blank: str) -> None:
    """IOS-XE lists the policy one blank deeper than the shaper."""
    end = " end-policy-map\n" if platform == "iosxr" else ""
    rate = "2 gbps" if platform == "iosxr" else "2000000000"
    shaper = f"  shape average {rate}\n  {blank}service-policy wan\n"
    parent = f"policy-map shaped\n class class-default\n{shaper}{end}!\ninterface"
    running = changed(platform, "service-policy output wan", "service-policy output shaped")
    running = running.replace("interface", parent, 1)
    (port,) = read_kept(platform, running, plan_of(platform).interfaces).ports
    assert port.rate_bps == 2_000_000_000
    assert [each.label for each in port.queues] == ["voice", "business", "bulk", "class-default"]
    adopting = plan_of(platform, adopt={"forwarding_class": "bulk"})
    assert outcome(check_conflicts(adopting, running), running) == "passed"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_output_policy_that_cannot_be_kept_as_it_is_says_what_helps(platform: str) -> None:
    plain = plan_of(platform, queues={"network_control": 21, "alpha": 22, "scavenger": 23})
    (found,) = collisions(plain, LISTINGS[platform])
    assert "keep it by [routers.adopt], with the class of it that takes the pairs" in found
    marks = re.sub(r" match qos-group \d\n", "", LISTINGS[platform])
    marks = marks.replace("class-map match-any business\n", "class-map match-any business\n match dscp af21\n")
    (found,) = collisions(plain, marks)
    assert "give one for bulk transfers a class-map (match-any) with `match qos-group N`" in found
    nested = changed(platform, "  bandwidth percent 20\n", "  bandwidth percent 20\n  service-policy x\n")
    (found,) = collisions(plain, nested)
    assert "class bulk has a policy of its own" in found


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_plan_beside_them_changes_nothing_but_the_pairs(platform: str) -> None:
    running = LISTINGS[platform]
    made = check_conflicts(plan_of(platform, **BULK), running)
    text = render(made)
    assert parse_config(platform, text, made.interfaces) == effective_of(made)
    assert all(each not in text for each in ("policy-map hntes-out", "service-policy output", "set qos-group 0"))
    assert made.queue_for("alpha") == 1
    (before,) = read_kept(platform, running, made.interfaces).ports
    assert merged_of(made, running).ports == (before,)
    assert outcome(made, running) == "passed"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_next_night_is_as_the_first(platform: str) -> None:
    plan = plan_of(platform, **BULK)
    first = check_conflicts(plan, LISTINGS[platform])
    text = "".join(f"{each}\n" for each in render(first).splitlines() if not each.startswith(("no ", "! ")))
    delivered = (
        LISTINGS[platform].replace("end\n", text + "end\n") if platform == "iosxe" else LISTINGS[platform] + text
    )
    assert check_conflicts(plan, delivered) == first
    assert outcome(first, delivered) == "passed"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_an_access_list_on_the_edge_stays_and_drops_what_it_dropped(platform: str) -> None:
    edge, word = PORTS[platform][0], {"iosxr": "ipv4", "iosxe": "ip"}[platform]
    side = {"iosxr": "ingress", "iosxe": "in"}[platform]
    running = LISTINGS[platform].replace(
        f"interface {edge}\n", f"interface {edge}\n {word} access-group spoofed {side}\n"
    )
    head = {"iosxr": "ipv4 access-list spoofed", "iosxe": "ip access-list extended spoofed"}[platform]
    running = running.replace("class-map", f"{head}\n 10 deny {word} 10.0.0.0 0.255.255.255 any\n!\nclass-map", 1)
    assert outcome(check_conflicts(plan_of(platform, **BULK), running), running) == "passed"


def test_a_class_of_a_traffic_class_gets_the_pairs_by_it() -> None:
    running = LISTINGS["iosxr"].replace("qos-group", "traffic-class")
    made = check_conflicts(plan_of("iosxr", **BULK), running)
    text = render(made)
    assert "set traffic-class 1" in text
    assert outcome(made, running) == "passed"
    with pytest.raises(ParseError, match="sets a qos-group, and no core port queues by it"):
        merged_of(made, running, text.replace("traffic-class", "qos-group"))


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    ("replacements", "why"),
    [
        (("bandwidth percent 20", "priority level 2"), "ranks above queue 0"),
        (("bandwidth percent 20", "priority"), "is of strict-high priority"),
        (("  bandwidth percent 20\n", "  bandwidth percent 20\n  police cir percent 20\n"), "is limited (policed)"),
        (("  bandwidth percent 20\n", "  bandwidth percent 20\n  shape average percent 20\n"), "is limited (shaped)"),
        (("  bandwidth percent 20\n", ""), "has no guaranteed rate"),
        (
            ("  bandwidth percent 20\n", "  bandwidth percent 20\n  random-detect\n"),
            "drops packets before the queue is",
        ),
        (("  bandwidth percent 20\n", "  bandwidth percent 20\n  fair-queue\n"), "divides the queue among flows"),
        (("  bandwidth percent 20\n", "  bandwidth percent 20\n  service-policy x\n"), "is not understood in a class"),
        (("match dscp ef", "match dscp ef\n match dscp af11"), None),
        (
            ("  set qos-group 5", "  police 1000000\n   conform-action set-qos-transmit 1"),
            "puts packets marked ef into class",
        ),
        (("dscp af11 cs1\n", "dscp af11 ef\n"), "puts packets marked ef into class bulk"),
        (("dscp af11 cs1\n", "dscp af11 af31\n"), "accept interactive data in adopt.shares_with"),
        (("dscp af11 cs1\n", "access-group 100\n"), "puts packets into class bulk"),
        (
            ("class voice-in\n  set qos-group 5", "class voice-in\n  set qos-group 1"),
            "puts packets marked ef into class",
        ),
        (("  set qos-group 1\n", "  set qos-group 1\n  set dscp af11\n"), None),
        (("match dscp ef", "match access-group 100"), None),
        (
            ("match qos-group 2", "match qos-group 2\n match dscp default"),
            "may take packets of the pairs before class bulk",
        ),
        (("match qos-group 2", "match access-group ipv4 x"), "may take packets of the pairs before class bulk"),
        (("match qos-group 2", "match any"), "may take packets of the pairs before class bulk"),
        (
            ("class-map match-any bulk\n match qos-group 1", "class-map match-any bulk\n match dscp af12"),
            "takes no packets by",
        ),
        (
            ("class-map match-any bulk\n match qos-group 1", "class-map match-all bulk\n match qos-group 1"),
            "takes no packets by",
        ),
        (("match qos-group 1", "match qos-group 0 1"), "takes unmarked traffic, too"),
        (("match qos-group 2", "match traffic-class 2"), "matches QoS groups and traffic classes"),
        ((" service-policy output wan\n", ""), "has no output policy that adopt could keep"),
        ((" service-policy output wan\n", " service-policy output lan\n"), "is not the policy of adopt.policy, wan"),
        (
            (" class bulk\n", " class mass\n", "class-map match-any bulk\n", "class-map match-any mass\n"),
            "has no class bulk",
        ),
        (("bandwidth percent 15", "bandwidth percent 85"), "add up to 115%"),
    ],
)
def test_what_would_do_harm_is_refused_with_the_reason(
    platform: str, replacements: tuple[str, ...], why: str | None
) -> None:
    """`None`: it does no harm."""
    running = changed(platform, *replacements)
    if why is None:
        assert outcome(check_conflicts(plan_of(platform, **BULK), running), running) == "passed"
    elif why.startswith("add up"):
        assert outcome(check_conflicts(plan_of(platform, **BULK), running), running) == "failed"
    else:
        found = collisions(plan_of(platform, **BULK), running)
        assert any(why in each for each in found), found


@pytest.mark.parametrize("platform", PLATFORMS)
def test_interactive_data_stays_in_the_class_where_the_operator_accepts_it(platform: str) -> None:
    running = changed(platform, "dscp af11 cs1\n", "dscp af11 26\n")
    accepting = {"adopt": {**BULK["adopt"], "shares_with": ["af31"]}}
    assert check_conflicts(plan_of(platform, **accepting), running).queue_for("alpha") == 1


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_class_with_interactive_data_is_proposed_with_its_marks(platform: str) -> None:
    """26 is AF31; 46, EF, is voice, behind which nothing may wait."""
    edge, core = PORTS[platform]
    ports = [Interface(name=edge, role="edge", rate_bps=RATE_BPS, ip_versions=(4,)),
             Interface(name=core, role="core", rate_bps=RATE_BPS)]  # fmt: skip
    shared = changed(platform, "dscp af11 cs1\n", "dscp af11 26\n")
    found = adoption(platform, shared, ports).found
    assert found is not None
    assert found.router == {"adopt": {"forwarding_class": "bulk", "policy": "wan", "shares_with": ["af31"]}}
    voice = changed(platform, "dscp af11 cs1\n", "dscp af11 26 46\n")
    found = adoption(platform, voice, ports).found
    assert found is None or "bulk" not in str(found.router)


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_policy_that_no_interface_has_puts_nothing_into_the_class(platform: str) -> None:
    harmful = changed(platform, "class voice-in\n  set qos-group 5", "class voice-in\n  set qos-group 1")
    unused = harmful.replace(" service-policy input customers\n", "")
    assert outcome(check_conflicts(plan_of(platform, **BULK), unused), unused) == "passed"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_routes_that_set_the_number_of_the_class_are_refused(platform: str) -> None:
    text = {
        "iosxr": "route-policy marks\n  set qos-group 1\nend-policy\n!\n",
        "iosxe": "route-map marks permit 10\n set ip qos-group 1\n!\n",
    }
    running = LISTINGS[platform].replace("class-map", text[platform] + "class-map", 1)
    assert any("puts packets into class bulk" in each for each in collisions(plan_of(platform, **BULK), running))


@pytest.mark.parametrize("platform", PLATFORMS)
def test_queues_of_a_unit_or_a_policy_of_the_edge_are_refused(platform: str) -> None:
    edge, core = PORTS[platform]
    unit = LISTINGS[platform].replace(
        f"interface {core}\n", f"interface {core}.7\n service-policy output wan\n!\ninterface {core}\n"
    )
    assert any("queues a unit" in each for each in collisions(plan_of(platform, **BULK), unit))
    input_policy = LISTINGS[platform].replace(
        f"interface {edge}\n", f"interface {edge}\n service-policy input customers\n"
    )
    (found,) = collisions(plan_of(platform, **BULK), input_policy)
    assert "is in the place of HNTES's" in found
    assert "or leave this interface out of the settings" in found or "Mark these packets on the neighbour" in found


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    ("statement", "instead"),
    [("set qos-group 1", "set qos-group 5"), ("set qos-group 1", "set qos-group 0"), ("203.0.113.0", "203.0.112.0")],
)
def test_a_text_that_says_something_else_fails(platform: str, statement: str, instead: str) -> None:
    made = check_conflicts(plan_of(platform, **BULK), LISTINGS[platform])
    text = render(made)
    assert statement in text
    assert outcome(made, LISTINGS[platform], text.replace(statement, instead)) == "failed"


@pytest.mark.parametrize("platform", PLATFORMS)
def test_init_proposes_the_class_of_bulk_transfers(platform: str) -> None:
    edge, core = PORTS[platform]
    ports = [
        Interface(name=edge, role="edge", rate_bps=RATE_BPS, ip_versions=(4,)),
        Interface(name=core, role="core", rate_bps=RATE_BPS, ip_versions=(4,)),
    ]
    found = adoption(platform, LISTINGS[platform], ports)
    assert found.found is not None
    assert found.lines() == ["# below [[routers]]", 'adopt = { forwarding_class = "bulk", policy = "wan" }']


@pytest.mark.parametrize("platform", PLATFORMS)
def test_no_harmful_statement_for_the_number_of_the_class_passes(platform: str) -> None:
    """Those of any plan, for the number of this one, with the policy that one defines attached to another interface.

    A class-map by itself puts no packet anywhere.
    """
    plan = plan_of(platform, **BULK)
    texts = [each.replace("qos-group 4", "qos-group 1") for each in harmful_beside(plan) if "class-map" not in each]
    passed = []
    for text in (each.replace("transmit 4", "transmit 1") for each in texts):
        running = LISTINGS[platform]
        if "policy-map own" in text:
            running = running.replace(" service-policy input customers\n", " service-policy input own\n")
        try:
            made = check_conflicts(plan, running + text)
            reasons = [each for each in merged_of(made, running + text).unparsed if each.is_reason]
        except (CollisionError, ParseError):
            continue
        if not reasons:
            passed.append(text)
    assert len(texts) > 20
    assert not passed
