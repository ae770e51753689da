"""An operator's input filter listed behind HNTES' own: brought onto an emulated Junos router, and off it again."""

from datetime import date
from functools import partial
from pathlib import Path

import pytest

from hntes.delivery.journal import Journal
from hntes.delivery.push import push
from hntes.delivery.request import PushRequest
from hntes.delivery.verify import check_effect, check_part
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.device import Device, held
from hntes.platforms.device_errors import DriftError
from hntes.platforms.junos.session import open_junos
from hntes.platforms.junos.statements import foreign
from hntes.platforms.render import render
from hntes.settings.delivery import Access
from tests.support.delivery import SharedTimer
from tests.support.devices.farm import Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.devices.junos.text import write_text
from tests.support.qos_models import PAIRS, model
from tests.support.waiting import wait_until
from tests.unit.platforms.junos.test_input_filters import RUNNING

MADE = check_conflicts(model("junos", pairs=PAIRS), RUNNING)
OTHER = check_conflicts(model("junos", pairs=[each for each in PAIRS if each.ip_version == 6]), RUNNING)
TEXT, OTHER_TEXT = render(MADE), render(OTHER)


class Site:
    """One router with the operator's configuration, and pushes to it."""

    def __init__(self, folder: Path, farm: Farm) -> None:
        self.router = JunosRouter.with_text("r1", RUNNING)
        self.served = farm.serve(self.router, netconf=lambda user: NetconfSession(self.router, user))
        self.journal = Journal(folder / "journal.json")
        self.start = self.shown()

    def shown(self) -> str:
        return "\n".join(write_text(self.router.active))

    def opened(self) -> Device:
        access = Access(
            address=self.served.host, port=self.served.port, user="hntes", host_key=self.served.host_key
        )  # fmt: skip
        return open_junos(access, timeout_s=60)

    def push(self, before: str | None, after: str | None, *, takes_anything: bool = False) -> str:
        request = PushRequest(
            "r1", before, after, date(2026, 11, 20), 2, partial(self._verify, after), lambda _: None,
            takes_anything=takes_anything,
        )  # fmt: skip
        return push(request, self.opened, self.journal, SharedTimer(self.router), commit=True).outcome

    def _verify(self, after: str | None, device: Device) -> None:
        check_part(device.dialect, device.running(), after)
        if after is not None:
            check_effect(device.dialect, device.inherited(), after, MADE.interfaces)


@pytest.fixture
def site(tmp_path: Path, farm: Farm) -> Site:
    return Site(tmp_path, farm)


def test_on_and_off_again_leaves_the_operators_configuration_as_it_was(site: Site) -> None:
    """Without pairs of the family its filter is in force again; a removal needs no file of what was delivered."""
    assert site.push(None, OTHER_TEXT) == "done"
    assert "inactive" not in site.shown()
    assert site.push(OTHER_TEXT, TEXT) == "done"
    assert "inactive: input CUSTOMERS;" in site.shown()
    assert foreign(site.shown()) == foreign(site.start)
    assert site.push(None, None, takes_anything=True) == "done"
    assert site.shown() == site.start


def test_the_counters_of_a_filter_in_a_list_are_found(site: Site) -> None:
    site.push(None, TEXT)
    names = {term.counter for each in MADE.filters if each.ip_version == 4 for term in each.terms}
    some = sorted(names)[0]
    site.router.counted[f"{some}-xe-0/0/0.100-i"] = (3, 4500)
    device = site.opened()
    try:
        found = {each.name: (each.packets, each.bytes) for each in device.counters(())}
    finally:
        device.close()
    assert names <= set(found)
    assert found[some] == (3, 4500)


def test_an_operators_filter_that_was_changed_meanwhile_is_drift(site: Site) -> None:
    site.push(None, TEXT)
    wait_until(lambda: site.router.lock_holder is None, "the lock of a session that has ended is free")
    session = site.router.open("alice")
    changed = "delete interfaces xe-0/0/0 unit 100 family inet filter input CUSTOMERS"
    assert site.router.load(session, changed, "set") == []
    site.router.commit(session)
    held_by_alice = site.shown()
    with pytest.raises(DriftError, match="- inactive: interfaces xe-0/0/0 unit 100 family inet filter input"):
        site.push(TEXT, OTHER_TEXT)
    assert site.shown() == held_by_alice
    device = site.opened()
    try:
        assert held(device) != device.dialect.part_of(TEXT)
    finally:
        device.close()
