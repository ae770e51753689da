"""Loading, showing, inheriting and checking the configuration of an emulated Junos router."""

import pytest

from tests.support.devices.junos.checks import check
from tests.support.devices.junos.compare import compare
from tests.support.devices.junos.groups import inherited
from tests.support.devices.junos.load import load
from tests.support.devices.junos.text import write_set, write_text
from tests.support.devices.junos.tree import Node

FILTER = """firewall {
    family inet {
        filter f {
            term a {
                from {
                    protocol tcp;
                }
                then {
                    count a;
                    accept;
                }
            }
            term b {
                then accept;
            }
        }
    }
}"""


def tree(text: str) -> Node:
    root = Node()
    assert load(root, text, "merge") == []
    return root


def messages(text: str) -> list[str]:
    return [problem.message for problem in check(tree(text))]


def test_what_is_shown_can_be_loaded_again_as_text_and_as_commands() -> None:
    root = tree(FILTER)
    assert "\n".join(write_text(root)) == FILTER
    again = Node()
    assert load(again, "\n".join(write_set(root)), "set") == []
    assert again == root


def test_merge_keeps_terms_and_appends_while_replace_takes_the_tagged_object_as_a_whole() -> None:
    """CLI User Guide, "Load Configuration Files": only a load that replaces looks for the tag."""
    text = "firewall { family inet { replace: filter f { term c { then discard; } } } }"
    for action, terms in (("merge", ["a", "b", "c"]), ("replace", ["c"])):
        root = tree(FILTER)
        assert load(root, text, action) == []
        found = root.get("firewall", ("family", "inet"), ("filter", "f"))
        assert found is not None
        assert [key[1] for key in found.children] == terms


def test_override_replaces_everything_unless_the_text_is_wrong() -> None:
    root = tree(FILTER)
    [problem] = load(root, "system { host-name r1; nonsense 3; }", "override")
    assert (problem.message, problem.element, problem.line) == ("syntax error", "nonsense", 1)
    assert root == tree(FILTER)
    assert load(root, "system { host-name r1; }", "override") == []
    assert write_set(root) == ["set system host-name r1"]


def test_a_load_that_fails_in_the_middle_leaves_what_stood_before() -> None:
    root = Node()
    [problem] = load(root, "system { host-name r1; }\nfirewall {\n  filtre f { }\n}\nsnmp { contact x; }", "merge")
    assert (problem.element, problem.line) == ("filtre", 3)
    assert write_set(root)[0] == "set system host-name r1"
    assert not any("snmp" in line for line in write_set(root))


@pytest.mark.parametrize("text", ["system {", "system } }", "system { host-name; }", "/* system { }", "{ a; }"])
def test_text_that_is_no_configuration_is_refused(text: str) -> None:
    assert [problem.severity for problem in load(Node(), text, "merge")] == ["error"]


def test_deleting_takes_a_statement_or_a_whole_list() -> None:
    root = tree(FILTER)
    assert load(root, "delete firewall family inet filter f term a", "set") == []
    assert load(root, "firewall { family inet { filter f { delete: term b; } } }", "replace") == []
    assert write_set(root) == ["set firewall family inet filter f"]
    [warning] = load(root, "delete firewall family inet filter g", "set")
    assert (warning.message, warning.severity) == ("statement not found", "warning")
    assert load(root, "delete firewall family inet filter", "set") == []
    assert write_set(root) == ["set firewall family inet"]


def test_terms_stand_in_the_order_they_came_in_unless_inserted() -> None:
    root = tree(FILTER)
    assert load(root, "set firewall family inet filter f term c then reject", "set") == []
    assert load(root, "insert firewall family inet filter f term c before term a", "set") == []
    found = root.get("firewall", ("family", "inet"), ("filter", "f"))
    assert found is not None
    assert [key[1] for key in found.children] == ["c", "a", "b"]


def test_the_difference_is_shown_by_level() -> None:
    old = tree(FILTER)
    new = old.copy()
    assert load(new, "delete firewall family inet filter f term b\nset system host-name r2", "set") == []
    assert compare(old, new) == (
        "[edit]\n+  system {\n+      host-name r2;\n+  }\n"
        "[edit firewall family inet filter f]\n-  term b {\n-      then accept;\n-  }\n"
    )
    assert compare(new, new.copy()) == ""


def test_what_is_inactive_is_shown_and_not_meant() -> None:
    text = "interfaces { xe-0/0/0 { unit 0 { family inet { filter { input f; } } } } }"
    assert messages(text) == ["Referenced filter 'f' is not defined"]
    root = tree(FILTER + text)
    assert check(root) == []
    assert load(root, "deactivate firewall family inet filter f", "set") == []
    assert any("inactive: filter f" in line for line in write_text(root))
    assert [problem.message for problem in check(root)] == ["Referenced filter 'f' is not defined"]


def test_groups_give_what_the_configuration_does_not_say() -> None:
    root = tree(
        "groups { g { interfaces { <xe-*> { mtu 9192; description core; } } } }\napply-groups g;\n"
        "interfaces { xe-0/0/0 { mtu 1500; } ge-0/0/0 { disable; } }"
    )
    assert write_set(inherited(root)) == [
        "set apply-groups g",
        "set interfaces xe-0/0/0 mtu 1500",
        "set interfaces xe-0/0/0 description core",
        "set interfaces ge-0/0/0 disable",
    ]
    assert messages("apply-groups g;") == ["group 'g' is not defined"]


COS = """class-of-service {{
    forwarding-classes {{ class alpha queue-num {alpha}; class beta queue-num {beta}; }}
    scheduler-maps {{ m {{ forwarding-class alpha scheduler a; forwarding-class beta scheduler b; }} }}
    schedulers {{ a {{ transmit-rate percent {a}; }} b {{ transmit-rate percent {b}; }} }}
}}"""


def test_shares_of_a_map_are_at_most_a_hundred_per_cent() -> None:
    assert messages(COS.format(alpha=4, beta=0, a=60, b=40)) == []
    assert messages(COS.format(alpha=4, beta=0, a=60, b=41)) == [
        "total transmit-rate of the scheduler map is 101 percent, more than 100"
    ]


def test_classes_of_one_queue_have_one_scheduler_in_a_map() -> None:
    """Class of Service User Guide, "Mapping Multiple Forwarding Classes to Single Queues": the classes may share it."""
    assert messages(COS.format(alpha=4, beta=4, a=60, b=40)) == ["queue 4 has more than one scheduler in the map"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("firewall { filter f { term a { then policer p; } } }", "Referenced policer 'p' is not defined"),
        ("firewall { filter f { term a { then forwarding-class x; } } }", "Forwarding class 'x' is not defined"),
        (
            "firewall { filter f { term a { then routing-instance v; } } }",
            "Referenced routing instance 'v' is not defined",
        ),
        (
            "class-of-service { scheduler-maps { m { forwarding-class x scheduler s; } } schedulers { s; } }",
            "Forwarding class 'x' is not defined",
        ),
        (
            "class-of-service { scheduler-maps { m { forwarding-class best-effort scheduler s; } } }",
            "Referenced scheduler 's' is not defined",
        ),
        (
            "class-of-service { interfaces { xe-0/0/0 { scheduler-map m; } } }",
            "Referenced scheduler map 'm' is not defined",
        ),
        (
            "class-of-service { forwarding-classes { class a queue-num 4; queue 5 b; } }",
            "queue and class statements cannot be configured together",
        ),
    ],
)  # fmt: skip
def test_names_that_nothing_defines_are_refused(text: str, message: str) -> None:
    assert messages(text) == [message]
