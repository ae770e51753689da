"""The toy."""

from tests.contract.platform.case import PlatformCase
from tests.contract.platform.toy.dialect import CLEAR, own_lines

PORTS = ("toy-1", "toy-2", "toy-3")
RUNNING = "hostname wr\n" + "".join(f"port {name} address 192.0.2.{9 + 4 * at}/30\n" for at, name in enumerate(PORTS))


def _delivered(running: str, text: str) -> str:
    return running + "".join(f"{line}\n" for line in own_lines(text))


def _after(running: str, *transitions: str) -> str:
    found = running.splitlines()
    for line in (line for each in transitions for line in each.splitlines() if not line.startswith("#")):
        if line == CLEAR:
            found = [each for each in found if not each.startswith("hntes ")]
        else:
            assert line not in found, f"{line} is there already"
            found.append(line)
    return "\n".join(found)


CASE = PlatformCase(
    name="toy",
    ports=PORTS,
    running=RUNNING,
    in_the_way=f"own-queues {PORTS[1]}\n",
    delivered=_delivered,
    after=_after,
    unknown=("hostname elsewhere", "hntes reboot now"),
    damages=(
        ("198.18.10.7/32", "198.18.10.8/32"),
        ("share 55", "share 54"),
        ("class alpha 4", "class alpha 5"),
        ("hntes core toy-2\n", ""),
    ),
    silent=r"#.*",
)
