"""Sessions with routers by the type of their host key, and what is said if there is none.

Host keys and algorithms of the emulated routers are those of asyncssh, which shares no code with paramiko.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hntes.platforms.device_errors import UnreachableError
from hntes.platforms.junos.session import open_junos
from hntes.platforms.registry import platform_of
from hntes.settings.delivery import Access
from tests.support.benches import DELIVERED_TO, bench_of
from tests.support.devices.farm import EmulatedRouter, Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.pushes import Bench

ANSWER_S = 60
KEY_TYPES = ("ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ssh-ed25519")
PLATFORMS = pytest.mark.parametrize("platform", DELIVERED_TO)
# RFC 4253, sections 6.6 and 8.1, and RFC 4419: what routers of 2015 offer, and nothing else.
SHA_1 = {"signature_algs": ["ssh-rsa"], "kex_algs": ["diffie-hellman-group14-sha1"]}


@pytest.fixture
def routed(farm: Farm, tmp_path: Path, platform: str) -> Bench:
    return bench_of(platform, tmp_path, farm, over_ssh=True)


@pytest.fixture
def served(routed: Bench) -> EmulatedRouter:
    found: EmulatedRouter = routed.served
    return found


@pytest.fixture
def read(routed: Bench, platform: str) -> Callable[[str], bool]:
    """Whether a session which expects a host key reads the configuration that the router holds."""

    def running(host_key: str) -> bool:
        access = Access(address=routed.served.host, port=routed.served.port, user="hntes", host_key=host_key)
        device = platform_of(platform).connect(access, ANSWER_S)
        try:
            return device.dialect.owned(device.running()) == device.dialect.part_of(routed.texts["before"])
        finally:
            device.close()

    return running


@PLATFORMS
@pytest.mark.parametrize("pinned", range(len(KEY_TYPES)), ids=KEY_TYPES)
def test_a_router_is_reached_by_whichever_of_its_keys_is_pinned(
    served: EmulatedRouter, read: Callable[[str], bool], pinned: int
) -> None:
    served.change_host_key(*KEY_TYPES)
    assert read(served.host_keys[pinned])


@PLATFORMS
@pytest.mark.parametrize("key_type", ["ssh-rsa", "ssh-ed25519"])
def test_a_router_that_has_one_key_alone_is_reached_by_it(
    served: EmulatedRouter, read: Callable[[str], bool], key_type: str
) -> None:
    served.change_host_key(key_type)
    pinned = served.host_key
    assert read(pinned)
    served.change_host_key(key_type)
    with pytest.raises(UnreachableError, match="host key differs"):
        read(pinned)


def test_keys_that_the_user_trusts_elsewhere_are_not_trusted_for_netconf(
    farm: Farm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = JunosRouter.with_text("r1", "system { host-name r1; }")
    served = farm.serve(router, netconf=lambda user: NetconfSession(router, user))
    pinned = served.host_key
    served.change_host_key()
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "known_hosts").write_text(f"[{served.host}]:{served.port} {served.host_key}\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(UnreachableError, match="host key differs"):
        open_junos(Access(address=served.host, port=served.port, user="hntes", host_key=pinned), ANSWER_S)


@PLATFORMS
def test_a_router_with_outdated_algorithms_is_told_from_one_that_is_away(
    served: EmulatedRouter, read: Callable[[str], bool]
) -> None:
    served.change_host_key("ssh-rsa", **SHA_1)
    with pytest.raises(UnreachableError, match=r"no session \(.*perhaps only those with SHA-1: see `SSH algorithms`"):
        read(served.host_key)


_CONNECT = """
import sys
from hntes.platforms.device_errors import UnreachableError
from hntes.platforms.registry import platform_of
from hntes.settings.delivery import Access
platform, port, key = sys.argv[1:]
access = Access(address="127.0.0.1", port=int(port), user="hntes", host_key=key)
try:
    platform_of(platform).connect(access, 10)
except UnreachableError as error:
    print(error)
"""


@PLATFORMS
@pytest.mark.parametrize("fault", ["closed", "outdated"])
def test_a_connection_that_fails_prints_no_traceback_of_a_library(
    served: EmulatedRouter, platform: str, fault: str
) -> None:
    """In a process of its own, where no handler of a test collects what is logged."""
    key = served.host_key
    if fault == "closed":
        served.close_connections()
    else:
        served.change_host_key("ssh-rsa", **SHA_1)
        key = served.host_key
    done = subprocess.run(
        [sys.executable, "-c", _CONNECT, platform, str(served.port), key], capture_output=True, text=True, check=True
    )
    assert "no session" in done.stdout
    assert done.stderr == ""
