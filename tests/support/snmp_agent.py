"""A real SNMP agent (snmpd of net-snmp) on loopback, with objects that a test gives it and changes while it runs."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SNMPD = shutil.which("snmpd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
COMMUNITY = {"HNTES_SNMP_COMMUNITY": "for-this-test"}

# The modules of snmpd that would tell of this machine's own processors and memory.
_NOT_OF_THIS_MACHINE = "-hr_proc,hrh_storage"
# Number of an object -> its type in pass_persist (snmpd.conf(5)) and its value.
Objects = Mapping[str, tuple[str, str | int]]


@contextmanager
def snmpd(folder: Path, configuration: str) -> Iterator[int]:
    """Runs snmpd on a free UDP port of loopback, IPv4 and IPv6; gives the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    (folder / "snmpd.conf").write_text(
        f"agentaddress udp:127.0.0.1:{port},udp6:[::1]:{port}\n"
        f"rocommunity {COMMUNITY['HNTES_SNMP_COMMUNITY']} 127.0.0.1\n{configuration}"
    )
    command = [
        str(SNMPD), "-f", "-Lo", "-C", "-c", str(folder / "snmpd.conf"), f"--persistentDir={folder}/state",
        "-I", _NOT_OF_THIS_MACHINE,
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as agent:
        try:
            deadline = time.monotonic() + 30
            while f":{port:04X} " not in Path("/proc/net/udp").read_text(encoding="ascii"):
                assert time.monotonic() < deadline, "snmpd does not listen"
                time.sleep(0.05)
            yield port
        finally:
            agent.terminate()


@dataclass(frozen=True)
class Agent:
    """An agent with objects of a router; `address` is for the settings."""

    address: str
    _told: Path

    def tell(self, objects: Objects) -> None:
        """From now on it has these objects alone, within the columns that it began with."""
        fresh = self._told.with_suffix(".new")
        fresh.write_text(json.dumps(objects))
        fresh.replace(self._told)


@contextmanager
def router_agent(folder: Path, columns: Sequence[str], objects: Objects) -> Iterator[Agent]:
    """An agent that has objects of these columns, whatever the machine itself would say of them."""
    folder.mkdir(parents=True, exist_ok=True)
    told = folder / "objects.json"
    Agent("", told).tell(objects)
    passed = "".join(f"pass_persist .{column} {sys.executable} -IS {__file__} {told}\n" for column in columns)
    with snmpd(folder, passed) as port:
        yield Agent(f"127.0.0.1:{port}", told)


def _serve(told: Path) -> None:
    """The other side of pass_persist: one request of three lines at most, one answer of three lines."""
    while request := sys.stdin.readline().strip():
        answer = ["PONG"] if request == "PING" else _answered(told, request, sys.stdin.readline().strip())
        print(*answer, sep="\n", flush=True)


def _answered(told: Path, request: str, number: str) -> list[str]:
    objects = {_number(each): value for each, value in json.loads(told.read_text()).items()}
    asked = _number(number)
    found = asked if request == "get" else min((each for each in objects if each > asked), default=None)
    if found not in objects:
        return ["NONE"]
    kind, value = objects[found]
    return ["." + ".".join(map(str, found)), kind, str(value)]


def _number(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.strip(".").split(".")))


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
