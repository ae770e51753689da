"""Settings of delivery: windows, parallelism, rollback timer, and access to each router."""

import base64
import binascii
from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from hntes.sanitize import text_problem
from hntes.settings.load import LoadLimits
from hntes.settings.names import Name
from hntes.settings.section import Section
from hntes.settings.snmp import AgentAddress
from hntes.settings.windows import Window

KEY_TYPES = ("ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
Word = Annotated[str, Field(min_length=1, max_length=1000)]


def _printable(probes: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    for word in (word for probe in probes for word in probe):
        if problem := text_problem(word):
            raise ValueError(f"{word!r} {problem}")
    return probes


# Programs with their arguments.
Probes = Annotated[tuple[Annotated[tuple[Word, ...], Field(min_length=1)], ...], AfterValidator(_printable)]


class Delivery(Section):
    """Delivery to all routers, only within `windows` if there are any.

    A router rolls back a commit that is not confirmed within `confirm_minutes`.
    """

    confirm_minutes: Annotated[int, Field(ge=1, le=60)] = 5
    timeout_s: Annotated[int, Field(ge=1, le=3600)] = 60
    probe_timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    max_parallel: Annotated[int, Field(ge=1, le=16)] = 1
    canary: Name | None = None
    canary_minutes: Annotated[int, Field(ge=0, le=1440)] = 0
    windows: tuple[Window, ...] = ()
    load: LoadLimits | None = None

    @model_validator(mode="after")
    def _windows_hold_a_trial(self) -> Self:
        for window in self.windows:
            if window.minutes < self.confirm_minutes:
                raise ValueError(
                    f"windows: {window.start} to {window.end} is shorter than confirm_minutes, {self.confirm_minutes}"
                )
        return self


def require_canary(delivery: Delivery, reached: Sequence[str]) -> None:
    """Raises ValueError if the canary is not among the routers that HNTES reaches."""
    if delivery.canary is not None and delivery.canary not in reached:
        raise ValueError(
            f"delivery.canary: {delivery.canary!r} is not a router with [routers.delivery] or [routers.flowspec]; "
            f"there are: {', '.join(reached) or 'none'}"
        )


def require_own_addresses(reached: Sequence[tuple[str, "Access"]]) -> None:
    """Checks the access of routers with [routers.delivery], by name.

    Raises:
        ValueError: two are the same router; each would overwrite the other's configuration.
    """
    owners: dict[tuple[str, int], str] = {}
    for name, access in reached:
        owner = owners.setdefault((access.address.lower(), access.port), name)
        if owner != name:
            raise ValueError(
                f"router {name}: delivery.address {access.address} port {access.port} is also that of router {owner}; "
                "give each router its own"
            )


class Access(Section):
    """Access to one router, and the probes that must succeed before its commit is confirmed.

    `host_key` is the router's public key as `ssh-keyscan` prints it, without the host. There is no password here: keys
    are taken from the agent or ~/.ssh, a password from HNTES_ROUTER_PASSWORD. A probe is a program with its arguments,
    run on this machine without a shell; exit status 0 means success.
    """

    address: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$")]
    """name or address of the router for SSH or NETCONF"""
    port: Annotated[int, Field(ge=1, le=65_535)]
    user: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,62}$")]
    host_key: str
    probes: Probes = ()
    snmp: AgentAddress | None = None
    """address of its SNMP agent, with or without :PORT: processor and memory are watched ([delivery.load])"""

    @field_validator("host_key")
    @classmethod
    def _a_public_key(cls, key: str) -> str:
        words = key.split()
        try:
            decoded = base64.b64decode(words[1], validate=True) if len(words) in (2, 3) else b""
        except binascii.Error:
            decoded = b""
        if not decoded or words[0] not in KEY_TYPES or words[0].encode() not in decoded[:40]:
            raise ValueError("must be a public host key, such as `ssh-ed25519 AAAA...`; `ssh-keyscan` prints it")
        return key
