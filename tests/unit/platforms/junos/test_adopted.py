"""An operator's classes on a Junos router: what is read, what stays, and what is refused with its line."""

import pytest

from hntes.gate.criteria.structure import STRUCTURE
from hntes.platforms.adopted import expected_beside, read_kept
from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.effective import Buffer, Queue
from hntes.platforms.errors import ParseError
from hntes.platforms.expected import effective_of
from hntes.platforms.junos.transition import junos_text
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.support.adopted import LISTINGS, PAIRS, plan_of

RUNNING = LISTINGS["junos"]
BULK = {"adopt": {"forwarding_class": "bulk", "policy": "wan"}}
ADDED = {"adopt": {"policy": "wan"}}
ADDED_PLAN = {"alpha_share_pct": 20, "beta_share_pct": 75}


def changed(old: str, new: str) -> str:
    assert RUNNING.count(old) == 1, old
    return RUNNING.replace(old, new)


def collisions(model: RouterModel, running: str) -> list[str]:
    """The collisions, each of which names a line that holds the last word of its statement, or no line."""
    with pytest.raises(CollisionError) as caught:
        check_conflicts(model, running)
    lines = running.splitlines()
    for each in caught.value.collisions:
        if each.line and not each.statement.startswith("scheduler of"):
            assert each.statement.split()[-1].strip(";") in lines[each.line - 1], each
    return [str(each) for each in caught.value.collisions]


def queues(running: str = RUNNING, rate_bps: int = 0) -> dict[int, Queue]:
    (port,) = read_kept("junos", running, plan_of().interfaces).ports
    assert not rate_bps or port.rate_bps == rate_bps
    return {each.numbers[0]: each for each in port.queues}


def test_the_operators_queues_are_read_in_the_forms_that_routers_list() -> None:
    """Expected by hand: the remainder of rates is 100 - 20 - 15 - 5 - 10, of buffers 100 - 50 - 10 - 5 - 5."""
    found = queues()
    assert {number: each.share_pct for number, each in found.items()} == {0: 50, 1: 20, 2: 15, 3: 5, 5: 10}
    assert {number: each.buffer for number, each in found.items()} == {
        0: Buffer(30, "pct"), 1: Buffer(50, "pct"), 2: Buffer(10, "pct"), 3: Buffer(5, "pct"), 5: Buffer(5, "pct")
    }  # fmt: skip
    assert {number: each.priority for number, each in found.items()} == {
        0: "low", 1: "low", 2: "low", 3: "high", 5: "strict-high"
    }  # fmt: skip
    assert (found[5].ceiling, found[5].limit_pct) == ("shaped", 10)
    assert {found[number].ceiling for number in (0, 1, 2, 3)} == {"none"}


@pytest.mark.parametrize(
    ("old", "new", "share_pct", "ceiling"),
    [
        ("transmit-rate percent 15", "transmit-rate 1500m", 15, "none"),
        ("transmit-rate percent 15", "transmit-rate 1g exact", 10, "exact"),
        ("transmit-rate percent 15;", "transmit-rate { percent 7; exact; }", 7, "exact"),
        ("transmit-rate percent 15", "transmit-rate percent 7 rate-limit", 7, "rate-limit"),
        ("transmit-rate percent 15", "shaping-rate percent 9", 0, "shaped"),
        ("transmit-rate percent 15", "transmit-rate remainder 0", 32, "none"),
    ],
)
def test_rates_of_a_scheduler(old: str, new: str, share_pct: int, ceiling: str) -> None:
    """Of two queues with the remainder each has half of the 65% that are left."""
    found = queues(changed(old, new))[2]
    assert (found.share_pct, found.ceiling) == (share_pct, ceiling)


def test_a_shaped_port_has_the_rate_that_it_is_shaped_to() -> None:
    assert queues(changed("scheduler-map wan;", "scheduler-map wan; shaping-rate 2g;"), rate_bps=2_000_000_000)


PROFILE = "output-traffic-control-profile edge;"
PROFILES = (
    "traffic-control-profiles { edge { scheduler-map wan; shaping-rate 2g; } }\n    interfaces {\n        xe-0/0/0 {"
)


