"""Commands on a cluster that others use now: each takes its turn, and ends whatever hangs."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from hntes.workflow.context import opened
from hntes.workflow.errors import FAILED
from hntes.workflow.stages import night_jobs
from tests.support.installation import ROOT, installation_in
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


# A folder whose files hang once the folder has answered: whoever looks at one never comes back.
HUNG = """
import sys, threading
import pytest
from hntes.cli.cli import main
from hntes.etl.ingest import look
from tests.support.stand_in_cluster import stand_in

look.content_of = lambda path: threading.Event().wait()
stand_in(pytest.MonkeyPatch())
main(sys.argv[1:])
"""


def test_a_night_ends_with_its_status_while_the_files_of_a_folder_hang(tmp_path: Path) -> None:
    site = installation_in(tmp_path, routers=1, **ON_A_CLUSTER)
    arguments = site.command("nightly", "--day", str(NIGHT), "--jobs", "2", "--limit-s", "1", "--json")[3:]
    command = [sys.executable, "-c", HUNG, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == FAILED, done.stderr
    reason = "it took more than 1 s and is left alone until this command ends; run the night again"
    assert json.loads(done.stdout)["failures"] == {"r1": reason}
    assert f"router r1 failed: {reason}" in done.stderr
