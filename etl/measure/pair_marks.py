"""The marks of the prefix pairs that match a row's hosts, as in sql/queries/staging/alpha_hosts.sql."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from hntes.addresses import Network
from hntes.etl.addresses import halves
from hntes.etl.engines.hash64 import HOSTS, Column, Mixed, mixed, places

Marks = npt.NDArray[np.uint8]
# (IP version, masks of source and destination in halves)
_Shape = tuple[int, tuple[int, ...]]

_TABLE_BITS = 20


class PairMarks:
    """Looks rows up among prefix pairs, each of which has a mark of some bits."""

    def __init__(self, marks: Mapping[tuple[Network, Network], int]) -> None:
        of_shapes: dict[_Shape, list[tuple[int, ...]]] = {}
        for (source, destination), mark in marks.items():
            shape = (source.version, (*halves(source.netmask), *halves(destination.netmask)))
            networks = (*halves(source.network_address), *halves(destination.network_address))
            of_shapes.setdefault(shape, []).append((*networks, mark))
        self._shapes = [_PairsOfShape(shape, pairs) for shape, pairs in of_shapes.items()]

    def of(self, columns: Mapping[str, Column]) -> Marks:
        """The marks of all pairs that match each row, together; 0 where none does. `columns`: ip_version and HOSTS."""
        found = np.zeros(columns["ip_version"].size, np.uint8)
        for shape in self._shapes:
            shape.mark(found, columns)
        return found


class _PairsOfShape:
    """Pairs of the same lengths: a match is an equality of masked addresses.

    Most rows match none, which a small table says; the others are looked up by their hash and compared.
    """

    def __init__(self, shape: _Shape, pairs: list[tuple[int, ...]]) -> None:
        self._version, masks = shape
        self._masks = dict(zip(HOSTS, masks, strict=True))
        columns = np.array(pairs, np.int64).T
        keys = mixed(dict(zip(HOSTS, columns, strict=False)))
        order = np.argsort(keys)
        self._keys, self._networks = keys[order], dict(zip(HOSTS, columns[:, order], strict=False))
        self._marks = columns[len(HOSTS), order].astype(np.uint8)
        self._may_be = np.zeros(1 << _TABLE_BITS, np.bool_)
        self._may_be[places(keys, _TABLE_BITS)] = True
        # of one hash
        self._most_alike = int(np.unique(keys, return_counts=True)[1].max())

    def mark(self, found: Marks, columns: Mapping[str, Column]) -> None:
        """Adds the marks of these pairs to those of the rows that they match."""
        keys = mixed({name: columns[name] & mask for name, mask in self._masks.items()})
        may_be = self._may_be[places(keys, _TABLE_BITS)] & (columns["ip_version"] == self._version)
        rows = np.flatnonzero(may_be)
        if rows.size:
            hosts = {name: columns[name][rows] & mask for name, mask in self._masks.items()}
            found[rows] |= self._marks_of(keys[rows], hosts)

    def _marks_of(self, keys: Mixed, hosts: Mapping[str, Column]) -> Marks:
        found = np.zeros(keys.size, np.uint8)
        first = np.searchsorted(self._keys, keys)
        for step in range(self._most_alike):
            at = np.minimum(first + step, self._keys.size - 1)
            is_equal = np.logical_and.reduce([self._networks[name][at] == hosts[name] for name in HOSTS])
            found[is_equal] |= self._marks[at[is_equal]]
        return found
