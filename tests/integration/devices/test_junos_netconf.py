"""An emulated Junos router asked by ncclient, over SSH on loopback."""

import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from ncclient import manager
from ncclient.operations import RPCError, TimeoutExpiredError
from ncclient.transport.errors import AuthenticationError, SessionCloseError, SSHUnknownHostError, TransportError

from tests.support.devices.farm import EmulatedRouter, Farm
from tests.support.devices.junos.device import JunosRouter
from tests.support.devices.junos.rpc import NetconfSession
from tests.support.waiting import wait_until

RENAME = "set system host-name r2"


@pytest.fixture
def router() -> JunosRouter:
    return JunosRouter.with_text("r1", "system { host-name r1; }")


@pytest.fixture
def served(farm: Farm, router: JunosRouter) -> EmulatedRouter:
    return farm.serve(router, netconf=lambda user: NetconfSession(router, user))


@pytest.fixture
def connect(served: EmulatedRouter) -> Iterator[Callable[..., Any]]:
    opened = []

    def opener(**other: Any) -> Any:
        opened.append(
            manager.connect(
                host=served.host, port=served.port, username="hntes", password="secret", timeout=60,
                allow_agent=False, look_for_keys=False, device_params={"name": "junos"},
                **{"hostkey_verify": False, **other},
            )
        )  # fmt: skip
        return opened[-1]

    yield opener
    for session in opened:
        session._session.close()


def host_name(router: JunosRouter) -> str | None:
    return router.active.leaf("system", "host-name")


def rename(client: Any) -> None:
    client.load_configuration(action="set", config=RENAME)


def test_the_capabilities_are_those_of_junos_without_rfc_compliant(connect: Callable[..., Any]) -> None:
    client = connect()
    for name in ("candidate", "confirmed-commit", "validate"):
        assert f":{name}" in client.server_capabilities
    assert "urn:ietf:params:netconf:base:1.1" not in client.server_capabilities


def test_lock_load_compare_confirmed_commit_and_confirmation(connect: Callable[..., Any], router: JunosRouter) -> None:
    client = connect()
    with client.locked(target="candidate"):
        rename(client)
        assert "+  host-name r2;" in client.compare_configuration().tostring.decode()
        client.commit(confirmed=True, timeout=120)
        client.commit()
    router.clock.advance(1e6)
    assert host_name(router) == "r2"


def test_without_a_confirmation_the_router_goes_back_by_itself(
    connect: Callable[..., Any], router: JunosRouter
) -> None:
    client = connect()
    rename(client)
    client.commit(confirmed=True, timeout=90)
    # <confirm-timeout> of <commit-configuration> is in minutes: ncclient rounds 90 s up to 2.
    router.clock.advance(119)
    assert host_name(router) == "r2"
    router.clock.advance(2)
    assert host_name(router) == "r1"


def test_a_standard_confirmed_commit_of_less_than_a_minute_goes_back_at_once(
    connect: Callable[..., Any], router: JunosRouter
) -> None:
    """<commit> of RFC 6241, whose seconds Junos was seen to cut to minutes: ncclient issues 234 and 238."""
    client = connect()
    for seconds, name in ((59, "r1"), (60, "r2")):
        rename(client)
        client.rpc(f"<commit><confirmed/><confirm-timeout>{seconds}</confirm-timeout></commit>")
        assert host_name(router) == name


def test_another_users_lock_is_named(connect: Callable[..., Any], served: EmulatedRouter, router: JunosRouter) -> None:
    served.call(lambda: router.lock(router.open("alice")))
    with pytest.raises(RPCError, match="locked by") as refused:
        connect().lock("candidate")
    assert refused.value.tag == "lock-denied"


def test_a_failed_check_says_where_and_what(connect: Callable[..., Any], router: JunosRouter) -> None:
    client = connect()
    client.load_configuration(action="set", config="set interfaces xe-0/0/0 unit 0 family inet filter input f")
    with pytest.raises(RPCError) as refused:
        client.commit()
    first = refused.value.errors[0]
    assert (first.message, first.path) == (
        "Referenced filter 'f' is not defined",
        "[edit interfaces xe-0/0/0 unit 0 family inet]",
    )
    assert len(router.commits) == 1


