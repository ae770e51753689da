"""A night and its review in Airflow without its programs: one process runs each task after those before it."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.installation import demo_installation
from tests.support.one_process_airflow import one_process
from tests.support.prepared_nights import NIGHT, PreparedNights
from tests.support.state import differences, without_surroundings

ROUTER = "r1"

pytestmark = pytest.mark.slow


@contextmanager
def received() -> Iterator[tuple[str, list[bytes]]]:
    """A receiver of notices: its address as Apprise takes it, and what it got."""
    messages: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            messages.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"json://127.0.0.1:{server.server_port}/", messages
    finally:
        server.shutdown()
        server.server_close()


def test_a_night_in_one_process_leaves_what_the_command_leaves_and_its_review_follows_the_row(
    tmp_path: Path, prepared_nights: PreparedNights
) -> None:
    site = demo_installation(tmp_path / "airflow" / "site")
    with one_process(tmp_path, site.settings) as airflow:
        days = ("2026-13-01", "2026-02-30", "yesterday")
        meant = [["hntes_nightly", conf] for conf in ({}, {"day": NIGHT}, {"day": NIGHT, "routers": [ROUTER]})]
        wrong = [["hntes_nightly", {"day": day}] for day in days]
        wrong += [["hntes_nightly", {"routers": routers}] for routers in (["; rm -rf /"], ROUTER)]
        backfills: list[dict[str, str]] = [{}, {"first_day": NIGHT}, {"first_day": NIGHT, "last_day": "2026-02-30"}]
        wrong += [["hntes_backfill", conf] for conf in backfills]
        assert airflow.ask("refused", *meant) == [None] * len(meant)
        assert None not in airflow.ask("refused", *wrong)

        conf = {"day": NIGHT, "routers": [ROUTER]}
        night = airflow.ask("run", "hntes_nightly", conf)
        assert night["state"] == "success"
        assert night["tasks"].pop("notify -1") == "skipped", "nobody is to be told"
        assert set(night["tasks"].values()) == {"success"}
        assert night["events"] == [[True, {"day": NIGHT, "routers": [ROUTER]}]]
        assert night["begun"] == [conf]
        (anchor,) = (site.output.parent / "var" / "audit-anchors.log").read_text().splitlines()
        assert site.json("audit", "--head")["hash"] in anchor
        by_command = prepared_nights.site(tmp_path / "command" / "site", router=ROUTER)
        # The settings differ in their paths alone.
        assert differences(without_surroundings(site.state()), without_surroundings(by_command.state())) == []

        (waiting,) = site.json("change", "list")
        site.run(
            "change",
            "approve",
            "--router",
            ROUTER,
            "--day",
            NIGHT,
            "--hash",
            waiting["candidate_hash"],
            "--who",
            "carl",
        )
        review = airflow.ask("run", "hntes_review", conf)
        assert review["state"] == "success"
        assert set(review["tasks"].values()) == {"success"}
        manifest = json.loads((site.output / ROUTER / "approved" / "manifest.json").read_text())
        assert manifest["sha256"] == waiting["candidate_hash"]

        # The same day again, of which no record is the router's: the night says so, and operators are told of it all.
        flows = f'flow_folder = "{ROOT / "demo" / "flows" / ROUTER}"'
        text = site.settings.read_text()
        assert flows in text
        changed = text.replace(flows, f'{flows}\nexporters = ["198.19.251.9"]')
        # so that the night of yesterday is missing at any hour of the day
        site.settings.write_text(f"{changed}\n[notices]\nnight_due_hours = 0\n")
        with received() as (url, messages):
            airflow.ask("set", {"HNTES_NOTICE_URLS": url})
            silent = airflow.ask("run", "hntes_nightly", conf)
        assert silent["state"] == "failed"
        assert (silent["tasks"]["report -1"], silent["tasks"]["notify -1"]) == ("failed", "success")
        assert silent["begun"] == []
        assert len(messages) == 1

        # Of a day without a flow file no other DAG is told anything.
        empty = airflow.ask("run", "hntes_nightly", {"day": "2026-11-10", "routers": [ROUTER]})
        assert empty["tasks"]["announce_flows -1"] == "skipped"
        assert len(empty["events"]) == len(silent["events"])
