"""Emulated IOS-XE and IOS-XR routers asked by netmiko, over SSH on loopback."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import paramiko
import pytest
from netmiko import ConfigInvalidException, ConnectHandler, NetmikoAuthenticationException, ReadException, ReadTimeout

from tests.support.devices.cisco.iosxe import XeRouter
from tests.support.devices.cisco.iosxe_cli import XeTerminal
from tests.support.devices.cisco.iosxr import XrRouter
from tests.support.devices.cisco.iosxr_cli import XrTerminal
from tests.support.devices.farm import EmulatedRouter, Farm

SHUT = ["interface TenGigE0/0/0/0", "shutdown"]
SHORT_S = 1.0  # for what is waited for in vain


@pytest.fixture
def connect() -> Iterator[Callable[..., Any]]:
    opened: list[Any] = []

    def opener(served: EmulatedRouter, platform: str, **other: Any) -> Any:
        opened.append(
            ConnectHandler(
                device_type=platform, host=served.host, port=served.port, username="hntes", password="secret",
                read_timeout_override=5, **other,
            )
        )  # fmt: skip
        return opened[-1]

    yield opener
    for client in opened:
        client.remote_conn_pre.close()


def serve_xe(farm: Farm) -> tuple[XeRouter, EmulatedRouter]:
    router = XeRouter("r1")
    return router, farm.serve(router, terminal=lambda user: XeTerminal(router, user))


def serve_xr(farm: Farm) -> tuple[XrRouter, EmulatedRouter]:
    router = XrRouter("r1")
    return router, farm.serve(router, terminal=lambda user: XrTerminal(router, user))


@pytest.mark.slow
def test_iosxe_takes_lines_saves_and_shows_them(
    farm: Farm, connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    router, served = serve_xe(farm)
    client = connect(served, "cisco_ios")
    client.send_config_set(["ip access-list extended l", "10 permit ip host 10.0.0.1 any"])
    assert "ip access-list extended l\n 10 permit ip host 10.0.0.1 any" in client.send_command("show running-config")
    # netmiko has read all when nothing more has come for 2 s
    monkeypatch.setattr(client, "send_command_timing", partial(client.send_command_timing, last_read=SHORT_S))
    assert "[OK]" in client.save_config("copy running-config startup-config", confirm=True, confirm_response="")
    router.restart()
    assert router.running.get("ip access-list extended l") is not None


@pytest.mark.slow
def test_a_line_of_iosxe_that_is_cut_off_leaves_the_lines_before_it(farm: Farm, connect: Callable[..., Any]) -> None:
    router, served = serve_xe(farm)
    client = connect(served, "cisco_ios")
    client.config_mode()
    within = {"enter_config_mode": False, "exit_config_mode": False}
    client.send_config_set(["ip access-list extended l", "10 permit ip host 10.0.0.1 any"], **within)
    served.faults.cut_before = served.faults.seen + 1
    client.read_timeout_override = SHORT_S
    with pytest.raises((ReadException, OSError)):
        client.send_config_set(["20 permit ip any any"], **within)
    section = router.running.get("ip access-list extended l")
    assert section is not None
    assert list(section.lines()) == ["10 permit ip host 10.0.0.1 any"]


def test_netmiko_goes_on_after_a_refused_line_unless_told_what_refusals_look_like(
    farm: Farm, connect: Callable[..., Any]
) -> None:
    """Not every refusal begins with a per cent sign."""
    router, served = serve_xe(farm)
    client = connect(served, "cisco_ios")
    lines = ["policy-map p", "class absent", "interface Gi1"]
    assert "class map absent not configured" in client.send_config_set(lines)
    assert router.running.get("interface Gi1") is not None
    with pytest.raises(ConfigInvalidException):
        client.send_config_set(lines, error_pattern="not configured")


def test_iosxr_commits_and_a_failed_commit_raises(farm: Farm, connect: Callable[..., Any]) -> None:
    router, served = serve_xr(farm)
    client = connect(served, "cisco_xr")
    client.send_config_set([*SHUT, "root", "policy-map p", "class absent", "bandwidth percent 10"])
    with pytest.raises(ValueError, match="Failed to commit"):
        client.commit()
    assert router.commits == []
    client.send_config_set(["clear", *SHUT])
    client.commit(confirm=True, confirm_delay=30)
    client.commit()
    router.clock.advance(31)
    router.settle()
    assert router.running.get("interface TenGigE0/0/0/0", "shutdown") is not None


@pytest.mark.slow
def test_netmiko_that_leaves_configuration_mode_during_a_trial_does_not_confirm_it(
    farm: Farm, connect: Callable[..., Any]
) -> None:
    router, served = serve_xr(farm)
    client = connect(served, "cisco_xr")
    client.send_config_set(SHUT)
    client.commit(confirm=True, confirm_delay=30)
    client.read_timeout_override = SHORT_S
    with pytest.raises(ReadTimeout):
        client.exit_config_mode()
    served.call(lambda: router.clock.advance(31))
    served.call(router.settle)
    assert router.running.get("interface TenGigE0/0/0/0", "shutdown") is None


def test_a_trial_of_a_connection_that_was_cut_is_confirmed_by_no_other(farm: Farm, connect: Callable[..., Any]) -> None:
    router, served = serve_xr(farm)
    client = connect(served, "cisco_xr")
    client.send_config_set(SHUT)
    served.faults.cut_after = served.faults.seen + 1
    with pytest.raises((ReadException, OSError)):
        client.commit(confirm=True, confirm_delay=60)
    second = connect(served, "cisco_xr")
    assert "No configuration changes to commit" in second.commit()
    router.clock.advance(61)
    router.settle()
    assert router.running.get("interface TenGigE0/0/0/0", "shutdown") is None


def test_netmiko_takes_any_host_key_unless_told(farm: Farm, connect: Callable[..., Any], tmp_path: Path) -> None:
    _, served = serve_xe(farm)
    known = tmp_path / "known_hosts"
    known.write_text(f"[{served.host}]:{served.port} {served.host_key}\n")
    strict = {"ssh_strict": True, "alt_host_keys": True, "alt_key_file": str(known)}
    connect(served, "cisco_ios", **strict)
    served.change_host_key()
    connect(served, "cisco_ios")
    with pytest.raises(paramiko.SSHException):
        connect(served, "cisco_ios", **strict)


def test_a_refused_password_is_told_from_a_refused_connection(farm: Farm, connect: Callable[..., Any]) -> None:
    _, served = serve_xe(farm)
    served.faults.authentication_refused = True
    with pytest.raises(NetmikoAuthenticationException):
        connect(served, "cisco_ios")
