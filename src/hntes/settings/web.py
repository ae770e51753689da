"""The settings of the review page: address, accounts, proxies and sessions."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, field_validator, model_validator

from hntes.sanitize import text_problem
from hntes.settings.oidc import Oidc
from hntes.settings.section import Section

# Names of the local machine in URLs.
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Web(Section):
    """The review page, `hntes web`.

    `origin` is the public URL, `https://HOST[:PORT]`; None: plain HTTP on this machine only. `user_header` is accepted
    from `trusted_proxies` only; of these users the `operators` may decide, all others only read.
    """

    listen: IPv4Address | IPv6Address = IPv4Address("127.0.0.1")
    """local address on which the page listens"""
    port: Annotated[int, Field(ge=1, le=65_535)] = 8440
    """TCP port"""
    origin: str | None = None
    accounts: Path = Path("var/web-accounts.json")
    tokens: Path = Path("var/web-tokens.json")
    anonymous_read: bool = False
    api_changes_per_hour: Annotated[int, Field(ge=1, le=100_000)] = 120
    """most decisions, pins and exclusions of one API token within an hour"""
    session_hours: Annotated[int, Field(ge=1, le=168)] = 12
    idle_minutes: Annotated[int, Field(ge=5, le=10_080)] = 60
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    user_header: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9-]*$")] = "X-Forwarded-User"
    operators: tuple[str, ...] = ()
    oidc: Oidc | None = None

    @field_validator("origin")
    @classmethod
    def _scheme_and_host_alone(cls, origin: str | None) -> str | None:
        if origin is None:
            return None
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.hostname or origin != f"{parts.scheme}://{parts.netloc}":
            raise ValueError("must be https://HOST or https://HOST:PORT, without a path")
        if "@" in parts.netloc or origin != origin.lower():
            raise ValueError("must have no user and no capital letters, as browsers send it")
        if parts.scheme == "https" and (parts.port == 443 or parts.netloc.endswith(":")):
            raise ValueError("leave out :443: browsers do not send the default port, and nobody would get in")
        if parts.scheme == "http" and _bracketed(parts.hostname) not in LOOPBACK_NAMES:
            raise ValueError("is not https: passwords and sessions would cross the network in the clear")
        return origin

    @field_validator("operators")
    @classmethod
    def _printable(cls, operators: tuple[str, ...]) -> tuple[str, ...]:
        for name in operators:
            if not name.strip() or text_problem(name):
                raise ValueError(f"{name!r} is not a valid name; write one line of printable characters")
        return operators

    @model_validator(mode="after")
    def _no_plain_text_on_a_network(self) -> Self:
        if self.origin is None and not self.listen.is_loopback:
            raise ValueError(
                f"listen is {self.listen}, so the page is reached from other machines: put a proxy with a certificate "
                "in front of it, and set its URL as origin, https://HOST"
            )
        return self

    @property
    def is_secure(self) -> bool:
        """Whether browsers access the page by HTTPS."""
        return self.origin is not None and self.origin.startswith("https:")

    @property
    def origins(self) -> tuple[str, ...]:
        """The origins that browsers send with a form of this page; the local machine has several names."""
        if self.origin is not None and self.is_secure:
            return (self.origin,)
        port = urlsplit(self.origin).port or 80 if self.origin else self.port
        return tuple(f"http://{name}{'' if port == 80 else f':{port}'}" for name in LOOPBACK_NAMES)

    def trusts(self, address: str) -> bool:
        """Whether a connection from this address is one of the proxies'."""
        try:
            peer = ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self.trusted_proxies if network.version == peer.version)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
