"""What others announce of transfers: where its files are, and how the receiver of fireflies protects itself."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Annotated

from pydantic import Field

from hntes.settings.names import FilePath
from hntes.settings.section import Section

ExperimentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._/-]{0,63}$")]


class Listen(Section):
    """The receiver of fireflies, `hntes data listen`; it counts the messages that it drops beyond its limits."""

    address: IPv4Address | IPv6Address = IPv4Address("127.0.0.1")
    """local address of the UDP socket"""
    port: Annotated[int, Field(ge=0, le=65_535)] = 10_514
    """UDP port"""
    senders: tuple[IPv4Network | IPv6Network, ...] = ()
    per_sender_per_s: Annotated[int, Field(ge=1, le=100_000)] = 200
    per_s: Annotated[int, Field(ge=1, le=100_000)] = 2000
    max_day_mib: Annotated[int, Field(ge=1, le=1_048_576)] = 256
    file_s: Annotated[int, Field(ge=1, le=3600)] = 60


class Announced(Section):
    """Announcements of transfers: files in FOLDER/SOURCE/DAY."""

    folder: FilePath
    experiments: FilePath | None = None
    endpoints: FilePath | None = None
    rucio_experiment: ExperimentName | None = None
    shorten_wait: bool = False
    slack_s: Annotated[int, Field(ge=0, le=3600)] = 60
    max_read_mib: Annotated[int, Field(ge=1, le=1_048_576)] = 1024
    max_transfers: Annotated[int, Field(ge=1, le=10_000_000)] = 200_000
    listen: Listen = Listen()