def test_a_connection_that_is_cut_before_a_commit_and_one_that_is_cut_after_it_look_alike(
    connect: Callable[..., Any], served: EmulatedRouter, router: JunosRouter
) -> None:
    for cut, name in (("cut_before", "r1"), ("cut_after", "r2")):
        client = connect()
        rename(client)
        setattr(served.faults, cut, served.faults.seen + 1)
        with pytest.raises(SessionCloseError):
            client.commit(confirmed=True, timeout=120)
        assert host_name(router) == name
        served.call(lambda: router.rollback(router.open("alice"), 0))


def test_an_answer_that_never_comes_is_a_timeout_and_the_commit_may_have_been_done(
    connect: Callable[..., Any], served: EmulatedRouter, router: JunosRouter
) -> None:
    client = connect()
    rename(client)
    client.timeout = 0.3
    served.faults.silent_after = 2
    with pytest.raises(TimeoutExpiredError):
        client.commit()
    # on a busy machine the router may come to it later than that
    wait_until(lambda: host_name(router) == "r2", "the router has done it")


def test_a_lock_dies_with_its_connection(
    connect: Callable[..., Any], served: EmulatedRouter, router: JunosRouter
) -> None:
    client = connect()
    client.lock("candidate")
    served.faults.cut_before = 2
    with pytest.raises(SessionCloseError):
        rename(client)
    connect().lock("candidate")
    assert router.lock_holder is not None
    assert router.lock_holder.number == 2


def test_a_wrong_host_key_and_a_refused_password(connect: Callable[..., Any], served: EmulatedRouter) -> None:
    pinned = served.host_key.split()[1]
    connect(hostkey_verify=True, hostkey_b64=pinned)
    served.change_host_key()
    with pytest.raises(SSHUnknownHostError):
        connect(hostkey_verify=True, hostkey_b64=pinned)
    served.faults.authentication_refused = True
    with pytest.raises(AuthenticationError):
        connect()


def test_a_restart_ends_sessions_and_keeps_what_was_committed(
    connect: Callable[..., Any], served: EmulatedRouter, router: JunosRouter
) -> None:
    client = connect()
    rename(client)
    client.commit()
    client.lock("candidate")
    served.restart()
    client.timeout = 5
    # ncclient loses a request that it takes while it learns that the session is gone
    with pytest.raises((TransportError, TimeoutExpiredError)):
        client.commit()
    assert "r2" in connect().get_configuration(format="text").tostring.decode()
    assert router.lock_holder is None


def test_a_restart_is_done_where_the_sessions_that_it_cuts_release_their_locks(
    served: EmulatedRouter, router: JunosRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    restarted_in: list[str] = []
    monkeypatch.setattr(router, "restart", lambda: restarted_in.append(threading.current_thread().name))
    served.restart()
    assert restarted_in == ["routers"]


def test_a_router_waits_for_its_port_if_somebody_has_it(connect: Callable[..., Any], served: EmulatedRouter) -> None:
    served.stop()
    with socket.create_server((served.host, served.port)) as other:
        closing = threading.Timer(0.5, other.close)
        closing.start()
        served.start()
        closing.join()
    connect()


def test_forty_routers_are_served_by_one_thread(farm: Farm) -> None:
    routers = [JunosRouter.with_text(f"r{n}", f"system {{ host-name r{n}; }}") for n in range(40)]
    before = set(threading.enumerate())
    ports = {farm.serve(each, netconf=partial(NetconfSession, each)).port for each in routers}
    assert len(ports) == 40
    # the event loop may add some of its pool
    added = set(threading.enumerate()) - before
    assert len(added) < len(routers)
    assert not any(thread.name == "routers" for thread in added)
