"""Clients of emulated routers without the waits that they have for real networks.

Source: RFC 896 (a small packet is held back until what was sent before it is acknowledged, for which Linux takes up to
40 ms).
"""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from ncclient.transport import session
from paramiko import Transport

from hntes.platforms.cisco import channel

# How often ncclient looks for a request that it is to send (of itself every 0.1 s), and HNTES for more of an answer.
_TICK_S = 0.002
_WAIT_S = 0.001


@contextmanager
def quick_clients() -> Iterator[None]:
    """In this process, ncclient sends requests at once, paramiko (under ncclient and netmiko) each packet, and what a
    command line answers is read at once."""
    start = Transport.start_client

    def start_undelayed(transport: Any, *args: Any, **options: Any) -> None:
        transport.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start(transport, *args, **options)

    with (
        patch.object(session, "TICK", _TICK_S),
        patch.object(channel, "_WAIT_S", _WAIT_S),
        patch.object(Transport, "start_client", start_undelayed),
    ):
        yield
