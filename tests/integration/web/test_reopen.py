"""A rejection and a deferral need a reason, can be taken back, and lead on to the next change."""

from datetime import date, timedelta

from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import Browser, words_in

CHANGE = f"/change/r1/{NIGHT}"


def state(site: Installation, router: str = "r1") -> str:
    return str(site.json("change", "list", "--all", "--router", router)[0]["state"])


def test_a_rejection_needs_a_reason(site: Installation, anna: Browser) -> None:
    answer = anna.send(CHANGE, f"{CHANGE}/reject", note=" ")
    assert answer.status_code == 409
    assert "not rejected: give a reason" in words_in(answer.text)
    assert state(site) == "pending"
    waiting = site.json("change", "list", "--router", "r1")[0]["candidate_hash"]
    assert "--note" in site.run("change", "reject", "--hash", waiting, expect=2).stderr
    assert state(site) == "pending"


def test_a_rejection_is_taken_back_on_the_page(site: Installation, anna: Browser, vera: Browser) -> None:
    assert anna.send(CHANGE, f"{CHANGE}/reject", note="a wrong click").status_code == 303
    assert f'action="{CHANGE}/reopen"' not in vera.get(CHANGE).text
    assert anna.send(CHANGE, f"{CHANGE}/reopen", note="meant r2").status_code == 303
    assert state(site) == "pending"
    assert f'action="{CHANGE}/approve"' in anna.get(CHANGE).text
    (event,) = site.json("audit", "--kind", "reopen")
    assert (event["identity"], event["note"], event["outcome"]) == ("web:anna", "meant r2", "pending")
    site.run("audit", "--verify")
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    site.run("audit", "--verify")
    assert f'action="{CHANGE}/reopen"' not in anna.get(CHANGE).text


def test_and_on_the_command_line_until_the_next_night(site: Installation) -> None:
    waiting = site.json("change", "list", "--router", "r1")[0]["candidate_hash"]
    site.run("change", "reject", "--hash", waiting, "--note", "no")
    said = site.run("change", "approve", "--hash", waiting, expect=4).stdout
    assert "`hntes change reopen` takes the rejection back" in " ".join(said.split())
    assert "waits for a decision again" in site.run("change", "reopen", "--router", "r1", "--reason", "yes").stdout
    assert state(site) == "pending"
    site.run("change", "reject", "--hash", waiting, "--note", "no")
    site.run("stage", "propose", "--day", "2026-11-21", "--router", "r1")
    refused = site.run("change", "reopen", "--router", "r1", "--day", NIGHT, "--reason", "late", expect=1)
    assert "the night of 2026-11-21 has proposed another change since" in " ".join(refused.stderr.split())


def test_a_deferral_is_taken_back(site: Installation, anna: Browser) -> None:
    later = date.today() + timedelta(days=3)
    assert anna.send(CHANGE, f"{CHANGE}/hold", until=later.isoformat(), note="freeze").status_code == 303
    page = words_in(anna.get(CHANGE).text)
    assert f"Deferred until {later}" in page
    assert anna.send(CHANGE, f"{CHANGE}/reopen", note="no freeze").status_code == 303
    assert site.json("change", "list", "--router", "r1")[0]["held_until"] is None
    assert "Deferred" not in words_in(anna.get(CHANGE).text)


def test_after_a_decision_the_next_one_is_named(site: Installation, anna: Browser) -> None:
    assert anna.send(CHANGE, f"{CHANGE}/approve", confirm="r1").status_code == 303
    page = anna.get(CHANGE).text
    approved = site.json("change", "list", "--all", "--router", "r1")[0]["candidate_hash"]
    assert "hntes router deliver --router r1" in page
    assert f"hntes router loaded --router r1 --hash {approved[:12]}" in page
    assert f'Next change: <a href="/change/r2/{NIGHT}">r2 of {NIGHT}</a>' in page
    for router, address in (("r3", f"/change/r3/{NIGHT}"), ("r2", f"/change/r2/{NIGHT}")):
        assert anna.send(address, f"{address}/reject", note="no").status_code == 303
        rest = anna.get(address).text
        # after the last router comes the first that waits
        assert ("Next change: <a" in rest) == (router == "r3")
    assert "No other change waits" in rest
    assert "the next night asks again" in rest
