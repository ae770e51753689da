"""Redirection of alpha traffic to a next hop or LSP."""

from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hntes.addresses import Network
from hntes.settings.names import InterfaceName, Name
from hntes.settings.next_hops import unusable
from hntes.settings.section import Section


class NextHopRedirect(Section):
    """Alpha traffic leaves by another next hop (filter-based forwarding, ABF, policy-based routing).

    The fallbacks take over on Junos when the next hop is down; ABF and policy routing then use the routing table.
    `port` is the router's core interface by which the packets leave: the gate adds them to its load.
    """

    kind: Literal["next_hop"]
    ipv4: IPv4Address | None = None
    """next hop of IPv4 packets"""
    ipv6: IPv6Address | None = None
    """next hop of IPv6 packets"""
    fallback_ipv4: IPv4Address | None = None
    """Junos: next hop of IPv4 packets while `ipv4` is down"""
    fallback_ipv6: IPv6Address | None = None
    """Junos: next hop of IPv6 packets while `ipv6` is down"""
    port: InterfaceName | None = None

    @model_validator(mode="after")
    def _usable(self) -> Self:
        if self.ipv4 is None and self.ipv6 is None:
            raise ValueError("needs ipv4, ipv6 or both")
        for hop in (self.ipv4, self.ipv6, self.fallback_ipv4, self.fallback_ipv6):
            reason = unusable(hop) if hop is not None else None
            if reason is not None:
                raise ValueError(f"{hop} {reason}: it cannot be a next hop; give the next router's address")
        for name in ("ipv4", "ipv6"):
            first, second = getattr(self, name), getattr(self, f"fallback_{name}")
            if second is not None and first in (None, second):
                raise ValueError(f"fallback_{name} {second} is used when {name} is down; give another next hop")
        return self


class LspRedirect(Section):
    """Alpha traffic leaves by a label-switched path: its name on Junos, the tunnel's interface number on Cisco.

    `routes` are the prefixes that may use the path on Junos, including more specific ones. `port` is the router's core
    interface of the path: the gate adds the redirected packets to its load.
    """

    kind: Literal["lsp"]
    name: Name | None = None
    """Junos: name of the label-switched path"""
    tunnel: Annotated[int, Field(ge=0, le=65_535)] | None = None
    """Cisco: number of the tunnel interface"""
    routes: tuple[Network, ...] = ()
    port: InterfaceName | None = None

    @model_validator(mode="after")
    def _one_at_least(self) -> Self:
        if self.name is None and self.tunnel is None:
            raise ValueError("needs name or tunnel, depending on the router's platform")
        return self


Redirect = Annotated[NextHopRedirect | LspRedirect, Field(discriminator="kind")]
