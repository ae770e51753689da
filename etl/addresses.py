"""IP addresses as two signed 64-bit halves, the lake's form of them."""

import socket
import struct
from ipaddress import IPv4Address, IPv6Address

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hntes.addresses import Address

Int64 = npt.NDArray[np.int64]

_SIGN = 1 << 63
_WRAP = 1 << 64
# ::ffff:0:0/96 holds IPv4 addresses (RFC 4291, section 2.5.5.2).
_IPV4_MAPPED = 0xFFFF
_IPV6_HALVES = struct.Struct(">qq")


def halves(address: Address) -> tuple[int, int]:
    """(hi, lo) as signed 64-bit integers; an IPv4 address is (0, 0..2^32-1)."""
    hi, lo = divmod(int(address), _WRAP)
    return _signed(hi), _signed(lo)


def address_of(ip_version: int, hi: int, lo: int) -> Address:
    """The address of two halves."""
    if ip_version == 4:
        return IPv4Address(lo)
    return IPv6Address(((hi % _WRAP) << 64) | (lo % _WRAP))


def exporter_address(hi: int, lo: int) -> str:
    """An exporter's address as text; exporters are stored without their address family."""
    return str(address_of(4 if hi == 0 and 0 <= lo < 1 << 32 else 6, hi, lo))


def column_halves(texts: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    """(hi, lo, ip_version) of a column of address texts; version 0 where a text is null or no address.

    An IPv4 address that is written as an IPv6 one (::ffff:192.0.2.1) is the IPv4 address.
    """
    encoded = texts.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    table = np.array([text_halves(text) for text in encoded.dictionary.to_pylist()] + [(0, 0, 0)], dtype=np.int64)
    index = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    rows = table[index]
    return rows[:, 0], rows[:, 1], rows[:, 2].astype(np.int8)


def text_halves(text: str | None) -> tuple[int, int, int]:
    """The same of one text."""
    if text is None:
        return 0, 0, 0
    try:
        if ":" not in text:
            return 0, int.from_bytes(socket.inet_pton(socket.AF_INET, text), "big"), 4
        hi, lo = _IPV6_HALVES.unpack(socket.inet_pton(socket.AF_INET6, text))
    except (OSError, ValueError):
        return 0, 0, 0
    if hi == 0 and lo >> 32 == _IPV4_MAPPED:
        return 0, lo & 0xFFFF_FFFF, 4
    return hi, lo, 6


def mapped_halves(hi: Int64, lo: Int64, version: Int64) -> tuple[Int64, Int64, Int64]:
    """Columns of halves with IPv4 addresses that are written as IPv6 ones turned into the IPv4 addresses."""
    is_mapped = (version == 6) & (hi == 0) & (lo >> 32 == _IPV4_MAPPED)
    return hi, np.where(is_mapped, lo & 0xFFFF_FFFF, lo), np.where(is_mapped, 4, version)


def mapped_half_pair(hi: int, lo: int, version: int) -> tuple[int, int]:
    """The same of one address; the given halves are unsigned."""
    if version == 6 and hi == 0 and lo >> 32 == _IPV4_MAPPED:
        return 0, lo & 0xFFFF_FFFF
    return _signed(hi), _signed(lo)


def _signed(half: int) -> int:
    return half - _WRAP if half >= _SIGN else half
