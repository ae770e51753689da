"""A night in which one folder hangs and one is missing, with one place for all: the others' changes do not wait."""

from pathlib import Path

import pytest

from tests.support.dead_server import can_be_dead, dead_server
from tests.support.installation import ROOT, demo_installation
from tests.support.one_process_airflow import one_process
from tests.support.prepared_nights import NIGHT

ATTEMPTS = 5
HUNG, MISSING, HEALTHY = range(3)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not can_be_dead(), reason="fanotify needs CAP_SYS_ADMIN"),
]


def test_a_folder_that_hangs_leaves_its_place_and_is_told_when_it_has_been_tried_again(tmp_path: Path) -> None:
    """Whoever read it in the task's own process would sleep in the kernel, where no time limit of Airflow's comes."""
    site = demo_installation(tmp_path / "site")
    hung = tmp_path / "flows"
    hung.mkdir()
    text, flows = site.settings.read_text(), ROOT / "demo" / "flows"
    text = text.replace(f'"{flows}/r1"', f'"{hung}"').replace(f'"{flows}/r2"', f'"{tmp_path / "none"}"')
    site.settings.write_text(text)
    waits = {"HNTES_FOLDER_LIMIT_S": "1", "HNTES_RETRY_DELAY_S": "1"}
    with one_process(tmp_path, site.settings, **waits) as airflow, dead_server(hung):
        night = airflow.ask("run", "hntes_nightly", {"day": NIGHT})
        said = "".join(airflow.printed)
    ingests = [night["tasks"][f"router_night.ingest {router}"] for router in (HUNG, MISSING, HEALTHY)]
    assert ingests == ["failed", "failed", "success"]
    # one that is missing does not come by itself
    assert night["tries"]["router_night.ingest 0"] == ATTEMPTS
    assert night["tries"]["router_night.ingest 1"] == 1
    assert night["tasks"]["router_night.propose 2"] == "success"
    assert night["begun"] == [{"day": NIGHT, "routers": ["r3"]}]
    assert [event for _, event in night["events"]] == [{"day": NIGHT, "routers": ["r3"]}]
    assert (night["state"], night["tasks"]["report -1"]) == ("failed", "failed")
    assert "not finished: r1, r2; their tasks' logs say why" in said
    assert said.count(f"TemporaryError: flow folder {hung}: no answer since ") == ATTEMPTS, said