def test_a_traffic_control_profile_gives_a_port_its_map_and_its_rate() -> None:
    text = changed("scheduler-map wan;", PROFILE).replace("interfaces {\n        xe-0/0/0 {", PROFILES)
    assert text.count("shaping-rate 2g") == 1
    assert queues(text, rate_bps=2_000_000_000).keys() == queues().keys()
    made = check_conflicts(plan_of(**BULK), text)
    merged = read_merged("junos", render(made), text, made.interfaces, keeps_classes=True)
    assert merged == expected_beside(made, text)
    guaranteed = text.replace("shaping-rate 2g", "guaranteed-rate 2g")
    assert any("`guaranteed-rate` is not understood" in each for each in collisions(plan_of(**BULK), guaranteed))


def test_a_buffer_of_thousands_of_microseconds() -> None:
    assert queues(changed("buffer-size percent 50;", "buffer-size temporal 20k;"))[1].buffer == Buffer(20_000, "us")


@pytest.mark.parametrize(
    ("mode", "rate", "why"),
    [
        ("scale", "transmit-rate 1g;", None),
        ("replicate", "transmit-rate percent 15;", None),
        ("replicate", "transmit-rate 1g;", "each member of the bundle gets in full"),
    ],
)
def test_rates_of_a_bundle(mode: str, rate: str, why: str | None) -> None:
    text = changed("scheduler-map wan;", f"scheduler-map wan; member-link-scheduler {mode};")
    text = text.replace("transmit-rate percent 15;", rate)
    if why is None:
        assert queues(text)
    else:
        assert any(why in each for each in collisions(plan_of(**BULK), text))


GROUP = """
groups {
    maps {
        class-of-service {
            interfaces {
                <xe-*> {
                    scheduler-map wan;
                }
            }
        }
    }
}
apply-groups maps;
"""


def test_a_pattern_of_a_group_applies_once_hntes_names_the_port() -> None:
    """It would come first, so that the map of HNTES would have no effect."""
    text = changed("        xe-* {\n            scheduler-map wan;\n        }\n", "") + GROUP
    kept = plan_of(
        class_names={"beta": "best-effort", "network_control": "network-control"}, queues={"alpha": 4},
        kept_classes=[
            {"forwarding_class": name, "queue": queue, "share_pct": 3}
            for name, queue in (("bulk", 1), ("business", 2), ("voice", 5))
        ],
    )  # fmt: skip
    found = collisions(kept, text)
    assert len(found) == 1
    assert "would apply to xe-0/1/0, before the map hntes, once HNTES names it there" in found[0]
    named = text.replace(
        "    interfaces {\n        xe-0/0/0 {", "    interfaces {\n        xe-0/1/0;\n        xe-0/0/0 {"
    )
    assert named != text
    assert check_conflicts(plan_of(**BULK), named).adopted is not None


def test_a_statement_of_the_port_is_preferred_to_that_of_a_pattern() -> None:
    text = changed("        xe-* {", "        xe-0/1/0 { scheduler-map other; }\n        xe-* {")
    with_map = text.replace(
        "    scheduler-maps {", "    scheduler-maps {\n        other { forwarding-class business scheduler business; }"
    )
    assert list(queues(with_map)) == [2]


@pytest.mark.parametrize(("keys", "plan"), [(BULK, {}), (ADDED, ADDED_PLAN)])
def test_a_plan_beside_them_changes_nothing_but_the_pairs(keys: dict[str, object], plan: dict[str, object]) -> None:
    made = check_conflicts(plan_of(plan=plan, **keys), RUNNING)
    text = render(made)
    assert parse_config("junos", text, made.interfaces) == effective_of(made)
    merged = read_merged("junos", text, RUNNING, made.interfaces, keeps_classes=True)
    before, (port,) = queues(), merged.ports
    added = made.queue_for("alpha")
    assert added == (1 if keys is BULK else 4)
    others = {each.numbers[0]: each for each in port.queues if each.numbers[0] != added}
    assert {n: q for n, q in others.items() if n} == {n: q for n, q in before.items() if n and n != added}
    assert others[0].share_pct == (50 if keys is BULK else 30)
    verdict = STRUCTURE.verdict(
        merged, PAIRS, alpha_queue=added, is_redirected=False, port_buffer_ms=100,
        expected=expected_beside(made, RUNNING), is_adopted=True,
    )  # fmt: skip
    assert verdict.outcome == "passed", verdict.sentence


