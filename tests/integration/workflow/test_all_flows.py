"""The alpha flows of all routers on a day: what two routers saw counts twice, and exclusions of the day are known."""

from pathlib import Path

import pytest

from hntes.workflow.context import opened
from hntes.workflow.reports import all_flows
from hntes.workflow.reports.all_flows import flows_of_all
from hntes.workflow.reports.traffic_words import all_flows_words
from tests.support.stored_flows import DAYS, GB, flow, put, stored

DAY, EXCLUDED = DAYS[1], "198.18.20.0/24"


def test_the_largest_first_each_with_its_router_and_state(tmp_path: Path) -> None:
    same = ("198.18.10.1", "203.0.113.9")
    site = stored(
        tmp_path / "site",
        [
            flow("r1", DAY, *same, 5), flow("r2", DAY, *same, 5), flow("r2", DAY, "198.18.20.7", "203.0.113.9", 8),
            flow("r1", DAY, "198.18.30.1", "203.0.113.9", 99, implausible=True, doubt="port_rate"),
            flow("r1", DAYS[0], *same, 7),
        ],
    )  # fmt: skip
    exclude = ("override", "exclude", "add", EXCLUDED, "--owner", "anna", "--reason", "lab", "--until", str(DAYS[4]))
    site.run(*exclude, "--from-day", str(DAYS[0]), "--router", "r2")
    with opened(site.settings) as context:
        found = flows_of_all(context, context.settings.routers, DAY)
        again = flows_of_all(context, context.settings.routers, DAY)
        earlier = flows_of_all(context, context.settings.routers, DAYS[0])
    shown = [(each.router, each.flow.flow_bytes // GB, each.flow.state) for each in found.flows]
    assert shown == [("r2", 8, "excluded"), ("r1", 5, "new"), ("r2", 5, "new")]
    assert again == found
    put(site, [flow("r1", DAY, *same, 6)])
    with opened(site.settings) as context:
        anew = flows_of_all(context, context.settings.routers, DAY)
    # r1 was detected anew; r2 is as it was
    assert [(each.router, each.flow.flow_bytes // GB) for each in anew.flows] == [("r2", 8), ("r1", 6), ("r2", 5)]
    assert [each.flow.flow_bytes // GB for each in earlier.flows] == [7]
    assert all_flows_words(found) == "3 alpha flows: 2 without a rule (10 GB), 1 excluded (8 GB)"


def test_of_many_the_largest_are_drawn_and_all_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = stored(
        tmp_path / "site",
        [flow("r1", DAY, f"198.18.{number}.1", "203.0.113.9", number) for number in range(1, 8)],
    )
    monkeypatch.setattr(all_flows, "MOST_FLOWS", 2)
    with opened(site.settings) as context:
        found = flows_of_all(context, context.settings.routers, DAY)
    assert [each.flow.flow_bytes // GB for each in found.flows] == [7, 6]
    assert all_flows_words(found) == "7 alpha flows; of the 2 largest: 2 without a rule (13 GB)"
