"""A night's delivery to many emulated routers, by the command line: canary, window, and one router that fails."""

import re
import threading
from concurrent import futures
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from hntes.delivery import batch
from hntes.platforms.junos.session import JunosDevice
from hntes.workflow.delivery import push, rounds
from tests.support.devices.farm import Farm
from tests.support.many_routers import FIRST_DAY, ManyRouters, at_night, many_routers
from tests.support.pushes import KilledError
from tests.support.qos_models import PAIRS

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY_EVENING = datetime(2026, 11, 23, 21, 0, tzinfo=BERLIN)
DELIVERY = """
[delivery]
timeout_s = 30
max_parallel = 2
confirm_minutes = 1
canary = "pe02"
canary_minutes = 30
[[delivery.windows]]
days = ["mon", "tue", "wed", "thu"]
start = "22:00"
end = "04:00"
time_zone = "Europe/Berlin"
"""


@pytest.fixture
def many(request: pytest.FixtureRequest, tmp_path: Path, farm: Farm, monkeypatch: pytest.MonkeyPatch) -> ManyRouters:
    """Three routers (or as many as the test says) that have a text of HNTES and shall get another."""
    count = getattr(request, "param", 3)
    made = many_routers(farm, tmp_path, count, DELIVERY, MONDAY_EVENING)
    at_night(made, monkeypatch)
    made.approve(FIRST_DAY, PAIRS[:4])
    return made


def outcomes(many: ManyRouters, *options: str, expect: int = 0) -> dict[str, str]:
    said = many.installation.json("router", "deliver", "--all", *options, expect=expect)
    return {name: each["outcome"] for name, each in said.items()}


def at(many: ManyRouters, hour: int, minute: int) -> None:
    """Moves the night's clock on to this time of Monday, in Berlin."""
    wanted = MONDAY_EVENING.replace(hour=hour, minute=minute).timestamp()
    many.night.wall.advance(wanted - many.night.wall.now_s)


def test_outside_of_the_windows_nothing_is_changed(many: ManyRouters) -> None:
    done = many.installation.run("router", "deliver", "--all", "--commit", expect=4)
    assert "the next one opens Monday 2026-11-23 22:00 Europe/Berlin" in done.stdout
    assert many.begun == []
    assert all(len(each.commits) == 1 for each in many.routers.values())


def test_who_delivers_outside_of_the_windows_gives_a_reason_for_the_log(many: ManyRouters) -> None:
    many.set("canary_minutes = 30", "canary_minutes = 0")
    done = many.installation.run(
        "router", "deliver", "--router", "pe02", "--commit", "--outside-window", "ticket 77", "--who", "anna"
    )
    assert "then confirmed" in done.stdout
    assert many.holds_new("pe02")
    begins = [each for each in many.installation.json("audit", "--kind", "push") if "outside" in each["outcome"]]
    assert [(each["router"], each["who"], each["note"]) for each in begins] == [("pe02", "anna", "ticket 77")]
    many.installation.run("router", "deliver", "--commit", "--outside-window", " ", expect=2)
    many.installation.run("router", "deliver", "--outside-window", "ticket 77", expect=2)


