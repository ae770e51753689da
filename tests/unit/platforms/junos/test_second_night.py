"""The night after a delivery on Junos: what HNTES delivered gives way, in each form of the listing."""

import pytest

from hntes.platforms.compare import differences
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.expected import effective_of
from hntes.platforms.junos.statements import read_statements
from hntes.platforms.merged import read_merged
from hntes.platforms.render import render
from hntes.rules.qos.model import RouterModel
from tests.support.qos_models import PAIRS, model
from tests.unit.platforms.test_conflicts import RUNNING

OPERATORS = (
    RUNNING["junos"]
    .replace("apply-groups re0;", "apply-groups [ re0 base ];")
    .replace("groups { re0", "groups { base { system { services { ssh; } } } re0")
)
HOST = "## 'WORD' was inherited from group 'hntes'\n"


def statements(made: RouterModel) -> str:
    """The rendered text as a router lists it."""
    return "".join(
        f"{line}\n" for line in render(made).replace("replace: ", "").splitlines() if not line.startswith("#")
    )


def delivered(before: RouterModel) -> str:
    """What a router lists after a delivery: the group, and one apply-groups statement with all groups."""
    applied = OPERATORS.replace("[ re0 base ]", "[ re0 base hntes ]")
    return applied.replace("groups { base", f"groups {{\nhntes {{\n{statements(before)}}}\nbase", 1)


def in_place(before: RouterModel, *, comments: bool) -> str:
    """What `display inheritance` shows after a delivery: the statements of the group in place, and no groups."""
    own = RUNNING["junos"].replace("apply-groups re0;\ngroups { re0 { system { host-name wr; } } }\n", "")
    own = own.replace("forwarding-classes { class network-control queue-num 3; }", "")
    lines = []
    for line in statements(before).splitlines():
        lines += [f"##\n{HOST}##"] if comments and not line.strip().startswith(("}", "/*")) else []
        lines.append(line)
    return own + "\n".join(lines) + "\n"


def as_set(running: str) -> str:
    """The listing as `display set` prints it."""
    return "".join(f"set {' '.join(map(quoted, each))}\n" for each in read_statements(running))


def quoted(word: str) -> str:
    return f'"{word}"' if " " in word else word


@pytest.mark.parametrize("redirect", ["none", "next_hop", "lsp"])
@pytest.mark.parametrize("form", ["groups", "set", "comments", "no comments"])
def test_the_second_night_is_as_the_first(redirect: str, form: str) -> None:
    before, made = model("junos", "wred_policer", redirect), model("junos", "two_queue", redirect, PAIRS[:3])
    running = {
        "groups": lambda: delivered(before),
        "set": lambda: as_set(delivered(before)),
        "comments": lambda: in_place(before, comments=True),
        # Names of classes are not HNTES's own, so that only the comments say that they were delivered.
        "no comments": lambda: in_place(model("junos", "two_queue", redirect), comments=False),
    }[form]()
    check_conflicts(made, running)
    found = read_merged("junos", render(made), running, made.interfaces)
    assert differences(found, effective_of(made)) == []


@pytest.mark.parametrize("comments", [True, False])
def test_an_operators_filter_stays_behind_in_a_listing_with_inheritance(comments: bool) -> None:
    own = RUNNING["junos"].replace("address 192.0.2.9/30;", "filter { input CUSTOMERS; } address 192.0.2.9/30;", 1)
    own += "firewall { family inet { filter CUSTOMERS { term all { then accept; } } } }\n"
    made = check_conflicts(model("junos"), own)
    shown = in_place(made, comments=comments)
    shown = shown.replace("address 192.0.2.9/30;", "filter { inactive: input CUSTOMERS; } address 192.0.2.9/30;", 1)
    shown += "firewall { family inet { filter CUSTOMERS { term all { then accept; } } } }\n"
    again = check_conflicts(model("junos"), shown)
    assert render(again) == render(made)
    assert differences(read_merged("junos", render(again), shown, again.interfaces), effective_of(again)) == []
