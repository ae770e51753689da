"""Invalid configurations are refused by name, on every platform, before any text is written."""

import pytest

from hntes.platforms.render import render
from hntes.platforms.validate import problems
from hntes.rules.qos.build import build_model
from hntes.rules.qos.model import ModelError
from hntes.settings.plans import TwoQueue
from tests.support.broken_models import GENERAL
from tests.support.model_changes import V4, V6, Change
from tests.support.qos_models import model, router


@pytest.mark.parametrize(("plan", "change", "message"), GENERAL, ids=[message for _, _, message in GENERAL])
def test_is_refused_on_each_platform(platform: str, plan: str, change: Change, message: str) -> None:
    broken = change(model(platform, plan))
    assert any(message in line for line in problems(broken)), problems(broken)
    with pytest.raises(ModelError):
        render(broken)


def test_next_hop_of_a_family_is_needed_where_pairs_are(platform: str) -> None:
    only_v4 = router(platform, redirect=None).model_copy(
        update={"redirect": router(platform, "next_hop").redirect.model_copy(update={"ipv6": None})}  # type: ignore[union-attr]
    )
    plan = TwoQueue(kind="two_queue")
    assert problems(build_model(only_v4, plan, [V4])) == []
    (line,) = problems(build_model(only_v4, plan, [V4, V6]))
    assert "there are IPv6 pairs but no IPv6 next hop; set ipv6" in line
