"""What NETCONF sessions of all platforms share: opening with a pinned key, answers as XML, closing."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lxml import etree
from ncclient.transport.errors import AuthenticationError, SSHUnknownHostError

from hntes.platforms.device_errors import UnclearError, UnreachableError
from hntes.platforms.netconf.messages import LARGEST_BYTES
from hntes.platforms.netconf.pinned_session import connected
from hntes.platforms.password import PASSWORD_VARIABLE
from hntes.platforms.ssh_sessions import no_session
from hntes.settings.delivery import Access


class NetconfSession:
    """One session of ncclient's."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._is_lost = False

    def close(self) -> None:
        """Closes the session. After a missing answer only the connection is closed, which also ends session and lock.

        A regular close would wait for another timeout.
        """
        if not self._is_lost:
            with suppress(Exception):  # the connection is closed below in any case
                self._client.close_session()
        self._client._session.close()

    def _answer(self, request: Callable[[], Any]) -> etree._Element:
        """The answer as XML, errors of the router's included.

        Raises:
            UnclearError: no answer, one that is too long, or no XML: what the router has done is unknown.
        """
        try:
            answer = str(request())
            read = etree.fromstring(answer.encode(), _parser()) if len(answer) <= LARGEST_BYTES else None
        except Exception as cause:  # errors of ncclient, paramiko, lxml and the socket
            self._is_lost = True
            raise UnclearError(f"no valid answer ({type(cause).__name__}: {cause})") from cause
        if read is None:
            raise UnclearError(f"the router's answer has {len(answer)} characters; the limit is {LARGEST_BYTES}")
        return read


def opened_client(access: Access, timeout_s: int, handler: Any) -> Any:
    """ncclient's manager of a session with a router that shows the pinned host key.

    Args:
        access: Where the router is, and who logs in.
        timeout_s: The time limit of the connection and of each answer.
        handler: ncclient's handler of the kind of router.

    Raises:
        UnreachableError: no connection, another host key, or a refused login.
    """
    where = f"{access.address} port {access.port}"
    try:
        client = connected(
            access.host_key, timeout_s, handler, host=access.address, port=access.port, username=access.user,
            password=os.environ.get(PASSWORD_VARIABLE),
        )  # fmt: skip
    except SSHUnknownHostError as cause:
        raise UnreachableError(
            f"{where}: host key differs from `host_key` in the settings: it may be another machine"
        ) from cause
    except AuthenticationError as cause:
        raise UnreachableError(
            f"{where}: login of {access.user} refused; is its key in the agent, or {PASSWORD_VARIABLE} set?"
        ) from cause
    except Exception as cause:
        raise no_session(where, cause) from cause
    client.huge_tree = True
    return client


def _parser() -> etree.XMLParser:
    """A parser that drops comments: lxml does not include the text after one in its element's text."""
    return etree.XMLParser(resolve_entities=False, huge_tree=True, remove_comments=True, remove_pis=True)
