"""Reservations in JSON documents of other systems: OSCARS connections and L2VPNs, SENSE instances and intents.

Source: OSCARS (github.com/esnet/oscars), classes SimpleConnection, Pipe, L2VPN and Interval; SENSE
(github.com/sdn-sense/sense-o-py-client), models DNCSchema, Connection, ConnectionBandwidth, ConnectionSchedule and
ConnectionTerminals. Both give rates in Mb/s; OSCARS gives times in seconds since 1970, SENSE as texts.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from hntes.errors import HntesError
from hntes.timestamps import TimestampError, parse_timestamp

Direction = Literal["forward", "reverse"]
_BPS_PER_MBPS = 10**6


class PublishedError(HntesError, ValueError):
    """A document that cannot be read as a reservation; the message names the field and what to do."""


@dataclass(frozen=True)
class Published:
    """One direction of one connection. `ignored` are the paths of ignored fields.

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
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Format:
    """The paths of a reservation's fields in one kind of connection.

    `forward` and `reverse` are those of the rate, the first that is there. A connection is a reservation with one of
    the `accepted` values of some fields, and with that `length` of a list.
    """

    system: str
    name: str
    forward: tuple[str, ...]
    reverse: tuple[str, ...]
    start: str
    end: str
    accepted: tuple[tuple[str, tuple[str | None, ...]], ...]
    length: tuple[str, int] | None = None
    owner: str | None = None
    ticket: str | None = None


_OSCARS_CONNECTION = _Format(
    "oscars", "connectionId", ("pipes[0].azMbps", "pipes[0].mbps"), ("pipes[0].zaMbps", "pipes[0].mbps"), "begin",
    "end", (("phase", (None, "RESERVED")),), ("pipes", 1), "username", "description",
)  # fmt: skip
_OSCARS_L2VPN = _Format(
    "oscars", "name", ("qos.bandwidth",), ("qos.bandwidth",), "schedule.beginning", "schedule.ending",
    (("qos.mode", (None, "GUARANTEED")), ("status.phase", (None, "RESERVED"))), None, "meta.username",
    "meta.description",
)  # fmt: skip
_SENSE = _Format(
    "sense", "name", ("bandwidth.capacity",), ("bandwidth.capacity",), "schedule.start", "schedule.end",
    (("bandwidth.qos_class", ("guaranteedCapped",)),), ("terminals", 2),
)  # fmt: skip


def published(text: str, direction: Direction) -> tuple[Published, ...]:
    """All connections of a document, which is one of them, or a list.

    Raises:
        PublishedError: it is none of these, or one of them cannot be a reservation.
    """
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as cause:
        raise PublishedError("the document is not valid JSON") from cause
    bases = [f"[{number}]" for number in range(len(content))] if isinstance(content, list) else [""]
    fields = _Fields(content)
    found = [one for base in bases for one in _connections(fields, base, direction)]
    names = [each.external_id for each in found]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise PublishedError(f"connection {double}: occurs twice in the document")
    return tuple(found)


def _connections(fields: "_Fields", base: str, direction: Direction) -> list[Published]:
    """The connections of the document at `base`."""

    def has(name: str) -> bool:
        return fields.find(f"{base}.{name}") is not None

    if has("connectionId"):
        found = [_connection(fields, base, _OSCARS_CONNECTION, direction)]
    elif has("qos") and has("schedule"):
        found = [_connection(fields, base, _OSCARS_L2VPN, direction)]
    elif has("intents"):
        intents = [f"{base}.intents[{number}].json" for number in range(fields.length(f"{base}.intents"))]
        owner = fields.text(f"{base}.owner")
        found = [replace(one, owner=owner) for intent in intents for one in _of_intent(fields, intent, direction)]
    elif has("data"):
        found = list(_of_intent(fields, base, direction))
    else:
        raise PublishedError(
            f"{base or 'the document'}: is not an OSCARS connection (connectionId), OSCARS L2VPN (qos, schedule), "
            "SENSE instance (intents) or SENSE intent (data)"
        )
    if has("intents") or has("data"):
        found = [replace(one, ticket=fields.text(f"{base}.alias") or "") for one in found]
    ignored = tuple(fields.unread(base))
    return [replace(one, ignored=ignored) for one in found]


def _of_intent(fields: "_Fields", base: str, direction: Direction) -> Iterator[Published]:
    paths = (f"{base}.service_instance_uuid", f"{base}.data.uuid")
    service = fields.text(paths[0]) or fields.text(paths[1])
    if not service:
        raise PublishedError(f"{fields.shown(paths[0])} and {fields.shown(paths[1])}: are missing; one is needed")
    connections = f"{base}.data.connections"
    if not fields.length(connections):
        raise PublishedError(f"{fields.shown(connections)}: is empty")
    for number in range(fields.length(connections)):
        path = f"{connections}[{number}]"
        found = _connection(fields, path, _SENSE, direction, f"{service}/{fields.text(f'{path}.name') or number}")
        ends = [_only_prefix(fields, f"{path}.terminals[{end}]") for end in (0, 1)]
        source, destination = ends if direction == "forward" else ends[::-1]
        yield replace(found, source=source, destination=destination)


