"""The autonomous system of a host: the origin of the longest prefix in a table which holds it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hntes.rules.columns import WIDTHS, Addresses, Whole

NO_AS = "no AS"
_HALF = 64
Keys = npt.NDArray[Any]


@dataclass(frozen=True)
class Origins:
    """The names of origins, NO_AS last, and per IP version and prefix length, the shortest first, the prefixes' keys in
    their order with the places of their origins in `names`.

    A full table of the Internet has 1.2 million prefixes of some 40 lengths.
    """

    names: tuple[str, ...]
    _by_length: Mapping[tuple[int, int], tuple[Keys, Whole]]

    @classmethod
    def of(
        cls, names: Sequence[str], version: Whole, networks: Addresses, lengths: Whole, origin: Whole
    ) -> "Origins":  # fmt: skip
        """From prefixes by rows; `origin` is a place in `names`. Of rows of one prefix the first counts."""
        by_length = {}
        for shape in np.unique(version * 256 + lengths).tolist():
            ip_version, length = divmod(shape, 256)
            rows = np.flatnonzero((version == ip_version) & (lengths == length))
            keys, first = np.unique(_keys(networks.at(rows), ip_version, length), return_index=True)
            by_length[ip_version, length] = (keys, origin[rows[first]])
        return cls((*names, NO_AS), by_length)

    @property
    def prefixes(self) -> int:
        """The number of different prefixes."""
        return sum(len(keys) for keys, _ in self._by_length.values())

    def numbers(self, version: Whole, hosts: Addresses) -> Whole:
        """The origin of each host, as a place in `names`."""
        found = np.full(len(version), len(self.names) - 1, dtype=np.int64)
        for ip_version in WIDTHS:
            rows = np.flatnonzero(version == ip_version)
            _, first, place = np.unique(
                _keys(hosts.at(rows), ip_version, WIDTHS[ip_version]), return_index=True, return_inverse=True
            )
            found[rows] = self._of_different(ip_version, hosts.at(rows[first]))[place.reshape(-1)]
        return found

    def _of_different(self, ip_version: int, hosts: Addresses) -> Whole:
        """The same of hosts of one IP version in their order: in a sorted column those are found in a few strides."""
        found = np.full(len(hosts.lo), len(self.names) - 1, dtype=np.int64)
        for (version, length), (keys, origin) in self._by_length.items():
            if version != ip_version:
                continue
            wanted = _keys(hosts.masked(length, WIDTHS[version]), version, length)
            place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            held = keys[place] == wanted
            found[held] = origin[place[held]]
        return found


def _keys(networks: Addresses, version: int, length: int) -> Keys:
    """One comparable value per network of one length, in the order of addresses: what has bits in one half is a number,
    which is found far faster than 16 bytes are."""
    if version == 4:
        return networks.lo
    if length <= _HALF:
        return networks.hi
    return np.stack([networks.hi, networks.lo], axis=1).astype(">u8").view("S16").reshape(-1)
