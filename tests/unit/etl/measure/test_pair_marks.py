"""Prefix pairs and flows whose hashes meet: what is compared is the addresses."""

from ipaddress import ip_network

import numpy as np
import pytest

from hntes.addresses import Network
from hntes.etl.addresses import halves
from hntes.etl.engines import hash64
from hntes.etl.engines.hash64 import HOSTS, Column, mixed
from hntes.etl.measure.alpha_rows import _FLOW, _moved_ms
from hntes.etl.measure.pair_marks import PairMarks

Pair = tuple[Network, Network]


def pair(source: str, destination: str) -> Pair:
    return ip_network(source), ip_network(destination)


def rows(*hosts: Pair) -> dict[str, Column]:
    """A row for each pair of networks of one host."""
    ends = [(*halves(source.network_address), *halves(destination.network_address)) for source, destination in hosts]
    columns = dict(zip(HOSTS, np.array(ends, np.int64).T, strict=True))
    return {"ip_version": np.array([source.version for source, _ in hosts], np.int8), **columns}


def beside(one: Pair) -> Pair:
    """Another pair of IPv6 hosts with the same hash: a lower half makes up for what the upper one adds."""
    source, destination = one
    factor_hi, factor_lo = hash64._FACTORS["src_hi"], hash64._FACTORS["src_lo"]
    hi, lo = divmod(int(source.network_address), 1 << 64)
    moved = (lo - factor_hi * pow(factor_lo, -1, 1 << 64)) % (1 << 64)
    return ip_network(((hi + 1) << 64 | moved, 128)), destination


ONE = pair("2001:db8::1/128", "2001:db8:1::1/128")


def test_the_marks_of_all_matching_pairs_are_joined() -> None:
    marks = PairMarks({
        pair("198.18.0.0/16", "203.0.113.0/24"): 1, pair("198.18.10.0/24", "203.0.113.0/24"): 2, ONE: 1,
    })  # fmt: skip
    hosts = [
        pair("198.18.10.5", "203.0.113.9"), pair("198.18.11.5", "203.0.113.9"), pair("203.0.113.9", "198.18.10.5"), ONE,
        pair("::198.18.10.5", "::203.0.113.9"),
    ]  # fmt: skip
    assert PairMarks({}).of(rows(*hosts)).tolist() == [0] * 5
    assert marks.of(rows(*hosts)).tolist() == [3, 1, 0, 1, 0]


@pytest.mark.parametrize("marks", [(1, 2), (2, 1)])
def test_pairs_of_one_hash_are_told_apart(marks: tuple[int, int]) -> None:
    other = beside(ONE)
    both = rows(ONE, other, beside(other))
    assert len(np.unique(mixed({name: both[name] for name in HOSTS}))) == 1
    assert PairMarks(dict(zip((ONE, other), marks, strict=True))).of(both).tolist() == [*marks, 0]
    assert PairMarks({ONE: 1}).of(both).tolist() == [1, 0, 0]


def test_flows_of_one_hash_do_not_move_each_others_starts() -> None:
    """Records of two flows whose ends alternate: 10, 30 and 30 of one, 20 and 40 of the other."""
    hosts = rows(*[ONE, beside(ONE)] * 2, ONE)
    others = {name: np.zeros(5, np.int64) for name in _FLOW if name not in hosts}
    columns: dict[str, Column] = {**others, **hosts, "last_ms": np.array([10, 20, 30, 40, 30])}
    assert len(np.unique(mixed({name: columns[name] for name in _FLOW}))) == 1
    assert _moved_ms(columns).tolist() == [0, 0, 10, 20, 10]
