"""Reservations of circuits by OSCARS and SENSE: who may send between which ends, and when.

Only ends and times are read here; what it takes to book a connection is in hntes.rules.reservations.published.
Source: OSCARS (github.com/esnet/oscars), classes SimpleConnection, Fixture and Interval; SENSE
(github.com/sdn-sense/sense-o-py-client), models Connection, ConnectionSchedule and ConnectionTerminals.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hntes.addresses import Network
from hntes.etl.announced.document import Fields
from hntes.etl.announced.source import Announcement, MalformedError, Names

_SECOND_MS = 1000


@dataclass(frozen=True)
class OscarsSource:
    """Connections of OSCARS: the ends are ports, whose prefixes `endpoints` gives."""

    name: str = "oscars"

    def announcements(self, fields: Fields, names: Names) -> Iterator[Announcement]:
        """The connection, if it is reserved, from each of its ports to each other."""
        reference = fields.reference("connectionId")
        if not reference:
            raise MalformedError("connectionId is missing, or no identifier")
        if fields.text("phase") not in ("", "RESERVED"):
            return
        times = tuple(fields.moment_ms(name, unit_ms=_SECOND_MS) for name in ("begin", "end"))
        ports = [names.endpoints.prefixes(one.text("port")) for one in fields.objects("fixtures", at_most=100)]
        yield _circuit((reference,), ports, times, reference)


@dataclass(frozen=True)
class SenseSource:
    """Instances of SENSE: the ends are prefixes, or names whose prefixes `endpoints` gives."""

    name: str = "sense"

    def announcements(self, fields: Fields, names: Names) -> Iterator[Announcement]:
        """The connections of the instance's intents."""
        for intent in fields.objects("intents", at_most=100):
            document = intent.object("json")
            reference = document.reference("service_instance_uuid")
            if not reference:
                raise MalformedError("intents.json.service_instance_uuid is missing, or no identifier")
            for number, one in enumerate(document.objects("data", "connections", at_most=100)):
                times = tuple(one.moment_ms("schedule", name) for name in ("start", "end"))
                ends = [_terminal(end, names) for end in one.objects("terminals", at_most=100)]
                yield _circuit((reference, number), ends, times, reference)


def _terminal(end: Fields, names: Names) -> tuple[Network, ...]:
    given = (*end.prefixes("ipv4_prefix_list"), *end.prefixes("ipv6_prefix_list"))
    return given or names.endpoints.prefixes(end.text("uri"))


def _circuit(
    key: tuple[str | int, ...], ends: list[tuple[Network, ...]], times_ms: tuple[int | None, ...], reference: str
) -> Announcement:
    """Between two ends, in both directions; of a circuit with more, between the first and the others."""
    start_ms, end_ms = times_ms
    if len(ends) < 2:
        raise MalformedError("the circuit has fewer than two ends")
    others = tuple(prefix for end in ends[1:] for prefix in end)
    return Announcement(
        key=key, sources=ends[0], destinations=others, both_ways=True, start_ms=start_ms, end_ms=end_ms,
        reference=reference,
    )  # fmt: skip


OSCARS = OscarsSource()
SENSE = SenseSource()
