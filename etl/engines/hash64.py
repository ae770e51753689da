"""A 64-bit hash of several columns of a row."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]
Mixed = npt.NDArray[np.uint64]
BITS = 64
# Odd numbers without a pattern.
_FACTORS = {
    "src_hi": 0x9E37_79B9_7F4A_7C15, "src_lo": 0xC2B2_AE3D_27D4_EB4F,
    "dst_hi": 0x1656_67B1_9E37_79F9, "dst_lo": 0x27D4_EB2F_1656_67C5,
    "src_port": 0x8513_4F8B_D5E6_A1C3, "dst_port": 0xD6E8_FEB8_6659_FD93,
    "protocol": 0xA076_1D64_78BD_642F, "first_ms": 0xFF51_AFD7_ED55_8CCD,
    "exporter_hi": 0xE703_7ED1_A0B4_28DB, "exporter_lo": 0x8EBC_6AF0_9C88_C6E3, "direction": 0x5899_65CC_7537_4CC3,
    "exporter_domain": 0x1D8E_4E27_C47D_124F, "ip_version": 0xEB44_ACCA_B455_D165,
    "input_interface": 0x9FB2_1C65_1E98_DF25, "output_interface": 0xB492_B66F_BE98_F273,
}  # fmt: skip
HOSTS = ("src_hi", "src_lo", "dst_hi", "dst_lo")


def mixed(columns: Mapping[str, Column]) -> Mixed:
    """The numbers of rows, by the values of these columns; their highest bits are the best mixed."""
    size = next(iter(columns.values())).size
    total, product = np.zeros(size, np.uint64), np.empty(size, np.uint64)
    for name, values in columns.items():
        # upper halves of IPv4 addresses, mostly
        if size and values[0] == 0 and not values.any():
            continue
        np.multiply(values.astype(np.int64, copy=False).view(np.uint64), np.uint64(_FACTORS[name]), out=product)
        np.add(total, product, out=total)
    return total


def places(of: Mixed, bits: int) -> npt.NDArray[np.intp]:
    """Indexes into a table of 2^`bits` places."""
    # of any other type they would be converted more slowly by what they index
    return (of >> np.uint64(BITS - bits)).astype(np.intp)
