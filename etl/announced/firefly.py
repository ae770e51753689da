"""SciTags fireflies: messages of a host about one of its flows, at its start, now and then, and at its end.

Source: SciTags, firefly message version 1 (https://scitags.org, schemas/v1.0.0/firefly.schema.json). flowd-go leaves
`start-time` empty at the end of a flow and `current-time` out, so both are optional here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_network

from hntes.etl.announced.document import Fields
from hntes.etl.announced.experiments import MAX_ACTIVITY, MAX_EXPERIMENT
from hntes.etl.announced.source import Announcement, MalformedError, Names

_PROTOCOLS = {"tcp": 6, "udp": 17}
_STATES = ("start", "ongoing", "end")


@dataclass(frozen=True)
class FireflySource:
    """Fireflies, one per line, with or without a syslog header."""

    name: str = "firefly"

    def announcements(self, fields: Fields, names: Names) -> Iterator[Announcement]:
        """The flow that a firefly is about."""
        del names  # it has numbers and addresses
        fields.whole(1, 1, "version")
        state = fields.one_of(_STATES, "flow-lifecycle", "state")
        start_ms = fields.moment_ms("flow-lifecycle", "start-time")
        end_ms = fields.moment_ms("flow-lifecycle", "end-time") if state == "end" else None
        if (start_ms if state == "start" else start_ms or end_ms) is None:
            raise MalformedError("flow-lifecycle has no time of the flow")
        if start_ms is not None and end_ms is not None and end_ms < start_ms:
            raise MalformedError("flow-lifecycle.end-time is before its start-time")
        version = {"ipv4": 4, "ipv6": 6}[fields.one_of(("ipv4", "ipv6"), "flow-id", "afi")]
        source, destination = (fields.address("flow-id", name) for name in ("src-ip", "dst-ip"))
        if {source.version, destination.version} != {version}:
            raise MalformedError("flow-id.afi is not the family of its addresses")
        protocol = _PROTOCOLS[fields.one_of(tuple(_PROTOCOLS), "flow-id", "protocol")]
        source_port, destination_port = (fields.whole(1, 65_535, "flow-id", name) for name in ("src-port", "dst-port"))
        ports = (source_port, destination_port, protocol)
        experiment = fields.whole(1, MAX_EXPERIMENT, "context", "experiment-id")
        activity = fields.whole(1, MAX_ACTIVITY, "context", "activity-id")
        five = (str(source), str(destination), *ports)
        begin = -1 if start_ms is None else start_ms
        yield Announcement(
            key=(*five, experiment, activity, begin, (end_ms or 0) if start_ms is None else -1),
            sources=(ip_network(source),), destinations=(ip_network(destination),), ports=ports,
            both_ways=True, start_ms=start_ms, end_ms=end_ms, experiment=experiment, activity=activity,
            sent_bytes=fields.count("usage", "sent"), received_bytes=fields.count("usage", "received"),
        )  # fmt: skip


SOURCE = FireflySource()
