"""Which router goes before the others: the one that is named, or one that was delivered to since all were approved."""

from datetime import date

import pytest

from hntes.settings.model import Settings
from hntes.workflow.delivery import plan
from hntes.workflow.delivery.plan import _canary
from hntes.workflow.review.status import RouterProgress, Step
from tests.unit.settings.test_delivery import GIVEN

DAY = date(2026, 11, 20)


class Known:
    """A context whose routers' stories are known. told: by which event each was approved and confirmed, if ever.

    `clock_is_back`: what came later has the earlier time.
    """

    def __init__(self, canary: str | None, *, clock_is_back: bool = False, **told: tuple[int, int | None]) -> None:
        self.told = told
        self.clock_is_back = clock_is_back
        port = {"name": "xe-0/0/0", "role": "both", "rate_bps": 10**10}
        routers = [
            {
                "name": name,
                "platform": "junos",
                "flow_folder": name,
                "interfaces": [port],
                "delivery": GIVEN | {"address": f"192.0.2.{number}"},
            }
            for number, name in enumerate(("r1", "r2", "r3"), 1)
        ]
        self.settings = Settings.model_validate({"routers": routers, "delivery": {"canary": canary}})

    def progress(self, name: str) -> RouterProgress:
        if name not in self.told:
            return RouterProgress(name, None, None, None)
        approved, confirmed = self.told[name]
        return RouterProgress(
            name, self.step(approved), *(2 * [self.step(confirmed) if confirmed is not None else None])
        )

    def step(self, number: int) -> Step:
        return Step("a" * 64, DAY, 1000 - number if self.clock_is_back else number, number)


@pytest.mark.parametrize(
    ("known", "changing", "canary"),
    [
        (Known(None, r1=(10, None), r2=(20, None)), ["r1", "r2"], "r1"),
        (Known("r2", r1=(10, None), r2=(20, None)), ["r1", "r2"], "r2"),
        # delivered to after all were approved: it has gone before
        (Known(None, r1=(10, None), r2=(20, 30)), ["r1"], "r2"),
        (Known(None, r1=(10, None), r2=(20, 40), r3=(20, 30)), ["r1"], "r3"),
        (Known("r2", r1=(10, None), r2=(20, 30), r3=(10, 25)), ["r1"], "r2"),
        # delivered to before: what is approved since has been tried nowhere
        (Known(None, r1=(50, None), r2=(20, 30)), ["r1"], "r1"),
        (Known("r2", r1=(50, None), r2=(20, 30)), ["r1"], "r1"),
        (Known("r2", r1=(10, None)), ["r1"], "r1"),  # nothing is approved for it
        (Known("r2", r2=(10, 20)), [], None),
        # the clock was set back between the two: by times r2 would have gone before, or not
        (Known(None, clock_is_back=True, r1=(50, None), r2=(20, 30)), ["r1"], "r1"),
        (Known(None, clock_is_back=True, r1=(10, None), r2=(20, 30)), ["r1"], "r2"),
    ],
)
def test_one_router_goes_first(
    monkeypatch: pytest.MonkeyPatch, known: Known, changing: list[str], canary: str | None
) -> None:
    monkeypatch.setattr(plan, "router_progress", lambda _, router: known.progress(router.name))
    assert _canary(known, changing) == (canary, "")


def test_a_named_canary_that_waits_keeps_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    known = Known("r2", r1=(10, None), r2=(10, None))
    monkeypatch.setattr(plan, "router_progress", lambda _, router: known.progress(router.name))
    canary, blocked = _canary(known, ["r1"])
    assert canary is None
    assert blocked.startswith("the canary r2 goes first")
