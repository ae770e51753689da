"""What hardware refuses, with the setting that helps and the source; what a text does on hardware of another kind."""

import dataclasses
from typing import Any

import pytest

from hntes.platforms.errors import ParseError
from hntes.platforms.expected import effective_of
from hntes.platforms.hardware_findings import hardware_findings
from hntes.platforms.hardware_fit import UnknownHardwareError, hardware_of, model_of, port_buffer_ms, recognized
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.settings_check import router_problems
from hntes.platforms.validate import problems
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import Marking, ModelError, OperatorFilter
from hntes.settings.plans import Plan, TwoQueue
from tests.support.gate_subjects import replaced
from tests.support.hardware import FAMILIES, hardware_model
from tests.support.qos_models import PAIRS, PLANS, router

TEN, HUNDRED, FOUR_HUNDRED = 10 * 10**9, 100 * 10**9, 400 * 10**9


def of_plan(platform: str, hardware: str, plan: Plan, **changes: Any) -> list[str]:
    return problems(model_of(router(platform, hardware=hardware, **changes), plan, PAIRS))


@pytest.mark.parametrize(
    ("key", "word"), [("alpha_priority", "medium-high"), ("beta_priority", "medium-low"), ("alpha_priority", "high")]
)
def test_a_level_that_starves_the_lower_ones_is_refused_with_the_key(key: str, word: str) -> None:
    (found,) = of_plan("junos", "acx7000", TwoQueue.model_validate({"kind": "two_queue", key: word}))
    assert f"priority {word} starves every queue of a lower one; set {key} in the plan to low" in found
    assert "Low Latency Queueing, design guide" in found


def test_levels_that_start_at_low_are_the_default_where_levels_starve() -> None:
    words = {each.name: each.priority for each in hardware_model("junos", "acx7000", "premium").schedulers}
    assert set(words.values()) == {"low"}
    assert {each.priority for each in hardware_model("junos", "mx").schedulers} == {"high", "medium-high", "medium-low"}


@pytest.mark.parametrize("hardware", ["ncs", "8000"])
def test_a_policer_that_moves_packets_and_a_priority_class_are_refused(hardware: str) -> None:
    (moving,) = of_plan("iosxr", hardware, PLANS["scavenger_policer"])
    assert "moves packets to another class; use another plan: not on" in moving
    (strict,) = of_plan("iosxr", hardware, TwoQueue(kind="two_queue", alpha_priority="strict-high"))
    assert "priority strict-high; set alpha_priority in the plan: not on" in strict


def test_lists_have_no_more_lines_than_a_line_card_has_room_for() -> None:
    made = hardware_model("iosxr", "ncs")
    pairs = [PrefixPair.parse(f"198.18.{at // 250}.{at % 250}/32>203.0.113.0/24") for at in range(4_001)]
    full = model_of(router("iosxr", hardware="ncs"), PLANS["recommended"], pairs)
    (found,) = problems(full)
    assert "4001 pairs, and a line card has room for 4000; lower term_budget" in found
    assert "xrdocs.io" in found
    assert problems(made) == problems(model_of(router("iosxr", hardware="ncs"), PLANS["recommended"], pairs[1:])) == []


def test_a_filter_before_the_operators_and_a_routing_instance_are_refused_on_acx7000() -> None:
    made = hardware_model("junos", "acx7000")
    listed = dataclasses.replace(made.interfaces[0], operator_filters=(OperatorFilter(4, "own"),))
    (found,) = problems(dataclasses.replace(made, interfaces=(listed, *made.interfaces[1:])))
    assert "next term" in found
    (found,) = problems(hardware_model("junos", "acx7000", redirect="next_hop"))
    assert "redirect to a next hop in the term of the class; leave it out" in found
    assert problems(hardware_model("junos", "mx", redirect="next_hop")) == []