@pytest.mark.parametrize(
    "many", [6, pytest.param(40, marks=[pytest.mark.long, pytest.mark.timeout(1200)])], indirect=True
)
def test_a_night_with_a_canary_and_one_router_that_fails(many: ManyRouters, monkeypatch: pytest.MonkeyPatch) -> None:
    names = sorted(many.routers)
    fails = names[len(names) // 2 - 1]
    others = [name for name in names if name != "pe02"]
    many.set(f"port = {many.served[fails].port}\n", f"port = {many.served[fails].port}\n  # probes of {fails}\n")
    at(many, 22, 5)
    _fails(many, fails)
    _waits(names[-2], fails, monkeypatch)
    done = many.installation.run("router", "deliver", "--all", "--commit", expect=3)

    order = [name for name, _ in many.begun]
    assert order[0] == "pe02"
    assert order[1:] == others[: len(order) - 1]
    assert many.begun[1][1] - many.begun[0][1] >= 30 * 60
    left = set(names) - set(order)
    assert left >= {names[-1]}

    for name in names:
        assert many.holds_new(name) is (name in order and name != fails), name
    assert all(len(many.routers[name].commits) == 1 for name in left)
    assert many.routers[fails].pending is None

    report = done.stdout[done.stdout.index("-- report") :]
    assert "pe02 2026-11-21: delivered: verified on trial, then confirmed (canary)" in report
    assert f"{fails} 2026-11-21: FAILED" in report
    assert f"{len(names)} routers: {len(order) - 1} delivered, 1 failed, {len(left)} not started" in report
    assert re.search(
        rf"^{', '.join(sorted(left))}: not started, since {fails} (failed|was not confirmed at once); `hntes "
        "router deliver",
        report,
        re.MULTILINE,
    )
    assert f"{fails}: the router has rolled back" in report
    assert "probe `false` exited with status 1" in done.stderr

    many.set('probes = [["false"]]', "probes = []")
    waited_s = many.night.waited_s
    many.installation.run("router", "deliver", "--all", "--commit")
    assert all(map(many.holds_new, names))
    assert many.night.waited_s == waited_s  # the canary had stood
    assert set(outcomes(many).values()) == {"held"}
    many.installation.run("audit", "--verify")


def _waits(name: str, other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This router's push begins once the other's has ended: how fast the machine is decides on nothing."""
    push_router, has_ended = push.push_router, threading.Event()

    def pushed(context: Any, router: Any, **named: Any) -> Any:
        if router.name == name:
            assert has_ended.wait(60)
        try:
            return push_router(context, router, **named)
        finally:
            if router.name == other:
                has_ended.set()

    monkeypatch.setattr(rounds, "push_router", pushed)


def _fails(many: ManyRouters, name: str) -> None:
    """A probe of this router's fails: what is on trial there is taken back."""
    before, here, after = many.installation.settings.read_text(encoding="utf-8").partition(f"  # probes of {name}\n")
    assert here
    changed = before + after.replace("probes = []", 'probes = [["false"]]', 1)
    many.installation.settings.write_text(changed, encoding="utf-8")


def test_a_canary_that_has_gone_bad_while_it_stood_keeps_the_others(many: ManyRouters) -> None:
    at(many, 22, 5)
    many.installation.run("router", "deliver", "--router", "pe02", "--commit")
    emulated = many.routers["pe02"]
    emulated.load(alice := emulated.open("alice"), "delete groups hntes", "set")
    emulated.load(alice, "delete apply-groups", "set")
    emulated.commit(alice)
    many.begun.clear()
    done = many.installation.run("router", "deliver", "--commit", "--router", "pe01", "--router", "pe03", expect=4)
    assert "the canary pe02 failed its verification: the router holds other statements" in done.stdout
    assert many.night.waited_s >= 25 * 60
    assert many.begun == []


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_is_approved_for_a_canary_while_it_stands_does_not_keep_the_others(
    many: ManyRouters, monkeypatch: pytest.MonkeyPatch, is_killed: bool
) -> None:
    at(many, 22, 5)
    if is_killed:
        many.installation.run("router", "deliver", "--router", "pe02", "--commit")
    wait, delivered = rounds._Round._wait, {}

    def approved_meanwhile(*given: Any) -> None:
        wait(*given)
        delivered["pe02"] = many.holds_new("pe02")
        many.approve(FIRST_DAY + timedelta(1), PAIRS[:3], ["pe02"])

    monkeypatch.setattr(rounds._Round, "_wait", approved_meanwhile)
    done = outcomes(many, "--commit")
    assert done == {name: "held" if is_killed and name == "pe02" else "done" for name in many.routers}
    assert [many.holds_new(name) for name in ("pe01", "pe03")] == [True, True]
    assert (delivered, many.holds_new("pe02")) == ({"pe02": True}, False)


@pytest.mark.parametrize("seconds", [-600.0, 900.0, 1_800.0, 3_600.0])
def test_a_clock_that_is_set_during_a_round_does_not_shorten_how_long_its_canary_stands(
    many: ManyRouters, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    at(many, 23, 0)
    push_router = push.push_router

    def pushed(*given: Any, **named: Any) -> Any:
        ended = push_router(*given, **named)
        if len(many.begun) == 1:
            many.night.set_by_s = seconds
        return ended

    monkeypatch.setattr(rounds, "push_router", pushed)
    assert set(outcomes(many, "--commit").values()) == {"done"}
    assert many.begun[1][1] - many.begun[0][1] >= 30 * 60
    assert all(map(many.holds_new, many.routers))
    many.installation.run("audit", "--verify")


def test_the_canary_goes_before_a_router_that_is_named_alone(many: ManyRouters) -> None:
    at(many, 22, 5)
    done = many.installation.run("router", "deliver", "--router", "pe01", "--commit", expect=4)
    assert "the canary pe02 goes first" in done.stdout
    assert many.begun == []


def test_an_interrupt_while_the_routers_are_asked_ends_all(many: ManyRouters, monkeypatch: pytest.MonkeyPatch) -> None:
    at(many, 22, 5)
    real, interrupts = futures.wait, iter([True])

    def interrupted(*given: Any, **named: Any) -> Any:
        if next(interrupts, False):
            raise KeyboardInterrupt
        return real(*given, **named)

    monkeypatch.setattr(batch, "wait", interrupted)
    done = many.installation.run("router", "deliver", "--all", "--commit", expect=1)
    assert "interrupted from the keyboard while the routers were queried; nothing was changed" in done.stderr
    assert many.begun == []


def test_a_window_that_closes_before_the_canary_has_stood_is_not_waited_for(many: ManyRouters) -> None:
    many.set('end = "04:00"', 'end = "22:30"')
    at(many, 22, 5)
    assert outcomes(many, "--commit", expect=3) == {
        name: "done" if name == "pe02" else "not_started" for name in many.routers
    }
    assert many.night.waited_s == 0
    many.night.wall.advance(86_400)  # Tuesday, 22:07: the canary has stood
    assert set(outcomes(many, "--commit").values()) == {"done", "held"}
    assert many.night.waited_s == 0


@pytest.mark.parametrize("many", [4], indirect=True)
def test_a_round_that_is_killed_is_gone_on_with(many: ManyRouters, monkeypatch: pytest.MonkeyPatch) -> None:
    at(many, 22, 5)
    many.set("canary_minutes = 30", "canary_minutes = 0")
    confirm = JunosDevice.confirm

    def killed(device: JunosDevice, remark: str) -> None:
        if len(many.begun) > 2:
            raise KilledError
        confirm(device, remark)

    monkeypatch.setattr(JunosDevice, "confirm", killed)
    with pytest.raises(KilledError):
        many.installation.run("router", "deliver", "--all", "--commit")
    monkeypatch.undo()
    at_night(many, monkeypatch)
    monkeypatch.setenv("HNTES_ROUTER_PASSWORD", "secret")
    on_trial = [name for name, each in many.routers.items() if each.pending is not None]
    assert on_trial
    assert {name: each for name, each in outcomes(many).items() if name in on_trial} == dict.fromkeys(
        on_trial, "unfinished"
    )
    ended = outcomes(many, "--commit")
    assert {ended[name] for name in on_trial} == {"finished"}
    assert all(map(many.holds_new, many.routers))
