"""Commands on a cluster that others use now: each takes its turn, with one session."""

from datetime import date
from pathlib import Path

import pytest

from hntes.workflow.context import opened
from hntes.workflow.stages import night_jobs
from tests.support.installation import installation_in
from tests.support.stand_in_cluster import ON_A_CLUSTER, stand_in

NIGHT = date(2026, 11, 20)


def test_a_night_waits_for_its_turn_and_a_check_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = stand_in(monkeypatch)
    site = installation_in(tmp_path, routers=1, **ON_A_CLUSTER)
    with opened(site.settings) as context:
        night_jobs.run_night_jobs(context, NIGHT, [], 2, 60.0)
    with opened(site.settings) as context:
        context.analytics.check()
    assert [cluster.patient for cluster in made] == [[True], [False]]
