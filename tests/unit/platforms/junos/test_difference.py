"""`show | compare` as statements that come and that leave."""

import pytest

from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.junos.difference import difference_of, unlike_change
from hntes.platforms.owned_config import OwnedConfig

SHOWN = """
[edit]
+  apply-groups hntes;
[edit groups hntes firewall family inet filter f]
      term a { ... }
+     term b {
+         from {
+             source-address 192.0.2.0/24;
+         }
+         then accept;
+     }
-     term c {
-         then accept;
-     }
!     term d { ... }
[edit groups hntes class-of-service schedulers s]
-  priority low;
+  priority high;
"""


def test_each_level_adds_its_path() -> None:
    found = difference_of(SHOWN)
    term = ("groups", "hntes", "firewall", "family", "inet", "filter", "f", "term")
    scheduler = ("groups", "hntes", "class-of-service", "schedulers", "s", "priority")
    assert found.added == {
        ("apply-groups", "hntes"),
        (*term, "b", "from", "source-address", "192.0.2.0/24"),
        (*term, "b", "then", "accept"),
        (*scheduler, "high"),
    }
    assert found.removed == {(*term, "c", "then", "accept"), (*scheduler, "low")}


def test_only_the_statements_that_differ_from_the_approved_change_are_named() -> None:
    filter_f = ("groups", "hntes", "firewall", "family", "inet", "filter", "f", "term")
    scheduler = ("groups", "hntes", "class-of-service", "schedulers", "s", "priority")
    before = OwnedConfig(((*filter_f, "c", "then", "accept"), (*scheduler, "low")))
    after = OwnedConfig(
        (
            ("apply-groups", "hntes"),
            (*filter_f, "b", "from", "source-address", "192.0.2.0/24"),
            (*filter_f, "b", "then", "accept"),
            (*scheduler, "high"),
        )
    )
    assert unlike_change(SHOWN, before, after) == []
    edited = SHOWN.replace("priority high", "priority strict-high")
    assert unlike_change(edited, before, after) == [
        "not approved: + groups hntes class-of-service schedulers s priority strict-high",
        "not in the router's diff: + groups hntes class-of-service schedulers s priority high",
    ]


def test_a_list_that_is_printed_anew_changes_by_its_new_values_alone() -> None:
    found = difference_of("[edit]\n-  apply-groups own;\n+  apply-groups [ own hntes ];\n")
    assert found.added == {("apply-groups", "hntes")}
    assert not found.removed


@pytest.mark.parametrize(
    ("line", "is_added"),
    [("!  inactive: input { ... }", True), ("!      input X;", False), ("!  active: input X;", False)],
)
def test_an_operators_input_that_changes_its_state_is_a_change(line: str, is_added: bool) -> None:
    found = difference_of(f"[edit interfaces xe-0/0/0 unit 100 family inet filter]\n{line}\n")
    (switched,) = found.added if is_added else found.removed
    assert switched == ("inactive:", "interfaces", "xe-0/0/0", "unit", "100", "family", "inet", "filter", "input")
    assert not (found.removed if is_added else found.added)


def test_no_difference_is_none() -> None:
    assert difference_of("\n").added == difference_of("").removed == frozenset()


@pytest.mark.parametrize("text", ["error: no such thing", "+ a;", "[edit]\n+ a {\n"])
def test_what_is_no_difference_is_refused(text: str) -> None:
    with pytest.raises(DeliveryError):
        difference_of(text)
