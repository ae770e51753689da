"""A router's running configuration: what collides with it is not proposed, and a judgement holds for it alone."""

from pathlib import Path

from tests.support.installation import Installation
from tests.support.prepared_nights import PreparedNights

REFUSED, FAILED = 4, 1
RUNNING = """\
version 22.1R1;
interfaces {
    xe-0/0/0 {
        unit 0 {
            family inet {
                address 192.0.2.1/30;
            }
        }
    }
    xe-0/0/1 {
        unit 0 {
            family inet;
        }
    }
}
"""
DEFINED = "firewall { family inet { filter CUSTOMERS { term web { from { protocol tcp; } then accept; } } } }\n"
FILTER = "                filter { input CUSTOMERS; }\n"


def test_a_collision_ends_the_proposal_and_another_file_ends_a_judgement(
    tmp_path: Path, prepared_nights: PreparedNights
) -> None:
    site: Installation = prepared_nights.site(tmp_path, None)
    (before,) = site.json("change", "list", "--router", "r1")
    content = site.settings.read_text()
    site.settings.write_text(content.replace('name = "r1"\n', 'name = "r1"\nrunning_config = "r1.running"\n', 1))
    running = site.settings.parent / "r1.running"

    running.write_text(RUNNING.replace("                address", f"{FILTER}                address"))
    refused = site.run("stage", "propose", "--router", "r1", "--day", "2026-11-20", expect=FAILED)
    assert "line 6: `interfaces xe-0/0/0 unit 0 family inet filter input CUSTOMERS`" in refused.stdout + refused.stderr
    (after,) = site.json("change", "list", "--router", "r1")
    assert (after["candidate_hash"], after["state"]) == (before["candidate_hash"], "pending")

    running.write_text(RUNNING)
    approval = ["change", "approve", "--router", "r1", "--hash", str(before["candidate_hash"]), "--who", "anna"]
    stale = site.run(*approval, expect=REFUSED)
    assert "changed since it was judged (running" in stale.stdout + stale.stderr

    whole = DEFINED + RUNNING + "interfaces { xe-0/1/0 { unit 0 { family inet; family inet6; } } }\n"
    running.write_text(whole.replace("                address", f"{FILTER}                address"))
    site.run("stage", "propose", "--router", "r1", "--day", "2026-11-20")
    (listed,) = site.json("change", "list", "--router", "r1")
    assert listed["candidate_hash"] != before["candidate_hash"]
    text = (site.output / "r1" / "2026-11-20" / "candidate.conf").read_text(encoding="utf-8")
    assert "input-list [ hntes-alpha-v4-listed CUSTOMERS ];" in text

    running.write_text(running.read_text() + "class-of-service { interfaces { xe-0/1/0 { scheduler-map own; } } }\n")
    refused = site.run("stage", "judge", "--router", "r1", expect=FAILED)
    assert "scheduler-map own`: is in the place of the map hntes" in refused.stdout + refused.stderr
