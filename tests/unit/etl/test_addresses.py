"""Addresses as two signed halves: nothing is lost on the way there and back."""

from ipaddress import ip_address

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.addresses import Address
from hntes.etl.addresses import address_of, column_halves, exporter_address, halves
from tests.support.addresses import texts_of

addresses = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))


@pytest.mark.parametrize(
    ("text", "hi", "lo"),
    [
        ("0.0.0.1", 0, 1),
        ("255.255.255.255", 0, 2**32 - 1),
        ("10.0.0.1", 0, 167_772_161),
        ("::", 0, 0),
        ("::1", 0, 1),
        ("7fff:ffff:ffff:ffff::", 2**63 - 1, 0),
        ("8000::", -(2**63), 0),
        ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", -1, -1),
        ("2001:db8::8000:0:0:0", 0x20010DB800000000, -(2**63)),
    ],
)
def test_halves_by_hand(text: str, hi: int, lo: int) -> None:
    assert halves(ip_address(text)) == (hi, lo)


@given(addresses)
def test_there_and_back(address: Address) -> None:
    hi, lo = halves(address)
    assert min(hi, lo) >= -(2**63)
    assert max(hi, lo) < 2**63
    assert address_of(address.version, hi, lo) == address


@given(st.lists(st.one_of(st.none(), addresses), max_size=20))
def test_columns_are_the_same_as_single_addresses(given_: list[Address | None]) -> None:
    column = pa.array([None if address is None else str(address) for address in given_], pa.string())
    hi, lo, version = column_halves(column)
    given_ = [getattr(address, "ipv4_mapped", None) or address for address in given_]
    wanted = [(0, 0, 0) if a is None else (*halves(a), a.version) for a in given_]
    assert list(zip(hi.tolist(), lo.tolist(), version.tolist(), strict=True)) == wanted
    known = [number for number, address in enumerate(given_) if address is not None]
    texts = texts_of(version[known].tolist(), hi[known].tolist(), lo[known].tolist())
    assert texts == [str(given_[number]) for number in known]


@pytest.mark.parametrize("text", ["", "10.0.0", "10.0.0.256", "1:2", "::g", "host", "10.0.0.1 ", "fe80::1%eth0"])
def test_what_is_no_address_has_version_0(text: str) -> None:
    assert [column[0] for column in column_halves(pa.array([text]))] == [0, 0, 0]


def test_chunked_columns_keep_their_order() -> None:
    column = pa.chunked_array([["10.0.0.1", "::1"], ["10.0.0.2", "10.0.0.1"]])
    assert column_halves(column)[1].tolist() == [167_772_161, 1, 167_772_162, 167_772_161]


@pytest.mark.parametrize("text", ["192.0.2.1", "2001:db8::1", "0.0.0.1", "255.255.255.255", "fe80::ffff:ffff:ffff"])
def test_exporters_are_told_without_their_family(text: str) -> None:
    assert exporter_address(*halves(ip_address(text))) == text