@pytest.mark.parametrize(("hardware", "refused"), [("ncs", True), ("8000", True), ("asr9000", False)])
def test_queues_by_the_mark_of_flowspec_need_groups(hardware: str, refused: bool) -> None:
    made = dataclasses.replace(hardware_model("iosxr", hardware), flowspec=Marking(10, None))
    assert any("queues by the DSCP that FlowSpec sets" in line for line in problems(made)) is refused


def test_a_traffic_class_above_seven_is_refused() -> None:
    (found,) = of_plan("iosxr", "ncs", PLANS["recommended"], queues={"alpha": 20})
    assert "queue 20 is out of 0..7; set [routers.queues]" in found


# Juniper, ACX7000 Configuration Essentials, table 2; Scheduler Delay Buffering on MIC and MPC Interfaces.
@pytest.mark.parametrize(
    ("hardware", "rate_bps", "buffer_ms"),
    [
        ("acx7000", TEN, 40), ("acx7000", 25 * 10**9, 80), ("acx7000", HUNDRED, 40), ("acx7000", FOUR_HUNDRED, 10),
        ("mx", TEN, 100), ("mx", 10**8, 500),
    ],
)  # fmt: skip
def test_the_buffer_is_that_of_the_slowest_port_of_the_hardware(hardware: str, rate_bps: int, buffer_ms: float) -> None:
    ports = [
        {"name": "et-0/0/0", "role": "edge", "rate_bps": TEN},
        {"name": "et-0/0/1", "role": "core", "rate_bps": rate_bps},
    ]
    chosen = router("junos", hardware=hardware, interfaces=ports)
    assert port_buffer_ms(chosen) == model_of(chosen, PLANS["recommended"], PAIRS).port_buffer_ms == buffer_ms
    given = router("junos", hardware=hardware, interfaces=ports, port_buffer_ms=7)
    assert port_buffer_ms(given) == model_of(given, PLANS["recommended"], PAIRS).port_buffer_ms == 7


def test_ports_of_unlike_buffers_count_with_the_smallest() -> None:
    ports = [
        {"name": "et-0/0/0", "role": "edge", "rate_bps": TEN},
        {"name": "et-0/0/1", "role": "core", "rate_bps": FOUR_HUNDRED},
        {"name": "et-0/0/2", "role": "core", "rate_bps": TEN},
    ]
    assert port_buffer_ms(router("junos", hardware="acx7000", interfaces=ports)) == 10


def test_an_unpublished_buffer_has_to_be_given() -> None:
    (found,) = router_problems(router("junos", hardware="ptx"))
    assert found.key == "port_buffer_ms"
    assert list(router_problems(router("junos", hardware="ptx", port_buffer_ms=20))) == []
    with pytest.raises(ModelError, match="set port_buffer_ms"):
        model_of(router("junos", hardware="ptx"), PLANS["recommended"], PAIRS)


def test_hardware_of_another_platform_is_refused_with_what_there_is() -> None:
    (found,) = router_problems(router("junos", hardware="ncs"))
    assert (found.key, "junos has acx7000, mx, ptx" in found.reason) == ("hardware", True)
    with pytest.raises(UnknownHardwareError):
        hardware_of("iosxe", "mx")
    made = dataclasses.replace(hardware_model("junos", "mx"), hardware="gone")
    assert any("hardware 'gone'" in line for line in problems(made))


def findings(platform: str, on: str, text: str, of: str) -> list[str]:
    hardware = hardware_of(platform, on)
    assert hardware is not None
    made = hardware_model(platform, of)
    return [each.sentence for each in hardware_findings(parse_config(platform, text, made.interfaces), hardware)]


@pytest.mark.parametrize(
    ("on", "of"), [("ncs", "asr9000"), ("8000", "asr9000"), ("asr9000", "ncs"), ("asr9000", "8000")]
)
def test_a_text_whose_queues_take_packets_by_the_other_number_is_a_finding(on: str, of: str) -> None:
    found = findings("iosxr", on, render(hardware_model("iosxr", of)), of)
    assert any("its queues take packets by" in each for each in found)


