"""BGP programs on loopback: GoBGP as the speaker, BIRD and FRR as routers that say in their own words what they hold.

None of them reaches a kernel's tables. Programs are found on PATH and where Debian's packages put them.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tests.support.compose import free_port
from tests.support.waiting import LIMIT_S, wait_until

AS = 64512
_PLACES = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/lib/frr"))
_SPEAKER = "127.0.0.1"
# A rule in a receiver's own words: source, destination, DSCP, route target.
HeldRule = tuple[str, str, int, str | None]


def program(name: str) -> str | None:
    """The path of a program on this machine, None if it is not there."""
    return shutil.which(name, path=_PLACES)


def missing(*names: str) -> str | None:
    """What is not installed, as the reason of a skip; None if all is."""
    gone = [name for name in names if program(name) is None]
    return f"{', '.join(gone)} not installed; scripts/install_system_packages bgp" if gone else None


class _Program:
    """A program with a folder of its own, which is killed at the end."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._process: subprocess.Popen[bytes] | None = None

    def _start(self, *command: str) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def kill(self) -> None:
        """As a power cut: nothing is said to anybody."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


class GoBgpd(_Program):
    """GoBGP with one or more neighbors, for which it waits."""

    def __init__(self, folder: Path, *neighbors: str) -> None:
        super().__init__(folder)
        self.bgp_port, self.api_port = free_port(), free_port()
        lines = [
            "[global.config]", f"as = {AS}", 'router-id = "192.0.2.1"', f"port = {self.bgp_port}",
            f'local-address-list = ["{_SPEAKER}"]',
        ]  # fmt: skip
        for each in neighbors:
            lines += ["[[neighbors]]", "[neighbors.config]", f'neighbor-address = "{each}"', f"peer-as = {AS}"]
            lines += ["[neighbors.transport.config]", "passive-mode = true", f'local-address = "{_SPEAKER}"']
            for family in ("ipv4-flowspec", "ipv6-flowspec"):
                lines += ["[[neighbors.afi-safis]]", "[neighbors.afi-safis.config]", f'afi-safi-name = "{family}"']
        (folder / "gobgpd.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.start()

    @property
    def api(self) -> str:
        return f"{_SPEAKER}:{self.api_port}"

    def start(self) -> None:
        """Starts it, with nothing to announce, and waits until its API answers."""
        self._start(str(program("gobgpd")), "-f", "gobgpd.toml", "--api-hosts", self.api)
        wait_until(lambda: _answers(self.api_port), "gobgpd's API")

    def command(self, *arguments: str) -> str:
        """GoBGP's own command line, as somebody else would use it."""
        command = [str(program("gobgp")), "-u", _SPEAKER, "-p", str(self.api_port), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=LIMIT_S).stdout


class Bird(_Program):
    """BIRD with one session, over which it hears rules of both families."""

    address = "127.0.0.2"

    def __init__(self, folder: Path, speaker: GoBgpd) -> None:
        super().__init__(folder)
        (folder / "bird.conf").write_text(
            "router id 192.0.2.2;\nflow4 table f4;\nflow6 table f6;\nprotocol device {}\nprotocol bgp speaker {\n"
            f"  local {self.address} port {free_port()} as {AS};\n"
            f"  neighbor {_SPEAKER} port {speaker.bgp_port} as {AS};\n"
            "  connect delay time 1; connect retry time 1; error wait time 1, 2;\n"
            "  flow4 { table f4; import all; export none; };\n  flow6 { table f6; import all; export none; };\n}\n",
            encoding="utf-8",
        )
        self._start(str(program("bird")), "-f", "-c", "bird.conf", "-s", "bird.ctl", "-P", "bird.pid")
        wait_until(lambda: _listens(folder / "bird.ctl"), "bird's socket")
        wait_until(self.has_session, "bird's session")

    def has_session(self) -> bool:
        return "Established" in self._said("show protocols speaker")

    def end_session(self) -> None:
        """Until `begin_session`; the speaker has nothing to do with it."""
        self._said("disable speaker")

    def begin_session(self) -> None:
        """Begins the session anew, and waits until it is up."""
        self._said("enable speaker")
        wait_until(self.has_session, "bird's session")

    def rules(self) -> set[HeldRule]:
        """What it holds, by its own listing."""
        found: set[HeldRule] = set()
        listed = re.split(r"^flow[46] ", self._said("show route all"), flags=re.MULTILINE)
        for text in listed[1:]:
            destination, source = _one(r"dst (\S+);", text), _one(r"src (\S+);", text)
            (words,) = re.findall(r"BGP\.ext_community:(.*)", text)
            actions = [(int(high, 16), int(low, 16)) for high, low in re.findall(r"generic, (\w+), (\w+)", words)]
            found.add((source, destination, *_by_numbers(actions)))
        assert len(found) == len(listed) - 1, "BIRD lists a rule twice"
        return found

    def count(self) -> int:
        """How many it holds, which is quicker to ask."""
        said = "".join(self._said(f"show route table {table} count") for table in ("f4", "f6"))
        return sum(map(int, re.findall(r"^(\d+) of \d+ routes", said, re.MULTILINE)))

    def _said(self, command: str) -> str:
        done = subprocess.run(
            [str(program("birdc")), "-s", "bird.ctl", *command.split()], cwd=self.folder, check=True, text=True,
            capture_output=True, timeout=LIMIT_S,
        )  # fmt: skip
        return done.stdout