@pytest.mark.parametrize(("keys", "plan"), [(BULK, {}), (ADDED, ADDED_PLAN)])
def test_the_next_night_is_as_the_first(keys: dict[str, object], plan: dict[str, object]) -> None:
    first = check_conflicts(plan_of(plan=plan, **keys), RUNNING)
    delivered = RUNNING + "\n".join(line.replace("replace: ", "") for line in junos_text(render(first)))
    assert check_conflicts(plan_of(plan=plan, **keys), delivered) == first


def test_the_class_is_listed_as_the_router_lists_its_own() -> None:
    by_queue = RUNNING
    for number, name in enumerate(("best-effort", "bulk", "business", "network-control")):
        by_queue = by_queue.replace(f"class {name} queue-num {number};", f"queue {number} {name};")
    by_queue = by_queue.replace("class voice queue-num 5;", "queue 5 voice;")
    text = render(check_conflicts(plan_of(**BULK), by_queue))
    assert "queue 1 bulk;" in text
    assert "queue-num" not in text


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("code-points [ af11 cs1 ]", "code-points [ af11 ef ]", "puts packets marked ef into class bulk"),
        ("code-points [ af11 cs1 ]", "code-points [ af11 be ]", "packets marked be into class bulk"),
        ("class voice queue-num 5", "class voice queue-num 1", "puts packets marked ef into class voice"),
        (
            "buffer-size percent 50;\n            priority low;",
            "buffer-size percent 50;\n            priority strict-high;",
            "of strict-high priority",
        ),
        (
            "buffer-size percent 50;\n            priority low;",
            "buffer-size percent 50;\n            priority high;",
            "ranks above queue 0",
        ),
        ("transmit-rate percent 20;", "transmit-rate percent 20 exact;", "is limited (exact)"),
        ("transmit-rate percent 20;", "transmit-rate percent 20; shaping-rate percent 20;", "is limited (shaped)"),
        ("transmit-rate percent 20;", "shaping-rate percent 20;", "is limited (shaped)"),
        ("            transmit-rate percent 20;\n", "", "has no guaranteed rate"),
        ("forwarding-class bulk scheduler bulk;", "", "queue 1, that of the pairs, has no scheduler"),
        (
            "forwarding-class best-effort scheduler best-effort;",
            "",
            "queue 0, where unmarked traffic goes, has no scheduler",
        ),
        ("scheduler-map wan;", "", "has no scheduler-map that adopt could keep"),
        ("scheduler-map wan;", "unit 0 { scheduler-map wan; }", "queues a unit of xe-0/1/0 separately"),
        ("class bulk queue-num 1;", "class mass queue-num 1;", "is not on the router"),
        ("class bulk queue-num 1;", "class bulk queue-num 1 no-loss;", "is lossless"),
        ("transmit-rate percent 15", "transmit-rate percent 75", "add up to 110%"),
        ("            transmit-rate percent 5;\n", "            transmit-rate 5 x;\n", "is not understood"),
    ],
)
def test_what_would_do_harm_is_refused_with_the_reason(old: str, new: str, why: str) -> None:
    found = collisions(plan_of(**BULK), changed(old, new))
    assert any(why in each for each in found), found


def test_a_filter_that_puts_others_into_the_class_is_refused() -> None:
    text = RUNNING + (
        "firewall { family inet { filter own { term t { then { forwarding-class bulk; accept; } } } } }\n"
        "interfaces { xe-0/2/0 { unit 0 { family inet { filter { input own; } } } } }\n"
    )
    assert any("puts packets into class bulk" in each for each in collisions(plan_of(**BULK), text))


