"""A router's processor and memory decide over its trial: a real SNMP agent beside an emulated router."""

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from hntes.delivery.load_agent import read_load
from hntes.delivery.load_watch import LoadError, LoadWatch, WatchedLoad
from hntes.platforms.device_errors import NotKeptError
from hntes.platforms.registry import platform_of
from hntes.settings.load import LoadLimits
from hntes.settings.snmp import SnmpAccess
from tests.contract.platform.case import case_of
from tests.support.benches import DELIVERED_TO
from tests.support.pushes import Bench
from tests.support.snmp_agent import COMMUNITY, SNMPD, Agent, Objects, router_agent

pytestmark = pytest.mark.skipif(SNMPD is None, reason="snmpd is not on this machine")
on_each_platform = pytest.mark.parametrize("platform", DELIVERED_TO)

# An object of the agents of tests/contract/platform that rises, the value, and how that is told.
RISEN = {
    "junos": ("1.3.6.1.4.1.2636.3.1.13.1.11.7.1.0.0", 96, r"memory FPC: MPC5E @ 0/\*/\* at 96 %, above .*, 90 %"),
    "iosxr": ("1.3.6.1.4.1.9.9.221.1.1.1.1.18.2.1", 342 * 10**9, r"memory cempMemPoolHCUsed\.2\.1 at 95 %, above"),
    "iosxe": ("1.3.6.1.4.1.9.9.109.1.1.1.1.7.7", 97, r"processor cpmCPUTotal1minRev\.7 at 97 %, above .*, 85 %"),
    "eos": ("1.3.6.1.2.1.25.3.3.1.2.1", 98, r"processor hrProcessorLoad\.1 at 98 %, above .*, 85 %"),
    "sros": ("1.3.6.1.4.1.6527.3.1.2.1.1.1.0", 99, r"processor sgiCpuUsage\.0 at 99 %, above .*, 85 %"),
}


@pytest.fixture
def running() -> Iterator[ExitStack]:
    """What runs beside the router; closed, the agent is silent."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def calm(platform: str) -> Objects:
    agent = case_of(platform).agent
    assert agent is not None
    return agent[0]


@pytest.fixture
def risen(platform: str, calm: Objects) -> Objects:
    number, value, _ = RISEN[platform]
    return {**calm, number: (calm[number][0], value)}


@pytest.fixture
def agent(
    routed: Bench, platform: str, calm: Objects, running: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Agent:
    """The router's agent, which a push asks."""
    monkeypatch.setenv(*next(iter(COMMUNITY.items())))
    objects = platform_of(platform).capabilities.load
    assert objects is not None
    columns = [".".join(map(str, column)) for column in objects.columns.values()]
    agent = running.enter_context(router_agent(tmp_path / "agent", columns, calm))
    # until the programs behind it have started, which the readings are not to wait for
    read_load(objects, SnmpAccess(timeout_s=20), agent.address)
    ask = partial(read_load, objects, SnmpAccess(timeout_s=2, retries=0), agent.address)
    routed.watch = LoadWatch("r1", ask, LoadLimits(), "`snmp` of router r1", routed.timer)
    return agent


def seen(routed: Bench) -> WatchedLoad:
    assert routed.watch is not None
    return routed.watch.seen


@on_each_platform
@pytest.mark.usefixtures("agent")
def test_a_router_whose_load_stays_fine_keeps_the_text(routed: Bench, platform: str) -> None:
    case = case_of(platform)
    assert case.agent is not None
    assert routed.push().outcome == "done"
    assert routed.holds == routed.starts_with == "after"
    assert seen(routed) == WatchedLoad(case.agent[1], case.agent[1])


@on_each_platform
def test_a_load_that_rises_on_trial_takes_the_text_back(
    routed: Bench, agent: Agent, risen: Objects, platform: str
) -> None:
    before = routed.shown()
    routed.timer.during = partial(agent.tell, risen)
    with pytest.raises(NotKeptError, match=RISEN[platform][2] + ".*\nThe router has rolled back"):
        routed.push()
    assert routed.shown() == before
    assert routed.holds == routed.starts_with == "before"
    assert routed.log[-1] == "rolled back: the router holds the text before"
    assert "verified: to be confirmed" not in routed.log


def test_an_agent_that_falls_silent_on_trial_takes_the_text_back(
    routed: Bench, agent: Agent, running: ExitStack
) -> None:
    before = routed.shown()
    routed.timer.during = running.close
    with pytest.raises(NotKeptError, match=rf"agent {agent.address} gives no answer: .*timeout.*, 3 times in a row"):
        routed.push()
    assert routed.shown() == before
    assert routed.holds == "before"


@pytest.mark.parametrize("is_silent", [False, True])
def test_a_router_that_is_loaded_already_or_silent_is_not_touched(
    routed: Bench, agent: Agent, risen: Objects, running: ExitStack, platform: str, *, is_silent: bool
) -> None:
    before, commits = routed.shown(), len(routed.commits())
    if is_silent:
        running.close()
    else:
        agent.tell(risen)
    words = "gives no answer" if is_silent else RISEN[platform][2]
    with pytest.raises(LoadError, match=f"router r1: .*{words}.*; nothing was changed. To deliver without"):
        routed.push()
    assert routed.log == []
    assert routed.journal.entry() is None
    assert (routed.shown(), len(routed.commits())) == (before, commits)
    assert routed.push(commit=False).outcome == "shown"
