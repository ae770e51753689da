"""The prefixes behind the names in announcements: an operator's file in the form of hosts(5).

Names are never looked up in the DNS: a night of a past day gives the same result today, and senders of announcements
do not choose what this machine asks of name servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path

from hntes.addresses import Network, plain
from hntes.etl.announced.source import AnnouncedError

MAX_FILE_BYTES = 16 << 20


@dataclass(frozen=True)
class Endpoints:
    """Prefixes by name; names are compared without case."""

    known: Mapping[str, tuple[Network, ...]] = field(default_factory=dict)

    def prefixes(self, name: str) -> tuple[Network, ...]:
        """Of a name, or of an address; none if it is unknown."""
        try:
            return (ip_network(plain(ip_address(name.strip("[]")))),)
        except ValueError:
            return self.known.get(name.lower().rstrip("."), ())


def read_endpoints(path: Path | None) -> Endpoints:
    """From a file with lines `PREFIX NAME...`; `#` begins a comment.

    Raises:
        AnnouncedError: it cannot be read, or a line is something else.
    """
    if path is None:
        return Endpoints()
    known: dict[str, tuple[Network, ...]] = {}
    for number, line in enumerate(_text(path).splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            prefix = ip_network(words[0])
        except ValueError as cause:
            raise AnnouncedError(f"{path} line {number}: {cause}; write PREFIX NAME...") from cause
        if len(words) == 1:
            raise AnnouncedError(f"{path} line {number}: has no name; write PREFIX NAME...")
        for name in words[1:]:
            key = name.lower().rstrip(".")
            known[key] = (*known.get(key, ()), prefix)
    return Endpoints(known)


def _text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
            raise AnnouncedError(f"{path}: no file of at most {MAX_FILE_BYTES >> 20} MiB; correct announced.endpoints")
        return path.read_text()
    except (OSError, UnicodeError) as cause:
        raise AnnouncedError(f"{path}: cannot be read as text: {cause}") from cause
