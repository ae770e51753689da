"""What a platform's SNMP agents tell of processor and memory, in answers made by hand and from a real agent."""

from pathlib import Path

import pytest

from hntes.delivery.load_agent import read_load
from hntes.platforms.load import Answers, Index, LoadObjects, LoadUnknownError, load_of
from hntes.platforms.platform import Platform
from hntes.settings.snmp import SnmpAccess
from tests.contract.platform.case import PlatformCase
from tests.support.snmp_agent import COMMUNITY, SNMPD, Objects, router_agent


def answers_of(objects: Objects, load: LoadObjects) -> Answers:
    """The answers of an agent that has these objects."""
    return {name: _column(objects, ".".join(map(str, column)) + ".") for name, column in load.columns.items()}


def _column(objects: Objects, start: str) -> dict[Index, str]:
    inside = {number: value for number, (_, value) in objects.items() if number.startswith(start)}
    return {tuple(map(int, number.removeprefix(start).split("."))): str(value) for number, value in inside.items()}


def test_objects_are_named_where_hntes_delivers(case: PlatformCase, implementation: Platform) -> None:
    known = implementation.capabilities
    assert (known.load is not None) is (case.agent is not None) is known.delivers


def test_the_highest_parts_are_read(case: PlatformCase, implementation: Platform) -> None:
    if case.agent is None or (load := implementation.capabilities.load) is None:
        return
    objects, expected = case.agent
    assert load_of(load, answers_of(objects, load)) == expected


def test_each_kind_that_is_not_told_is_named(case: PlatformCase, implementation: Platform) -> None:
    """A community that may read one of the MIBs alone must not look like an idle router."""
    if case.agent is None or (load := implementation.capabilities.load) is None:
        return
    answers = answers_of(case.agent[0], load)
    for what, parts in (("processor", load.cpu), ("memory", load.memory)):
        read = [name for name in load.columns if list(parts({**answers, name: {}})) != list(parts(answers))]
        with pytest.raises(LoadUnknownError, match=f"tells of no {what}; may this community or user read .*{read[-1]}"):
            load_of(load, {**answers, **{name: {} for name in read}})


@pytest.mark.skipif(SNMPD is None, reason="snmpd is not on this machine")
def test_a_real_agent_is_read(
    case: PlatformCase, implementation: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if case.agent is None or (load := implementation.capabilities.load) is None:
        return
    monkeypatch.setenv(*next(iter(COMMUNITY.items())))
    objects, expected = case.agent
    columns = [".".join(map(str, column)) for column in load.columns.values()]
    with router_agent(tmp_path, columns, objects) as agent:
        assert read_load(load, SnmpAccess(timeout_s=10), agent.address) == expected