def test_a_policy_that_would_clear_the_exp_of_others_is_a_finding() -> None:
    found = findings("iosxr", "8000", render(hardware_model("iosxr", "ncs")), "ncs")
    assert any("does not set the EXP of imposed labels, which then is 0 for all packets" in each for each in found)


def test_a_queue_that_starves_the_lower_ones_is_a_finding_on_acx7000_alone() -> None:
    text = render(hardware_model("junos", "mx"))
    assert any("of priority medium-high starves" in each for each in findings("junos", "acx7000", text, "mx"))
    assert findings("junos", "mx", text, "mx") == []


EXP = "  set mpls experimental imposition"
_8000 = [
    (f"{EXP} 0\n", f"{EXP} 5\n", "otherwise than by precedence"),
    (f"{EXP} 0\n", "", "otherwise than by precedence"),
    (f"{EXP} 3\n", f"{EXP} 4\n", "otherwise than by precedence"),
    (f"{EXP} 3\n", "", "otherwise than by precedence"),
    (" match precedence 3\n", " match precedence 3 4\n", "more than one precedence"),
    (" match precedence 3\n", " match dscp cs3\n", "stands behind a class"),
    ("precedence-3\n  set traffic-class 0\n", "precedence-3\n  set traffic-class 4\n", "by their precedence"),
    ("  bandwidth remaining percent 5\n", "  bandwidth percent 5\n", "ambiguous"),
    (" match traffic-class 4\n", " match qos-group 4\n", "matches QoS groups and traffic classes"),
    (" match traffic-class 4\n", " match traffic-class 8\n", "whole number from 0 to 7"),
    (" match traffic-class 4\n", " match precedence 4\n", "addresses or precedences on output"),
    ("  set traffic-class 4\n", "  set qos-group 4\n", "sets a qos-group, and no core port queues by it"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "reason"), _8000)
def test_other_words_of_the_8000_are_refused(old: str, new: str, reason: str) -> None:
    made = hardware_model("iosxr", "8000")
    text = render(made)
    at = text.index(old)
    with pytest.raises(ParseError, match=reason):
        parse_config("iosxr", text[:at] + new + text[at + len(old) :], made.interfaces)


def test_classes_of_other_marks_do_not_change_a_queue() -> None:
    made = hardware_model("iosxr", "8000")
    without = replaced("  bandwidth remaining percent 30\n", "  bandwidth remaining percent 31\n")(render(made))
    assert parse_config("iosxr", without, made.interfaces) != effective_of(made)


@pytest.mark.parametrize(
    ("platform", "listing", "expected"),
    [
        ("junos", "# Chassis                JN1234            MX480\nversion 23.4R2;\n", ("mx", 1)),
        ("junos", "Hostname: a\nModel: acx7100-48l\nversion 23.4R2-EVO;\n", ("acx7000", 2)),
        ("junos", "## Model: ptx10001-36mr\n", ("ptx", 1)),
        ("junos", "system {\n    host-name mx1;\n}\n", None),
        ("junos", "Model: mx204\n# Model: ptx10001\n", None),
        ("iosxr", "!Chassis type: ASR-9006\nhostname a\n", ("asr9000", 1)),
        ("iosxr", 'hostname a\nNAME: "0/RP0", DESCR: "x"\nPID: NCS-5501-SE , VID: V01\n', ("ncs", 3)),
        ("iosxr", "cisco 8201-32FH (Intel(R) Xeon(R) CPU) processor\n", ("8000", 1)),
        ("iosxr", "hostname ASR9001-lab\n", None),
        ("iosxe", "hostname a\nlicense udi pid ASR1001-X sn 123\n", ("asr1000", 2)),
        ("iosxe", "license udi pid CSR1000V sn 123\n", None),
    ],
)
def test_a_listing_that_names_its_model(platform: str, listing: str, expected: tuple[str, int] | None) -> None:
    found = recognized(platform, listing)
    assert expected == (None if found is None else (found.hardware.name, found.line))


def test_each_family_has_a_model() -> None:
    assert {hardware_model(*each).hardware for each in FAMILIES} == {name for _, name in FAMILIES}
