"""Polling a real SNMP agent (net-snmp) for the counters of this machine's interfaces."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from hntes.etl.counters import snmp_poller
from hntes.etl.counters.counter_files import CounterFiles
from hntes.etl.counters.snmp_poller import Poller
from hntes.etl.counters.source import CounterSourceError
from hntes.settings.counters import SnmpCounters
from hntes.workflow.inventory.snmp import inventory_by_snmp
from tests.support.snmp_agent import COMMUNITY, SNMPD, router_agent, snmpd

pytestmark = pytest.mark.skipif(SNMPD is None, reason="snmpd is not on this machine")

KEYS = {"HNTES_SNMP_AUTH_KEY": "auth-key-of-test", "HNTES_SNMP_PRIV_KEY": "priv-key-of-test"}
NET = Path("/sys/class/net")


@pytest.fixture(scope="module")
def before() -> dict[int, tuple[int, int]]:
    """The kernel's counters before the agent starts, which keeps those that it read for some seconds."""
    return kernel()


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory, before: object) -> Iterator[int]:
    del before
    user = (
        f'createUser hntes SHA-256 "{KEYS["HNTES_SNMP_AUTH_KEY"]}" AES "{KEYS["HNTES_SNMP_PRIV_KEY"]}"\n'
        "rouser hntes priv\n"
    )
    with snmpd(tmp_path_factory.mktemp("snmpd"), user) as number:
        yield number


def polled(
    folder: Path, environment: Mapping[str, str], monkeypatch: pytest.MonkeyPatch, **options: object
) -> tuple[dict[str, int], list[str]]:
    for variable in (*COMMUNITY, *KEYS):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)
    said: list[str] = []
    settings = SnmpCounters.model_validate({"folder": folder, "timeout_s": 2, "retries": 0, **options})
    with CounterFiles(folder) as files:
        return asyncio.run(Poller(settings, files, said.append).poll()), said


def rows(folder: Path) -> dict[int, tuple[int, int]]:
    (path,) = (folder / "r1").iterdir()
    lines = [line.split(",") for line in path.read_text().splitlines()[1:]]
    return {int(index): (int(received), int(sent)) for _, _, index, received, sent in lines}


def kernel() -> dict[int, tuple[int, int]]:
    """Octets by ifIndex as the kernel counts them."""
    found = {}
    for interface in NET.iterdir():
        if (interface / "ifindex").exists():
            octets = ((interface / "statistics" / f"{way}_bytes").read_text() for way in ("rx", "tx"))
            received, sent = map(int, octets)
            found[int((interface / "ifindex").read_text())] = (received, sent)
    return found


@pytest.mark.parametrize("version", ["2c", "3"])
def test_the_counters_are_those_of_the_kernel(
    port: int, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: dict[int, tuple[int, int]]
) -> None:
    address = f"127.0.0.1:{port}" if version == "2c" else f"[::1]:{port}"
    of = {"2c": COMMUNITY, "3": KEYS}[version]
    found, said = polled(tmp_path, of, monkeypatch, routers={"r1": address}, version=version, user="hntes")
    after = kernel()
    assert (found, said) == ({"r1": len(before)}, [])
    for interface, octets in rows(tmp_path).items():
        for low, value, high in zip(before[interface], octets, after[interface], strict=True):
            assert low <= value <= high


def test_a_router_that_does_not_answer_is_told_and_the_others_are_polled(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        routers = {"r1": f"127.0.0.1:{port}", "r2": f"127.0.0.1:{silent.getsockname()[1]}"}
        found, said = polled(tmp_path, COMMUNITY, monkeypatch, routers=routers)
    assert list(found) == ["r1"]
    assert said == [f"router r2 ({routers['r2']}): No SNMP response received before timeout"]


def test_a_secret_that_is_missing_is_named_and_a_wrong_one_is_told(
    port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = {"r1": f"127.0.0.1:{port}"}
    with pytest.raises(CounterSourceError, match="HNTES_SNMP_COMMUNITY is not set"):
        polled(tmp_path, {}, monkeypatch, routers=router)
    wrong = {**KEYS, "HNTES_SNMP_AUTH_KEY": "wrong-key-of-test"}
    found, said = polled(tmp_path, wrong, monkeypatch, routers=router, version="3", user="hntes")
    assert (found, [words.partition(": ")[2] for words in said]) == ({}, ["Wrong SNMP PDU digest"])
    assert "wrong-key" not in json.dumps(said)


def test_the_ports_that_an_agent_names_are_those_of_the_kernel(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*next(iter(COMMUNITY.items())))
    found = inventory_by_snmp(["127.0.0.1", "127.0.0.2"], port=port)
    assert found.router("127.0.0.2") is None
    assert [problem.partition(": ")[0] for problem in found.problems] == ["127.0.0.2"]
    router = found.router("127.0.0.1")
    assert router is not None
    names = {int((one / "ifindex").read_text()): one.name for one in NET.iterdir() if (one / "ifindex").exists()}
    assert {port.snmp_index: port.name for port in router.ports} == names


def test_of_a_router_with_more_interfaces_than_the_bound_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = ("1.3.6.1.2.1.31.1.1.1.6", "1.3.6.1.2.1.31.1.1.1.10")
    # above the numbers that this machine's own interfaces have: snmpd tells those behind the last of these
    indexes = range(1_000_001, 1_000_032)
    ports = {f"{column}.{index}": ("counter64", index) for column in columns for index in indexes}
    monkeypatch.setattr(snmp_poller, "MAX_INTERFACES", 30)
    with router_agent(tmp_path / "agent", columns, ports) as agent:
        router = {"r1": agent.address}
        found, said = polled(tmp_path / "counters", COMMUNITY, monkeypatch, routers=router, timeout_s=30)
        assert (found, said) == ({}, [f"router r1 ({agent.address}): it has more than 30 interfaces"])
        assert not (tmp_path / "counters" / "r1").exists()
        agent.tell({name: told for name, told in ports.items() if told[1] != indexes[-1]})
        again = polled(tmp_path / "counters", COMMUNITY, monkeypatch, routers=router, timeout_s=30)
        assert again == ({"r1": 30}, [])


def test_answers_that_are_no_snmp_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has taken the router's address may answer anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as liar:
        liar.bind(("127.0.0.1", 0))
        liar.settimeout(10)

        def answer() -> None:
            liar.sendto(b"\x30\x84\xff\xff\xff\xff" * 9, liar.recvfrom(999)[1])

        answering = threading.Thread(target=answer)
        answering.start()
        found, said = polled(tmp_path, COMMUNITY, monkeypatch, routers={"r1": f"127.0.0.1:{liar.getsockname()[1]}"})
        answering.join()
    assert found == {}
    assert len(said) == 1
