"""JSON messages from anybody: parsed within bounds, and read field by field with ranges."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from typing import Any

from hntes.addresses import Address, Network, plain
from hntes.etl.announced.source import MalformedError

# A firefly fits into one datagram; messages of schedulers have metadata of users.
MAX_MESSAGE_BYTES = 65_536
_MAX_DEPTH = 16
# A syslog header before the JSON object: RFC 5424 allows 48 + 255 + 48 + 128 + 32 characters, and structured data.
_MAX_HEADER_BYTES = 1024
MAX_COUNT = 2**63 - 1
_FIRST_MS, _PAST_MS = 946_684_800_000, 4_102_444_800_000  # 2000-01-01, 2100-01-01
_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {"dict": "an object", "list": "a list", "str": "a text"}
_DIGITS = re.compile(r"[0-9]{1,19}")


class Fields:
    """An object in a message; a path is the names from there on."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    def has(self, *path: str) -> bool:
        return self._find(path) is not None

    def object(self, *path: str) -> "Fields":
        """An object.

        Raises:
            MalformedError: it is missing, or something else; likewise for all others.
        """
        return Fields(_required(self._find(path), dict, path))

    def objects(self, *path: str, at_most: int = 1000) -> Iterator["Fields"]:
        """The objects of a list of at most so many; none if it is missing."""
        found = self._find(path)
        listed = [] if found is None else _required(found, list, path)
        if len(listed) > at_most:
            raise MalformedError(f"{_shown(path)} has {len(listed)} entries, more than {at_most}")
        return (Fields(_required(each, dict, path)) for each in listed)

    def text(self, *path: str) -> str:
        """A text, "" where there is none."""
        found = self._find(path)
        return "" if found is None else str(_required(found, str, path))

    def one_of(self, known: tuple[str, ...], *path: str) -> str:
        """One of these words."""
        found = self.text(*path)
        if found not in known:
            raise MalformedError(f"{_shown(path)} is none of {', '.join(known)}")
        return found

    def reference(self, *path: str) -> str:
        """An identifier, "" where there is none that can be shown as it is."""
        found = self._find(path)
        return found if isinstance(found, str) and _REFERENCE.fullmatch(found) else ""

    def whole(self, least: int, most: int, *path: str) -> int:
        """A whole number within a range; digits in quotes, as some senders write it, are one."""
        found = self.count(*path, most=most)
        if found is None or found < least:
            raise MalformedError(f"{_shown(path)} must be a whole number from {least} to {most}")
        return found

    def count(self, *path: str, most: int = MAX_COUNT) -> int | None:
        """A whole number from 0 to `most`, None where there is none."""
        found = self._find(path)
        if found is None:
            return None
        if isinstance(found, str) and _DIGITS.fullmatch(found):
            found = int(found)
        if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= most:
            raise MalformedError(f"{_shown(path)} must be a whole number from 0 to {most}")
        return found

    def moment_ms(self, *path: str, unit_ms: int = 1) -> int | None:
        """Epoch ms of ISO 8601 text (UTC without an offset) or of a number of `unit_ms`; None where there is none.

        The range is the years 2000 to 2099; 0 and "" are none.
        """
        found = self._find(path)
        if found is None or found in ("", 0, "0"):
            return None
        if isinstance(found, str) and not _DIGITS.fullmatch(found):
            found_ms = _ms_of(found, path)
        else:
            found_ms = self.whole(0, _PAST_MS, *path) * unit_ms
        if not _FIRST_MS <= found_ms < _PAST_MS:
            raise MalformedError(f"{_shown(path)} is not in the years 2000 to 2099")
        return found_ms

    def address(self, *path: str) -> Address:
        """An address; an IPv4 address in IPv6 form is the IPv4 address."""
        found = self.text(*path)
        try:
            address = ip_address(found)
        except ValueError:
            raise MalformedError(f"{_shown(path)} is no IP address") from None
        if getattr(address, "scope_id", None) is not None:
            raise MalformedError(f"{_shown(path)} has an interface of its sender")
        return plain(address)

    def prefixes(self, *path: str, at_most: int = 32) -> tuple[Network, ...]:
        """Prefixes in a text, with commas between them."""
        texts = [part.strip() for part in self.text(*path).split(",") if part.strip()]
        try:
            return tuple(ip_network(text) for text in texts[:at_most])
        except ValueError:
            raise MalformedError(f"{_shown(path)} has something that is no prefix") from None

    def _find(self, path: tuple[str, ...]) -> Any:
        found: Any = self._content
        for place, name in enumerate(path):
            found = _required(found, dict, path[:place]).get(name)
            if found is None:
                return None
        return found


def message_of(line: bytes) -> Fields:
    """The object of a message, which may have a syslog header (RFC 5424, RFC 3164, or parts of one) before it.

    Raises:
        MalformedError: it is no JSON object, or larger or deeper than any sender's.
    """
    begin = line.find(b"{", 0, _MAX_HEADER_BYTES)
    if begin < 0:
        raise MalformedError("has no JSON object")
    if len(line.rstrip()) > MAX_MESSAGE_BYTES:
        raise MalformedError(f"has more than {MAX_MESSAGE_BYTES} bytes")
    return Fields(_required(parsed(line[begin:], MAX_MESSAGE_BYTES), dict, ()))


def objects_of(content: bytes, most_bytes: int) -> list[Fields]:
    """The objects of a whole file: it is one, or a list of them.

    Raises:
        MalformedError: it is neither, or larger or deeper than any sender's.
    """
    found = parsed(content, most_bytes)
    listed = found if isinstance(found, list) else [found]
    return [Fields(_required(each, dict, ())) for each in listed]


def parsed(content: bytes, most_bytes: int) -> object:
    """JSON in UTF-8, without NaN and infinity.

    Raises:
        MalformedError: it is not, or is larger than so many bytes, or deeper than any sender's.
    """
    if len(content.rstrip()) > most_bytes:
        raise MalformedError(f"has {len(content)} bytes, more than {most_bytes}")
    if _depth_beyond(content):
        raise MalformedError(f"is nested more than {_MAX_DEPTH} deep")
    try:
        return json.loads(content.decode(), parse_constant=_no_number, parse_int=_bounded)
    except (ValueError, RecursionError) as cause:
        raise MalformedError("is no JSON in UTF-8") from cause


def _depth_beyond(content: bytes) -> bool:
    """By brackets outside of texts: the parser itself would recurse as deep as it is told."""
    depth, in_text, is_escaped = 0, False, False
    for byte in content if content.count(b"{") + content.count(b"[") > _MAX_DEPTH else b"":
        if in_text:
            is_escaped, in_text = (byte == 0x5C and not is_escaped), byte != 0x22 or is_escaped
        elif byte == 0x22:
            in_text = True
        elif byte in b"{[":
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif byte in b"}]":
            depth -= 1
    return False


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON (RFC 8259, section 6)")


def _bounded(digits: str) -> int:
    """Longer ones are out of every range, and would take time by the square of their length."""
    return int(digits) if len(digits) <= 20 else -1


def _ms_of(text: str, path: tuple[str, ...]) -> int:
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return (aware - _EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        raise MalformedError(f"{_shown(path)} is no time") from None


def _required(found: Any, kind: type[Any], path: tuple[str, ...]) -> Any:
    if not isinstance(found, kind):
        raise MalformedError(f"{_shown(path)} must be {_KINDS[kind.__name__]}")
    return found


def _shown(path: tuple[str, ...]) -> str:
    return ".".join(path) or "the message"
