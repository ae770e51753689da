"""Messages of a Junos router to ncclient, in whatever pieces they come.

ncclient decodes what has come so far. Where that ends within a character of several bytes, as it may in an operator's
description, the session ends, each time at the same place. Here a message is decoded once it is whole.

Source: RFC 6242, section 4.1 (both sides speak version 1.0 unless both know 1.1) and 4.3 (how its messages end).
"""

from typing import Any

from ncclient.devices.junos import JunosDeviceHandler
from ncclient.transport.errors import SessionError
from ncclient.transport.parser import DefaultXMLParser

_END = b"]]>]]>"
# A message without end is not kept until the memory is full.
LARGEST_BYTES = 200_000_000
_BASE_1_1 = "urn:ietf:params:netconf:base:1.1"


class JunosMessages(JunosDeviceHandler):  # type: ignore[misc]
    """ncclient's knowledge of Junos, for version 1.0 alone."""

    def get_capabilities(self) -> list[str]:
        return [each for each in super().get_capabilities() if each != _BASE_1_1]

    def get_xml_parser(self, session: Any) -> "WholeMessages":
        return WholeMessages(session)


class WholeMessages(DefaultXMLParser):  # type: ignore[misc]
    """Hands each message to the session when all of it has come."""

    def __init__(self, session: Any) -> None:
        super().__init__(session)
        self._received = bytearray()

    def parse(self, data: bytes) -> None:
        looked_at = max(0, len(self._received) - len(_END))
        self._received += data
        if len(self._received) > LARGEST_BYTES:
            raise SessionError(f"a message has more than {LARGEST_BYTES} bytes")
        while (end := self._received.find(_END, looked_at)) >= 0:
            message = self._received[:end].decode()
            del self._received[: end + len(_END)]
            looked_at = 0
            self._session._dispatch_message(message.strip())