class Frr(_Program):
    """FRR's bgpd alone, with one session, over which it hears rules of both families."""

    address = "127.0.0.3"

    def __init__(self, folder: Path, speaker: GoBgpd) -> None:
        super().__init__(folder)
        (folder / "bgpd.conf").write_text(
            f"router bgp {AS}\n bgp router-id 192.0.2.3\n no bgp default ipv4-unicast\n"
            f" neighbor {_SPEAKER} remote-as {AS}\n neighbor {_SPEAKER} port {speaker.bgp_port}\n"
            f" neighbor {_SPEAKER} update-source {self.address}\n neighbor {_SPEAKER} timers connect 1\n"
            f" address-family ipv4 flowspec\n  neighbor {_SPEAKER} activate\n exit-address-family\n"
            f" address-family ipv6 flowspec\n  neighbor {_SPEAKER} activate\n exit-address-family\n",
            encoding="utf-8",
        )
        self._start(
            str(program("bgpd")), "-f", str(folder / "bgpd.conf"), "-Z", "-S", "-n", "-l", self.address,
            "-p", str(free_port()), "-i", str(folder / "pid"), "--vty_socket", str(folder), "-P", "0",
        )  # fmt: skip
        wait_until(lambda: _listens(folder / "bgpd.vty"), "bgpd's socket")
        wait_until(self.has_session, "bgpd's session")

    def has_session(self) -> bool:
        return "Established" in self._said(f"show bgp neighbors {_SPEAKER}")

    def rules(self) -> set[HeldRule]:
        """What it holds, by its own listing."""
        found: set[HeldRule] = set()
        count = 0
        for family in ("ipv4", "ipv6"):
            for text in self._said(f"show bgp {family} flowspec detail").split("BGP flowspec entry:")[1:]:
                count += 1
                target = re.findall(r"FS:redirect VRF RT:(\S+)", text)
                found.add(
                    (_prefix("Source", text), _prefix("Destination", text), int(_one(r"FS:marking (\d+)", text)),
                     target[0] if target else None)
                )  # fmt: skip
        assert len(found) == count, "FRR lists a rule twice"
        return found

    def _said(self, command: str) -> str:
        """Over the socket of FRR's shell: a command ends with a zero octet, an answer with three and a status."""
        with socket.socket(socket.AF_UNIX) as vty:
            vty.settimeout(LIMIT_S)
            vty.connect(str(self.folder / "bgpd.vty"))
            answer = b""
            for each in ("enable", command):
                vty.sendall(each.encode() + b"\0")
                answer = b""
                while answer[-4:-1] != b"\0\0\0":
                    part = vty.recv(1 << 16)
                    assert part, f"bgpd closed its socket at `{each}`"
                    answer += part
        return answer[:-4].decode()


@dataclass(frozen=True)
class Bench:
    """A speaker and the receivers that hear it."""

    speaker: GoBgpd
    receivers: tuple[Bird | Frr, ...]

    def wait_for(self, wanted: set[HeldRule], limit_s: float = LIMIT_S) -> float:
        """Until each receiver holds exactly these rules; the seconds that it took."""
        return wait_until(lambda: all(each.rules() == wanted for each in self.receivers), "the rules", limit_s)


@contextmanager
def bench(folder: Path, *kinds: type[Bird] | type[Frr]) -> Iterator[Bench]:
    """A speaker with one receiver of each kind, whose sessions are up."""
    with GoBgpd(folder / "gobgp", *(kind.address for kind in kinds)) as speaker:
        receivers: list[Bird | Frr] = []
        try:
            receivers.extend(kind(folder / kind.__name__.lower(), speaker) for kind in kinds)
            yield Bench(speaker, tuple(receivers))
        finally:
            for each in receivers:
                each.kill()


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((_SPEAKER, port)) == 0


def _listens(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


def _by_numbers(actions: list[tuple[int, int]]) -> tuple[int, str | None]:
    """DSCP and route target of extended communities as two numbers of 32 bits (RFC 8955, table 7 and 7.4, 7.5)."""
    dscp, target = None, None
    for high, low in actions:
        if high == 0x80090000:
            assert dscp is None, "two markings"
            dscp = low
        elif high >> 16 == 0x8008:
            target = f"{high & 0xFFFF}:{low}"
        elif high >> 16 == 0x8208:
            target = f"{(high & 0xFFFF) << 16 | low >> 16}:{low & 0xFFFF}"
        else:
            raise AssertionError(f"an action of no rule of HNTES: {high:08x} {low:08x}")
    assert dscp is not None, "a rule without a marking"
    return dscp, target


def _prefix(word: str, text: str) -> str:
    """FRR writes an IPv6 prefix with its offset."""
    found, offset = re.findall(rf"{word} Address (\S+?/\d+)(?:/off (\d+))?\n", text)[0]
    assert offset in ("", "0"), f"an offset of {offset}"
    return str(found)


def _one(pattern: str, text: str) -> str:
    (found,) = re.findall(pattern, text)
    return str(found)