def _connection(fields: "_Fields", base: str, known: _Format, direction: Direction, name: str = "") -> Published:
    name = name or fields.text(f"{base}.{known.name}") or ""
    if not name:
        raise PublishedError(f"{fields.shown(f'{base}.{known.name}')}: is missing; it is the connection's name")
    for path, accepted in known.accepted:
        if (given := fields.text(f"{base}.{path}")) not in accepted:
            raise PublishedError(f"connection {name}: its {path} is {given}; only {accepted[-1]} ones are reservations")
    if known.length is not None:
        path, length = known.length
        if (count := fields.length(f"{base}.{path}")) != length:
            raise PublishedError(f"connection {name}: has {count} {path}; a reservation has {length}")
    rates = [fields.whole(f"{base}.{path}") for path in (known.forward if direction == "forward" else known.reverse)]
    rate_mbps = next((rate for rate in rates if rate is not None), None)
    start_s, end_s = (fields.moment_s(f"{base}.{path}") for path in (known.start, known.end))
    if rate_mbps is None or end_s is None:
        missing = "rate for this direction" if rate_mbps is None else f"end ({known.end})"
        raise PublishedError(f"connection {name}: no {missing}")
    owner, ticket = (fields.text(f"{base}.{path}") if path else None for path in (known.owner, known.ticket))
    return Published(
        f"{known.system}:{name}:{direction}", name, owner, ticket or "", None, None, rate_mbps * _BPS_PER_MBPS, start_s,
        end_s,
    )  # fmt: skip


def _only_prefix(fields: "_Fields", base: str) -> str | None:
    """The prefix of a terminal, None where it has none or several."""
    texts = [fields.text(f"{base}.{name}") or "" for name in ("ipv4_prefix_list", "ipv6_prefix_list")]
    found = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    return found[0] if len(found) == 1 else None


class _Fields:
    """The fields of a JSON document by paths such as `.pipes[0].mbps`; those that were read are known."""

    def __init__(self, content: object) -> None:
        self._content = content
        self._read: set[str] = set()

    @staticmethod
    def shown(path: str) -> str:
        """A path in messages."""
        return path.removeprefix(".") or "the document"

    def text(self, path: str) -> str | None:
        """A text, None where there is none."""
        value = self._value(path)
        if value is not None and not isinstance(value, str):
            raise PublishedError(f"{self.shown(path)}: must be a string")
        return value

    def whole(self, path: str) -> int | None:
        """A whole number, also as 1.0 or in quotes, None where there is none."""
        value = self._value(path)
        if value is None:
            return None
        if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 18:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            raise PublishedError(f"{self.shown(path)}: must be a whole number")
        return int(value)

    def moment_s(self, path: str) -> int | None:
        """Seconds since 1970, from a whole number or an RFC 3339 timestamp; None if missing."""
        value = self.find(path)
        if not isinstance(value, str) or value.isdecimal():
            return self.whole(path)
        self._read.add(path)
        try:
            return parse_timestamp(value)
        except TimestampError as cause:
            raise PublishedError(f"{self.shown(path)}: {cause}") from cause

    def length(self, path: str) -> int:
        """The number of entries of a list, 0 where there is none."""
        value = self.find(path)
        if value is not None and not isinstance(value, list):
            raise PublishedError(f"{self.shown(path)}: must be a list")
        return len(value or ())

    def unread(self, path: str) -> Iterator[str]:
        """The paths of all nonempty fields below that were not read, in order."""
        return self._unread(self.find(path), path)

    def find(self, path: str) -> object:
        """The value at a path, None where there is none."""
        found, done = self._content, ""
        for step, name, index in re.findall(r"(\.([^.\[]+)|\[(\d+)\])", path):
            if found is None:
                return None
            if not isinstance(found, dict if name else list):
                raise PublishedError(f"{self.shown(done)}: must be {'an object' if name else 'a list'}")
            found = found.get(name) if isinstance(found, dict) else dict(enumerate(found)).get(int(index))
            done += step
        return found

    def _value(self, path: str) -> object:
        self._read.add(path)
        return self.find(path)

    def _unread(self, value: object, path: str) -> Iterator[str]:
        if value is None or path in self._read:
            return
        if not any(read.startswith((f"{path}.", f"{path}[")) for read in self._read):
            yield self.shown(path)
        elif isinstance(value, dict):
            for name, each in value.items():
                yield from self._unread(each, f"{path}.{name}")
        elif isinstance(value, list):
            for number, each in enumerate(value):
                yield from self._unread(each, f"{path}[{number}]")
