"""Messages of a router to ncclient, decoded only when complete.

ncclient decodes partial messages. If one ends within a multi-byte character, as in an operator's description, the
session fails, each time at the same place.

Source: RFC 6242, section 4.1 (both sides speak version 1.0 unless both know 1.1) and 4.3 (how its messages end).
"""

import re
from typing import Any

from ncclient.transport.errors import SessionError
from ncclient.transport.parser import DefaultXMLParser

_END = b"]]>]]>"
# XML 1.0, section 2.2, "Char": as such or as a reference.
_FORBIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01])|x0*(?:[0-8bcef]|1[0-9a-f]));", re.I
)
# An endless message must not fill the memory.
LARGEST_BYTES = 200_000_000
BASE_1_1 = "urn:ietf:params:netconf:base:1.1"


class WholeMessages(DefaultXMLParser):  # type: ignore[misc]
    """Passes each message to the session when it is complete."""

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._received = bytearray()

    def parse(self, data: bytes) -> None:
        looked_at = max(0, len(self._received) - len(_END))
        self._received += data
        if len(self._received) > LARGEST_BYTES:
            raise SessionError(f"a message has more than {LARGEST_BYTES} bytes")
        while (end := self._received.find(_END, looked_at)) >= 0:
            message = _decoded(bytes(self._received[:end]))
            del self._received[: end + len(_END)]
            looked_at = 0
            self._session._dispatch_message(message.strip())


def _decoded(message: bytes) -> str:
    """A message as text: UTF-8, or Latin-1 where an operator's description is in it.

    A control character, which XML 1.0 forbids, is replaced: one in a description would make every answer unreadable.
    """
    try:
        text = message.decode("utf-8")
    except UnicodeDecodeError:
        text = message.decode("latin-1")
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
