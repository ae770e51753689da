"""Exporters and their sampling."""

from ipaddress import IPv4Address, IPv6Address
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from hntes.addresses import Address, plain
from hntes.settings.section import Section


def _as_text(value: object) -> object:
    """Refuses numbers, which ipaddress accepts as addresses: 1 would be 0.0.0.1."""
    if not isinstance(value, str | IPv4Address | IPv6Address):
        raise ValueError('must be an address in quotes, such as "192.0.2.1" or "2001:db8::1"')  # noqa: TRY004
    return value


def _of_exporter(address: Address) -> Address:
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise ValueError(f"must not have an interface of this machine: write it without %{address.scope_id}")
    return plain(address)


# An exporter's address, in the canonical form of flow files.
ExporterAddress = Annotated[Address, BeforeValidator(_as_text), AfterValidator(_of_exporter)]
SamplingFactor = Annotated[int, Field(ge=1, le=1_000_000)]


class Sampling(Section):
    """One exporter's sampling: 1 packet in `factor`; only this and `allowed_factors` are accepted.

    Records that nfcapd has not multiplied are multiplied by `factor`. `allowed_factors` are those of former days or of
    other line cards.
    """

    exporter: ExporterAddress
    """one of the router's exporters"""
    factor: SamplingFactor
    """1 packet in so many is sampled; 1: all are"""
    allowed_factors: tuple[SamplingFactor, ...] = ()
