"""Random histories on a Junos router with random filters of its operator's, by the router's own load and commit check.

What becomes of packets is read from the router's tree by `tests/support/filter_lists.py`, which knows no renderer.
"""

from ipaddress import ip_network

from hypothesis import event, given

from hntes.platforms.conflict import CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from hntes.platforms.transition import removal, transition
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import RouterModel
from tests.support.devices.junos.checks import check
from tests.support.devices.junos.groups import inherited
from tests.support.devices.junos.load import Action, load
from tests.support.devices.junos.text import write_text
from tests.support.devices.junos.tree import Node
from tests.support.examples import examples
from tests.support.filter_lists import decided_by
from tests.support.histories import EndState, histories
from tests.support.operators import junos_operators

GROUP = ("hntes",)
# Of each kind: in no pair of the histories, and in what the operator's filters discard.
OTHERS = {4: ("100.64.0.1", "203.0.113.1"), 6: ("2001:db8:ffff::1", "2001:db8:ffff::2")}


def shown(root: Node) -> str:
    return "\n".join(write_text(root)) + "\n"


def of_operator(root: Node) -> str:
    """The configuration as it would be listed without the group, and with each statement in force."""
    found = root.copy()
    groups = found.get("groups")
    if groups is not None:
        groups.children.pop(GROUP, None)
        if not groups.children:
            del found.children["groups",]
    found.children.pop(("apply-groups", "hntes"), None)
    return shown(found).replace("inactive: ", "")


def packets(pairs: frozenset[PrefixPair]) -> list[tuple[int, str, str]]:
    """The first and the last addresses of each pair, and some of no pair, by family."""
    found = [(version, *addresses) for version, addresses in OTHERS.items()]
    for pair in pairs:
        for index in (0, -1):
            found.append((pair.ip_version, str(pair.source[index]), str(pair.destination[index])))
    return found


def is_in(pairs: frozenset[PrefixPair], source: str, destination: str) -> bool:
    return any(
        ip_network(source).subnet_of(pair.source) and ip_network(destination).subnet_of(pair.destination)
        for pair in pairs
        if pair.ip_version == ip_network(source).version
    )


def assert_packets(start: Node, now: Node, made: RouterModel, pairs: frozenset[PrefixPair]) -> None:
    """The operator's filters decide as before, and pairs, with no others, get the class of the plan."""
    before, after = inherited(start), inherited(now)
    for edge in (each for each in made.interfaces if each.is_edge):
        for version, source, destination in packets(pairs):
            was = decided_by(before, edge.name, edge.unit, source, destination)
            found = decided_by(after, edge.name, edge.unit, source, destination)
            is_bound = version in edge.ip_versions
            classes = {term.forwarding_class for term in made.filter_of(version).terms if is_bound} or {None}
            assert found.passes == was.passes, (edge, source, destination)
            wanted = classes if is_in(pairs, source, destination) else {None}
            by_lsp = {"alpha-lsp"} if made.redirect is not None and made.redirect.kind == "lsp" else set()
            assert {found.forwarding_class} <= wanted | by_lsp, (edge, source, destination)
            assert (found.forwarding_class is None) == (wanted == {None}), (edge, source, destination)


def fitted(model: RouterModel | None, running: str) -> RouterModel | None:
    """The model beside what the router has; None where that is refused, and the router keeps what it has."""
    assert model is not None
    try:
        return check_conflicts(model, running)
    except CollisionError:
        return None


def loaded(root: Node, text: str, action: Action) -> Node:
    found = root.copy()
    assert load(found, text, action) == []
    assert check(found) == []
    return found


@given(history=histories("junos", states=4), operator=junos_operators())
@examples(0.25)
def test_junos_an_operators_filters_decide_as_before_and_a_removal_leaves_what_was_there(
    history: list[EndState], operator: str
) -> None:
    start = loaded(Node(), operator, "override")
    running, delivered = start, None
    for approved in history:
        made = fitted(approved.model, shown(running))
        event("refused" if made is None else "fits")
        if made is None:
            continue
        text = render(made)
        listed = "listed" if any(each.operator_filters for each in made.interfaces) else "alone"
        event(listed)
        if listed == "listed":
            assert read_merged("junos", text, shown(running), made.interfaces).ports == effective_of(made).ports
        running = loaded(running, transition("junos", delivered, text), "replace")
        assert of_operator(running) == operator
        assert_packets(start, running, made, approved.pairs)
        delivered = text
    if delivered is not None:
        running = loaded(running, removal("junos", delivered), "set")
    assert shown(running) == shown(start) == operator


def test_a_transition_that_forgot_the_operators_input_would_be_seen() -> None:
    """Without `inactive:` the router has a filter and a list in one place, which its commit check refuses."""
    operator = (
        "interfaces { xe-0/0/0 { unit 100 { family inet { filter { input open; } } } } }\n"
        "firewall { family inet { filter open { term rest { then accept; } } } }\n"
    )
    root = loaded(Node(), operator, "override")
    bound = "interfaces { xe-0/0/0 { unit 100 { family inet { filter { input-list [ a b ]; } } } } }"
    group = f"groups {{ hntes {{ {bound} }} }}"
    assert load(root, f"{group} apply-groups hntes;", "replace") == []
    assert any("cannot be configured together" in each.message for each in check(root))
