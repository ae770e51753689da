"""`hntes check` on a router's hardware, where no running configuration is named."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from hntes.settings.plans import TwoQueue
from hntes.workflow.context import Context
from hntes.workflow.reports.running_check import check_running
from tests.support.qos_models import router


@pytest.mark.parametrize(
    ("hardware", "priority", "expected"),
    [("acx7000", "medium-high", "starves every queue of a lower one; set alpha_priority in the plan to low"),
     ("acx7000", "low", ""), ("mx", "medium-high", ""), (None, "medium-high", "")],
)  # fmt: skip
def test_what_the_hardware_cannot_do_is_said_before_the_night(hardware: Any, priority: Any, expected: str) -> None:
    plan = TwoQueue(kind="two_queue", alpha_priority=priority)
    context = cast(Context, SimpleNamespace(settings=SimpleNamespace(plans={"recommended": plan})))
    found = check_running(context, router("junos", hardware=hardware))
    assert [expected in each for each in found.problems] == ([True] if expected else [])
    assert found.of_ipv6_pairs == ()
