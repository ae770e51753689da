"""Delivery to one router by BGP FlowSpec: the speaker, and the actions on the pairs' packets."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Annotated

from pydantic import Field, field_validator

from hntes.addresses import Address, plain
from hntes.settings.delivery import Probes
from hntes.settings.section import Section
from hntes.settings.snmp import AgentAddress

# DSCP 0 is best effort; CS6 (48) and above is for routing protocols (RFC 2474, RFC 4594).
Dscp = Annotated[int, Field(ge=1, le=47)]


class FlowSpec(Section):
    """Rules for approved pairs are announced through a GoBGP speaker on this machine.

    `speaker` is where its API listens: a loopback address and port, or `unix:` and a socket's path. It serves this
    router alone; `neighbor` is the router's address there. Packets of the pairs are marked with `dscp`, and with
    `redirect` looked up in the routing instance that imports this route target. `community` identifies the rules of
    HNTES. `probes` are as in [routers.delivery].
    """

    speaker: Annotated[str, Field(max_length=200)]
    neighbor: Address
    dscp: Dscp
    community: str
    redirect: str | None = None
    probes: Probes = ()
    snmp: AgentAddress | None = None
    """address of the router's SNMP agent, as in [routers.delivery]"""

    @field_validator("speaker")
    @classmethod
    def _on_this_machine(cls, speaker: str) -> str:
        if speaker.startswith("unix:/") and speaker.isascii() and speaker.isprintable() and " " not in speaker:
            return speaker
        host, _, port = speaker.rpartition(":")
        try:
            is_local = ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
        except ValueError:
            is_local = False
        if not is_local or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise ValueError(
                "must be a loopback address with a port, such as 127.0.0.1:50051, or unix:/PATH: any client of the "
                "speaker's API can announce anything"
            )
        return speaker

    @field_validator("neighbor", mode="before")
    @classmethod
    def _as_text(cls, neighbor: object) -> object:
        if not isinstance(neighbor, str | IPv4Address | IPv6Address):
            raise ValueError('must be an address in quotes, such as "192.0.2.1"')  # noqa: TRY004 - as pydantic wants it
        return neighbor

    @field_validator("neighbor")
    @classmethod
    def _plain(cls, neighbor: Address) -> Address:
        return plain(neighbor)

    @field_validator("community")
    @classmethod
    def _a_community(cls, community: str) -> str:
        asn, number = _two_numbers("community", community)
        if not (0 < asn < 65_535 and number <= 65_535):
            raise ValueError("community: must be ASN:NUMBER of 16 bits each, not one of the well-known (RFC 1997)")
        return community

    @field_validator("redirect")
    @classmethod
    def _a_route_target(cls, redirect: str | None) -> str | None:
        if redirect is not None:
            asn, number = _two_numbers("redirect", redirect)
            if not 0 < asn < 2**32 or number >= 2 ** (16 if asn > 65_535 else 32):
                raise ValueError("redirect: must be ASN:NUMBER; an AS number above 65535 leaves 16 bits for the number")
        return redirect


def require_one_way(name: str, flowspec: FlowSpec | None, *, has_access: bool, redirect: object) -> None:
    """Raises ValueError if a router with FlowSpec also has [routers.delivery] or [routers.redirect]."""
    if flowspec is not None and has_access:
        raise ValueError(f"router {name}: has both [routers.delivery] and [routers.flowspec]; keep one")
    if flowspec is not None and redirect is not None:
        raise ValueError(f"router {name}: [routers.redirect] does not apply to FlowSpec; use flowspec.redirect")


def require_own_speakers(used: Sequence[tuple[str, FlowSpec, str]]) -> None:
    """Checks the FlowSpec settings of routers, by name and with the kinds of their plans.

    Raises:
        ValueError: two have the same speaker, or a plan needs more than a mark.
    """
    owners: dict[str, str] = {}
    for name, flowspec, plan_kind in used:
        if plan_kind != "two_queue":
            raise ValueError(
                f"router {name}: a FlowSpec mark selects a queue, not a policer; give it a plan of kind two_queue"
            )
        if owners.setdefault(flowspec.speaker, name) != name:
            raise ValueError(
                f"router {name}: flowspec.speaker {flowspec.speaker} is that of router {owners[flowspec.speaker]}; "
                "each neighbor of a speaker gets all its rules, so give each router its own"
            )


def _two_numbers(key: str, text: str) -> tuple[int, int]:
    asn, _, number = text.partition(":")
    for each in (asn, number):
        if not (each.isascii() and each.isdecimal() and len(each) <= 10 and str(int(each)) == each):
            raise ValueError(f"{key}: must be ASN:NUMBER, such as 64512:100")
    return int(asn), int(number)
