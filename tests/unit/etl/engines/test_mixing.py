"""Mixed keys: equal for equal values whatever their width, and spread over a table."""

import numpy as np

from hntes.etl.engines.hash64 import mixed, places


def test_equal_values_of_any_width_give_equal_numbers_and_others_do_not() -> None:
    narrow = mixed({"src_port": np.array([1, 2, 1], np.int32), "protocol": np.array([6, 6, 6], np.int16)})
    wide = mixed({"src_port": np.array([1, 2, 1], np.int64), "protocol": np.array([6, 6, 6], np.int64)})
    assert narrow.tolist() == wide.tolist()
    assert narrow[0] == narrow[2] != narrow[1]
    swapped = mixed({"src_lo": np.array([1, 2]), "dst_lo": np.array([2, 1])})
    assert swapped[0] != swapped[1]


def test_a_column_of_zeros_counts_as_any_other() -> None:
    zeros, ones = np.zeros(2, np.int64), np.array([0, 1])
    assert mixed({"src_hi": zeros, "src_lo": ones}).tolist() == mixed({"src_lo": ones}).tolist()
    assert mixed({"src_hi": ones, "src_lo": zeros})[1] != mixed({"src_hi": zeros, "src_lo": ones})[1]


def test_neighbouring_keys_are_spread_over_a_table() -> None:
    hosts = mixed({"src_lo": np.arange(1 << 16), "dst_lo": np.full(1 << 16, 7)})
    taken = np.bincount(places(hosts, 12), minlength=1 << 12)
    assert len(taken) == 1 << 12
    # 16 of each on average
    assert taken.max() <= 32
