"""A NETCONF session of ncclient that accepts exactly one host key, of any type that paramiko verifies.

ncclient negotiates for the type of a key (`hostkey_b64`), and for RSA that is `ssh-rsa`: the name of its signature with
SHA-1, which paramiko no longer has. The key is the same for all signatures (RFC 8332, section 3).
"""

import base64
from typing import Any

from ncclient.manager import Manager
from ncclient.operations import RaiseMode
from ncclient.transport import SSHSession
from paramiko import Transport

# RFC 8332, section 3: the public key format `ssh-rsa` serves all of these, which a session tries in this order.
_SIGNATURES = {"ssh-rsa": ("rsa-sha2-512", "rsa-sha2-256", "ssh-rsa")}


def connected(host_key: str, timeout_s: int, handler: Any, **login: Any) -> Manager:
    """A connection to a router that shows the host key.

    Args:
        host_key: The key as `ssh-keyscan` prints it, without the host.
        timeout_s: The time limit of the connection and of each answer.
        handler: ncclient's handler of the kind of router.
        login: As for `SSHSession.connect`: host, port, username, password.

    Raises:
        Exception: any of ncclient, paramiko and the socket; SSHUnknownHostError for another key.
    """
    session = _PinnedSession(handler, host_key)
    try:
        session.connect(timeout=timeout_s, hostkey_verify=True, **login)
    except Exception:
        if session.transport:
            session.close()
        raise
    return Manager(session, handler, timeout=timeout_s, raise_mode=RaiseMode.NONE)


class _PinnedSession(SSHSession):  # type: ignore[misc]
    def __init__(self, handler: Any, host_key: str) -> None:
        super().__init__(handler)
        self._host_keys = _PinnedKey(host_key)

    def load_known_hosts(self, filename: str | None = None) -> None:
        """Loads nothing: what the user trusts elsewhere is not trusted here."""


class _PinnedKey:
    """The part of paramiko's `HostKeys` that ncclient asks."""

    def __init__(self, host_key: str) -> None:
        name, key = host_key.split()[:2]
        self._key = base64.b64decode(key)
        self._algorithms = [each for each in _SIGNATURES.get(name, (name,)) if each in Transport._preferred_keys]

    def lookup(self, _: str) -> dict[str, bytes]:
        """The key by the algorithms to negotiate."""
        return dict.fromkeys(self._algorithms, self._key)

    def check(self, _: str, shown: Any) -> bool:
        return bool(shown.asbytes() == self._key)
