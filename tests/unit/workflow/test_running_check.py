"""`hntes check` on a router's platform and hardware, where no running configuration is named."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hntes.settings.plans import TwoQueue
from hntes.workflow.context import Context
from hntes.workflow.reports.running_check import check_running
from tests.support.qos_models import router

NO_LOGICAL = "interface 1/1/c1/1: sros binds filters to the router interface: set logical to its name"


def context_of(plan: TwoQueue) -> Context:
    return cast(Context, SimpleNamespace(settings=SimpleNamespace(plans={"recommended": plan})))


def test_what_the_platform_cannot_do_is_said_before_the_night_without_a_running_configuration() -> None:
    complete = router("sros")
    without = [each.model_copy(update={"logical": None}) for each in complete.interfaces]
    plan = TwoQueue(kind="two_queue")
    assert check_running(context_of(plan), complete).problems == ()
    problems = check_running(context_of(plan), complete.model_copy(update={"interfaces": tuple(without)})).problems
    assert problems[0].startswith(NO_LOGICAL)
    assert all(each.startswith("interface ") for each in problems), "each a line, and who asks names the router"


@pytest.mark.parametrize(
    ("hardware", "priority", "expected"),
    [("acx7000", "medium-high", "starves every queue of a lower one; set alpha_priority in the plan to low"),
     ("acx7000", "low", ""), ("mx", "medium-high", ""), (None, "medium-high", "")],
)  # fmt: skip
def test_what_the_hardware_cannot_do_is_said_before_the_night(hardware: Any, priority: Any, expected: str) -> None:
    plan = TwoQueue(kind="two_queue", alpha_priority=priority)
    found = check_running(context_of(plan), router("junos", hardware=hardware))
    assert [expected in each for each in found.problems] == ([True] if expected else [])
    assert found.of_ipv6_pairs == ()