def test_interactive_data_stays_in_the_class_where_the_operator_accepts_it() -> None:
    text = changed("code-points [ af11 cs1 ]", "code-points [ af11 011010 ]")
    assert any("accept interactive data in adopt.shares_with" in each for each in collisions(plan_of(**BULK), text))
    accepting = {"adopt": {**BULK["adopt"], "shares_with": ["af31"]}}
    assert check_conflicts(plan_of(**accepting), text).queue_for("alpha") == 1


def test_the_map_of_the_settings_is_that_of_the_port() -> None:
    other = {"adopt": {"forwarding_class": "bulk", "policy": "lan"}}
    assert any("is not the map of adopt.policy, lan" in each for each in collisions(plan_of(**other), RUNNING))


def test_an_added_class_takes_a_free_queue() -> None:
    taken = collisions(plan_of(plan=ADDED_PLAN, queues={"alpha": 5, "scavenger": 4}, **ADDED), RUNNING)
    assert any("in the way of class alpha on queue 5" in each and "free queues are 4, 6, 7" in each for each in taken)


def test_unmarked_packets_go_where_the_classifier_puts_them() -> None:
    text = changed(
        "class best-effort queue-num 0;", "class nothing queue-num 0;\n        class best-effort queue-num 4;"
    )
    (edge,) = read_kept("junos", text, plan_of().interfaces).edges
    assert edge.unmarked_queue == 4


@pytest.mark.parametrize(
    ("statement", "instead"),
    [
        ("forwarding-class bulk;", "forwarding-class voice;"),
        ("class bulk queue-num 1;", "class bulk queue-num 5;"),
        ("loss-priority low;", "loss-priority high;"),
    ],
)
def test_a_text_that_says_something_else_differs_from_what_is_expected(statement: str, instead: str) -> None:
    made = check_conflicts(plan_of(**BULK), RUNNING)
    text = render(made).replace(statement, instead, 1)
    try:
        merged = read_merged("junos", text, RUNNING, made.interfaces, keeps_classes=True)
    except ParseError:
        return  # it contradicts the operator's own statement
    verdict = STRUCTURE.verdict(
        merged, PAIRS, alpha_queue=1, is_redirected=False, port_buffer_ms=100,
        expected=expected_beside(made, RUNNING), is_adopted=True,
    )  # fmt: skip
    assert verdict.outcome == "failed"


def test_kept_classes_have_queues_in_the_map_of_hntes() -> None:
    listing = changed("scheduler-map wan;", "")
    assert any("has no scheduler in the map hntes" in each for each in collisions(plan_of(), listing))
    kept = [
        {"forwarding_class": name, "queue": queue, "share_pct": 5}
        for name, queue in (("bulk", 1), ("business", 2), ("voice", 5))
    ]
    made = check_conflicts(plan_of(kept_classes=kept, class_names={"beta": "best-effort"}), listing)
    merged = read_merged("junos", render(made), listing, made.interfaces, keeps_classes=True)
    assert merged == expected_beside(made, listing)
    (port,) = merged.ports
    assert {each.numbers[0]: each.share_pct for each in port.queues} == {0: 65, 1: 5, 2: 5, 3: 5, 4: 15, 5: 5}


@pytest.mark.parametrize(("then", "refused"), [("accept", False), ("{ forwarding-class bulk; accept; }", True)])
@pytest.mark.parametrize("family", ["family inet { %s }", "%s"])
def test_a_filter_of_a_core_port_stays_unless_it_classifies(family: str, then: str, refused: bool) -> None:
    """A filter of no family is one of inet."""
    own = family % f"filter own {{ term t {{ then {then}{'' if refused else ';'} }} }}"
    bound = "interfaces { xe-0/1/0 { unit 0 { family inet { filter { input own; output own; } } } } }\n"
    running = RUNNING + f"firewall {{ {own} }}\n" + bound
    plan = plan_of(**BULK)
    if refused:
        assert collisions(plan, running)
        with pytest.raises(ParseError, match="core"):
            read_merged("junos", render(check_conflicts(plan, RUNNING)), running, plan.interfaces, keeps_classes=True)
    else:
        made = check_conflicts(plan, running)
        read_merged("junos", render(made), running, made.interfaces, keeps_classes=True)
