"""The few forms of Protocol Buffers that the speaker's API needs: numbers, octets and messages by field number.

Source: protobuf.dev, "Encoding". Written here, since the generated code of the whole API is many times as long.
"""

from hntes.errors import HntesError

# By field number, in the order in which they came.
Fields = dict[int, list[int | bytes]]

_VARINT, _FIXED64, _OCTETS, _FIXED32 = 0, 1, 2, 5


class MessageError(HntesError, ValueError):
    """Octets that are no message."""


def number(field: int, value: int) -> bytes:
    """A field with an unsigned number, a choice or a yes; nothing where it is 0, as the format has it."""
    return _varint(field << 3 | _VARINT) + _varint(value) if value else b""


def octets(field: int, value: bytes) -> bytes:
    """A field with octets, a text in UTF-8 or a message; it is there even where it is empty."""
    return _varint(field << 3 | _OCTETS) + _varint(len(value)) + value


def fields(message: bytes) -> Fields:
    """The fields of a message; numbers as int, all else as octets.

    Raises:
        MessageError: it is cut off or has a form that is not in use.
    """
    found: Fields = {}
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        value: int | bytes
        if key & 7 == _VARINT:
            value, at = _read_varint(message, at)
        else:
            size, at = _size(message, key & 7, at)
            if at + size > len(message):
                raise MessageError("a message of the speaker is cut off")
            value, at = message[at : at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found


def one_number(message: Fields, field: int) -> int:
    """The number of a field, 0 where there is none."""
    value = message.get(field, [0])[-1]
    return value if isinstance(value, int) else 0


def all_octets(message: Fields, field: int) -> list[bytes]:
    """What stands in a field, which may stand several times."""
    return [each for each in message.get(field, []) if isinstance(each, bytes)]


def one_octets(message: Fields, field: int) -> bytes:
    """The octets of a field, none where it is missing."""
    return (all_octets(message, field) or [b""])[-1]


def _size(message: bytes, form: int, at: int) -> tuple[int, int]:
    if form == _OCTETS:
        return _read_varint(message, at)
    if form == _FIXED64:
        return 8, at
    if form == _FIXED32:
        return 4, at
    raise MessageError(f"a message of the speaker has a field of form {form}")


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    for here in range(at, min(at + 10, len(message))):
        value |= (message[here] & 0x7F) << shift
        shift += 7
        if message[here] < 0x80:
            return value, here + 1
    raise MessageError("a number in a message of the speaker is cut off")
