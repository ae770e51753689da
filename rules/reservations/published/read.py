"""Which reservations a JSON document holds: OSCARS connections and L2VPNs, SENSE instances and intents.

Source: OSCARS (github.com/esnet/oscars), classes SimpleConnection, Pipe, L2VPN and Interval; SENSE
(github.com/sdn-sense/sense-o-py-client), models DNCSchema, Connection, ConnectionBandwidth, ConnectionSchedule and
ConnectionTerminals. Both give rates in Mb/s; OSCARS gives times in seconds since 1970.
"""

import json
from dataclasses import dataclass, replace
from typing import Literal

from hntes.rules.reservations.published.fields import Fields, PublishedError
from hntes.timestamps import MomentError, moment_s

Direction = Literal["forward", "reverse"]
_BPS_PER_MBPS = 10**6
# Phases of a connection that stands, and words for service that is guaranteed.
_STANDING = (None, "RESERVED")
_GUARANTEED = "guaranteedCapped"


@dataclass(frozen=True)
class Published:
    """One direction of one connection. `ignored` are the paths of fields that mean nothing here.

    `source` and `destination` are None where the document has no prefixes; `start_s` None: at once.
    """

    external_id: str
    connection_id: str
    owner: str | None
    ticket: str
    source: str | None
    destination: str | None
    rate_bps: int
    start_s: int | None
    end_s: int
    ignored: tuple[str, ...]


def published(text: str, direction: Direction) -> tuple[Published, ...]:
    """All connections of a document, which is one of them, or a list.

    Raises:
        PublishedError: it is none of these, or one of them cannot be a reservation.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise PublishedError("the document is no JSON that can be read") from cause
    listed = content if isinstance(content, list) else [content]
    found = [
        one
        for number, each in enumerate(listed)
        for one in _of(Fields.of(each, f"[{number}]" if isinstance(content, list) else ""), direction)
    ]
    names = [each.external_id for each in found]
    for name in names:
        if names.count(name) > 1:
            raise PublishedError(f"connection {name}: is in the document twice")
    return tuple(found)


def _of(document: Fields, direction: Direction) -> list[Published]:
    if document.has("connectionId"):
        return [_oscars_connection(document, direction)]
    if document.has("qos") and document.has("schedule"):
        return [_oscars_l2vpn(document, direction)]
    if document.has("intents"):
        owner, name = document.text("owner"), document.text("alias")
        intents = [intent.below("json") for intent in document.each("intents")]
        found = [each for intent in intents for each in _sense(intent, direction, owner, name or "")]
        return [replace(each, ignored=document.unasked()) for each in found]
    if document.has("data"):
        return _sense(document, direction, None, document.text("alias") or "")
    raise PublishedError(
        f"{document.path or 'the document'}: is no OSCARS connection (connectionId), OSCARS L2VPN (qos, schedule), "
        "SENSE instance (intents) or SENSE intent (data)"
    )


def _oscars_connection(document: Fields, direction: Direction) -> Published:
    name = document.text("connectionId") or ""
    if (phase := document.text("phase")) not in _STANDING:
        raise PublishedError(f"connection {name}: its phase is {phase}; only RESERVED ones stand")
    pipes = document.each("pipes")
    if len(pipes) != 1:
        raise PublishedError(f"connection {name}: has {len(pipes)} pipes; only one from point to point can be reserved")
    (pipe,) = pipes
    own = pipe.whole("azMbps" if direction == "forward" else "zaMbps")
    both = pipe.whole("mbps")
    mbps = both if own is None else own
    if mbps is None:
        raise PublishedError(f"connection {name}: its pipe has no rate for this direction")
    return Published(
        f"oscars:{name}:{direction}", name, document.text("username"), document.text("description") or "", None, None,
        mbps * _BPS_PER_MBPS, document.whole("begin"), _required(document, "end"), document.unasked(),
    )  # fmt: skip


def _oscars_l2vpn(document: Fields, direction: Direction) -> Published:
    qos, schedule, meta, status = (document.below(name) for name in ("qos", "schedule", "meta", "status"))
    name = document.text("name") or ""
    if not name:
        raise PublishedError(f"{document.at('name')}: is missing; it names the L2VPN")
    if (mode := qos.text("mode")) not in (None, "GUARANTEED"):
        raise PublishedError(f"connection {name}: its qos.mode is {mode}; only GUARANTEED ones are reservations")
    if (phase := status.text("phase")) not in _STANDING:
        raise PublishedError(f"connection {name}: its phase is {phase}; only RESERVED ones stand")
    return Published(
        f"oscars:{name}:{direction}", name, meta.text("username"), meta.text("description") or "", None, None,
        _required(qos, "bandwidth") * _BPS_PER_MBPS, schedule.whole("beginning"), _required(schedule, "ending"),
        document.unasked(),
    )  # fmt: skip


def _sense(intent: Fields, direction: Direction, owner: str | None, alias: str) -> list[Published]:
    data = intent.below("data")
    service = intent.text("service_instance_uuid") or data.text("uuid")
    if not service:
        raise PublishedError(
            f"{intent.at('service_instance_uuid')}: is missing, and {data.at('uuid')} too; one names it"
        )
    connections = data.each("connections")
    if not connections:
        raise PublishedError(f"{data.at('connections')}: there are none")
    found = [_sense_connection(each, direction, service, number) for number, each in enumerate(connections)]
    return [replace(one, owner=owner, ticket=alias, ignored=intent.unasked()) for one in found]


def _sense_connection(connection: Fields, direction: Direction, service: str, number: int) -> Published:
    name = f"{service}/{connection.text('name') or number}"
    bandwidth, schedule, terminals = (
        connection.below("bandwidth"),
        connection.below("schedule"),
        connection.each("terminals"),
    )
    if (given := bandwidth.text("qos_class")) != _GUARANTEED:
        raise PublishedError(f"connection {name}: its qos_class is {given}; only {_GUARANTEED} ones are reservations")
    if len(terminals) != 2:
        raise PublishedError(f"connection {name}: has {len(terminals)} terminals; only two can be reserved between")
    source, destination = map(_only_prefix, terminals if direction == "forward" else reversed(terminals))
    end_s = _instant(schedule, "end")
    if end_s is None:
        raise PublishedError(f"connection {name}: {schedule.at('end')} is missing; a reservation has an end")
    rate_bps = _required(bandwidth, "capacity") * _BPS_PER_MBPS
    start_s = _instant(schedule, "start")
    return Published(f"sense:{name}:{direction}", name, None, "", source, destination, rate_bps, start_s, end_s, ())


def _only_prefix(terminal: Fields) -> str | None:
    """The terminal's prefix, None where it has none or several."""
    given = [terminal.text(name) for name in ("ipv4_prefix_list", "ipv6_prefix_list")]
    found = [part.strip() for text in given if text for part in text.split(",") if part.strip()]
    return found[0] if len(found) == 1 else None


def _instant(schedule: Fields, name: str) -> int | None:
    text = schedule.text(name)
    try:
        return None if text is None else moment_s(text)
    except MomentError as cause:
        raise PublishedError(f"{schedule.at(name)}: {cause}") from cause


def _required(fields: Fields, name: str) -> int:
    value = fields.whole(name)
    if value is None:
        raise PublishedError(f"{fields.at(name)}: is missing")
    return value
