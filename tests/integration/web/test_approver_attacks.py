"""Several people who decide at once, or one person who poses as several."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from hntes.web.accounts import add_account
from tests.support.installation import Installation
from tests.support.page_addresses import CHANGE
from tests.support.prepared_nights import PreparedNights
from tests.support.review_page import Browser, browser, forms_in, site

PROXY = "192.0.2.1"


def decisions(installed: Installation) -> list[dict[str, str]]:
    return [each for each in installed.json("audit") if each["kind"] == "decide"]


def approval_in(someone: Browser) -> dict[str, str]:
    """What the form of an approval sends that somebody has before them."""
    (form,) = [each for each in forms_in(someone.get(CHANGE).text) if each.action == f"{CHANGE}/approve"]
    return {**form.fields, "confirm": "r1"}


def named(installed: Installation, *names: str) -> list[Browser]:
    """Browsers of operators whom one proxy names."""
    served = site(installed.settings, trusted_proxies=(f"{PROXY}/32",), operators=names)
    people = [browser(installed.settings, peer=PROXY, server=served) for _ in names]
    for someone, name in zip(people, names, strict=True):
        someone.client.headers.update([(b"x-forwarded-user", name.encode())])
    return people


def test_of_two_who_decide_at_once_one_is_told_of_the_other(
    tmp_path: Path, prepared_nights: PreparedNights, database_url: str
) -> None:
    installed = prepared_nights.site(tmp_path / "site", database_url)
    people = [each for _ in range(2) for each in named(installed, "anna", "bert")]
    held = [approval_in(each) for each in people]
    together = Barrier(len(people))

    def decide(number: int) -> int:
        verb = "approve" if number < 3 else "reject"
        together.wait()
        return int(people[number].post(f"{CHANGE}/{verb}", held[number]).status_code)

    with ThreadPoolExecutor(len(people)) as threads:
        answers = sorted(threads.map(decide, range(len(people))))
    assert answers == [303, 409, 409, 409]
    assert len(decisions(installed)) == 1
    installed.run("audit", "--verify")


def test_a_form_that_is_sent_twice_decides_once(site: Installation, anna: Browser) -> None:
    held = approval_in(anna)
    assert anna.post(f"{CHANGE}/approve", held).status_code == 303
    for verb in ("approve", "reject"):
        assert anna.post(f"{CHANGE}/{verb}", held).status_code == 409
    (event,) = decisions(site)
    assert (event["identity"], event["outcome"]) == ("web:anna", "approved")


@pytest.mark.parametrize("other", ["\uff21nna", "anna"], ids=["wide capital", "by another login"])
def test_one_person_under_two_names_is_no_second_one(site_copy: Installation, other: str) -> None:
    text = site_copy.settings.read_text()
    site_copy.settings.write_text(text.replace("[review]", "[review]\napprovals = 2"))
    first = browser(site_copy.settings)
    first.log_in("anna")
    assert first.post(f"{CHANGE}/approve", approval_in(first)).status_code == 303
    (same, third) = named(site_copy, other, "bert")
    assert same.post(f"{CHANGE}/approve", approval_in(same)).status_code == 409
    assert [each["outcome"] for each in decisions(site_copy)] == ["first_approval"]
    assert third.post(f"{CHANGE}/approve", approval_in(third)).status_code == 303
    assert [each["identity"] for each in decisions(site_copy)] == ["web:anna", "proxy:bert"]


def test_accents_that_are_written_otherwise_are_the_same_person(site_copy: Installation) -> None:
    text = site_copy.settings.read_text()
    site_copy.settings.write_text(text.replace("[review]", "[review]\napprovals = 2"))
    composed, apart = named(site_copy, "jos\u00e9", "jose\u0301")
    assert composed.post(f"{CHANGE}/approve", approval_in(composed)).status_code == 303
    assert apart.post(f"{CHANGE}/approve", approval_in(apart)).status_code == 409


@pytest.mark.parametrize("lost", ["role", "password", "account", "session"])
def test_a_form_of_before_is_worth_nothing_when_its_sender_may_not_decide_any_more(
    site_copy: Installation, lost: str
) -> None:
    anna = browser(site_copy.settings)
    anna.log_in("anna")
    held = approval_in(anna)
    accounts = anna.server.web.accounts
    if lost == "role":
        add_account(accounts, "anna", "viewer", "correct horse battery")
    elif lost == "password":
        add_account(accounts, "anna", "operator", "another horse battery")
    elif lost == "account":
        accounts.unlink()
    else:
        assert anna.post("/logout", {"csrf": held["csrf"]}).status_code == 303
    assert anna.post(f"{CHANGE}/approve", held).status_code == 403
    assert decisions(site_copy) == []
    # nor does a new login make the old form the new session's
    if lost == "session":
        anna.log_in("anna")
        assert anna.post(f"{CHANGE}/approve", held).status_code == 403
        assert decisions(site_copy) == []
