"""What of a router's configuration is HNTES' own, whatever form the router prints it in."""

import pytest

from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.junos.dialect import DIALECT
from hntes.platforms.junos.statements import effective_text, foreign, listed_text, merged_text, owned
from hntes.platforms.junos.transition import DisplacedFilter, displaced, junos_text
from hntes.platforms.render import render
from tests.support.qos_models import PLANS, model
from tests.unit.platforms.junos.test_input_filters import RUNNING

GROUP = """
groups { hntes { firewall { family inet { filter f {
    term a { from { source-address 192.0.2.0/24; } then { count a; accept; } }
    term b { then accept; }
} } } } }
apply-groups hntes;
"""


@pytest.mark.parametrize("plan", PLANS)
def test_a_rendered_text_is_the_part_that_its_load_makes(plan: str) -> None:
    text = render(model("junos", plan))
    loaded = "\n".join(junos_text(text)).replace("replace: ", "") + "\nsystem { host-name r1; }"
    assert owned(loaded) == DIALECT.part_of(text)
    assert DIALECT.part_of(text) != DIALECT.part_of(None)
    assert foreign(loaded) == {("system", "host-name", "r1")}


@pytest.mark.parametrize(
    "other",
    [
        GROUP.replace("{ from", "{ /* remark */ from"),
        GROUP.replace("then accept;", "then { accept; }"),
        GROUP.replace("apply-groups hntes;", "apply-groups [ other hntes ];"),
        GROUP + "system { host-name r2; }\ngroups { other { system { host-name r3; } } }",
        GROUP.replace("count a; accept;", "accept; count a;"),
    ],
)
def test_the_same_in_another_form_is_equal(other: str) -> None:
    assert owned(other) == owned(GROUP)
    assert owned(other).differences(owned(GROUP)) == []


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        (GROUP.replace("count a;", ""), "- groups hntes firewall family inet filter f term a then count a"),
        (GROUP.replace("count a", "count x"), "+ groups hntes firewall family inet filter f term a then count x"),
        (GROUP.replace("apply-groups hntes;", ""), "- apply-groups hntes"),
        (GROUP.replace("apply-groups", "inactive: apply-groups"), "- apply-groups hntes"),
        (
            GROUP.replace("term a", "inactive: term a"),
            "- groups hntes firewall family inet filter f term a then accept",
        ),
    ],
)
def test_what_somebody_changed_is_shown(other: str, shown: str) -> None:
    assert owned(other) != owned(GROUP)
    assert shown in owned(other).differences(owned(GROUP))


def test_terms_in_another_order_are_another_part() -> None:
    first, second = GROUP.index("    term a"), GROUP.index("    term b")
    end = GROUP.index("} } } } }")
    swapped = GROUP[:first] + GROUP[second:end] + GROUP[first:second] + GROUP[end:]
    assert owned(swapped).differences(owned(GROUP)) == ["! the terms or classes are in another order"]


@pytest.mark.parametrize(("one", "other"), [("31000", "31k"), ("1000000000", "1g"), ("5000000", "5m")])
def test_numbers_are_compared_and_not_their_form(one: str, other: str) -> None:
    text = "groups {{ hntes {{ firewall {{ policer p {{ if-exceeding burst-size-limit {}; }} }} }} }}"
    assert owned(text.format(one)) == owned(text.format(other))
    assert owned(text.format(one)) != owned(text.format("7"))


@pytest.mark.parametrize("text", ["a {", "a; }", '"a', "a { b"])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(DeliveryError, match="cannot be parsed"):
        owned(text)


def test_groups_leave_what_is_inherited() -> None:
    inherited = GROUP + 'interfaces { xe-0/0/0 { apply-groups x; description "a b"; } }\nlist [ 0 0 1 ];'
    assert effective_text(inherited) == 'interfaces xe-0/0/0 description "a b";\nlist [ 0 0 1 ];\n'


def test_the_group_comes_in_its_place_where_a_router_does_not_show_it() -> None:
    merged = merged_text(GROUP + "system { host-name r1; }\ngroups { other { system; } }")
    assert "firewall family inet filter f term b then accept;\n" in merged
    assert "groups other system;\n" in merged
    assert "hntes" not in merged


LISTED = render(check_conflicts(model("junos"), RUNNING))
HELD = RUNNING.replace("input CUSTOMERS;", "inactive: input CUSTOMERS;") + "\n".join(junos_text(LISTED)[:-1]).replace(
    "replace: ", ""
)


def test_an_operators_filter_behind_ours_is_in_force_for_the_operator() -> None:
    """Its `input` is inactive because of the group: that is HNTES' own, the statement is not."""
    assert owned(HELD) == DIALECT.part_of(LISTED)
    assert foreign(HELD) == foreign(RUNNING)
    inactive = "inactive: interfaces xe-0/0/0 unit 100 family inet filter input"
    assert owned(HELD.replace("inactive: ", "")).differences(DIALECT.part_of(LISTED)) == [f"- {inactive}"]


def test_what_was_displaced_follows_from_what_a_router_holds() -> None:
    (own,) = displaced(LISTED)
    assert displaced(listed_text(owned(HELD))) == [own] == [DisplacedFilter(own.path, "CUSTOMERS")]
    assert displaced(listed_text(DIALECT.part_of(None))) == []


def test_an_inactive_statement_that_nothing_of_ours_displaces_is_nobodys() -> None:
    alone = RUNNING.replace("input CUSTOMERS;", "inactive: input CUSTOMERS;")
    assert owned(alone) == DIALECT.part_of(None)
    assert foreign(RUNNING) - foreign(alone) == {
        ("interfaces", "xe-0/0/0", "unit", "100", "family", "inet", "filter", "input", "CUSTOMERS")
    }
