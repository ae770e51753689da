"""Rows of a day that repeat records of another metering point of the router.

As in sql/queries/interface_load.sql a flow counts at the point that read most of it on that day. That is one choice per
flow, so all its rows must be there at once: few columns of all rows are read, and compiled code
(crates/lake/src/repeats) keeps 28 bytes of each (56 of IPv6), in memory or, of a large day, in a file in the lake.
"""

import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from hntes import _native
from hntes.etl.engines.hash64 import HOSTS
from hntes.etl.errors import EtlError, LakeError
from hntes.etl.lake.minute_sums import Point
from hntes.etl.lake.row_groups import RowGroup

HELD_BYTES = 96 << 20
# As in compiled code.
_MULTIPLIERS, _MOST_POINTS = 11, 1 << 8
_COLUMNS = (
    "ip_version", *HOSTS, "src_port", "dst_port", "protocol", "exporter_hi", "exporter_lo", "direction",
    "output_interface", "first_ms", "last_ms", "bytes",
)  # fmt: skip


class NotComparableError(EtlError):
    """The metering points cannot be compared in memory."""


class RepeatedRows:
    """The rows of row groups that repeat others."""

    def __init__(self, found: "_native.Repeats", numbers: Mapping[RowGroup, int]) -> None:
        self._found, self._numbers = found, numbers

    def of(self, group: RowGroup) -> npt.NDArray[np.bool_]:
        """Whether each row of a group is one."""
        return np.frombuffer(self._found.of_group(self._numbers[group], group.size), np.bool_)


def repeated_rows(
    lake: Path, groups: Sequence[RowGroup], points: Collection[Point], bounds: tuple[int, int], by_exporter: bool
) -> RepeatedRows:
    """Of the day [bounds[0], bounds[1]), epoch ms, all of whose rows are in `groups`.

    `points` are all metering points that these rows have; without `by_exporter` only their directions are compared.

    Raises:
        NotComparableError: points are very many, or counters are larger than those of any flow.
        LakeError: there is no room beside the lake's parts for what does not fit into memory.
    """
    if len(points) > _MOST_POINTS:
        raise NotComparableError(f"{len(points)} metering points cannot be compared in memory")
    multipliers = [secrets.randbits(64) | 1 for _ in range(_MULTIPLIERS)]
    aside = lake / f".measure-{secrets.token_hex(8)}"
    search = _native.Repeats(_places(points, by_exporter), bounds, HELD_BYTES, multipliers, str(aside))
    for group in groups:
        group.give(search, _COLUMNS)
        if not _is_done(search.add, lake):
            raise NotComparableError(
                "a record has another metering point than its part names, or more bytes than a flow can have"
            )
    if not _is_done(search.finish, lake):
        raise NotComparableError("the bytes of a flow exceed 64 bits")
    return RepeatedRows(search, {group: number for number, group in enumerate(groups)})


def _is_done(step: Callable[[], bool], lake: Path) -> bool:
    try:
        return step()
    except OSError as cause:
        raise LakeError(
            f"{lake}: records of several metering points cannot be put aside there while they are compared: {cause}; "
            "make room (28 bytes for each record of a day, 56 of IPv6)"
        ) from cause


def _places(points: Collection[Point], by_exporter: bool) -> list[tuple[tuple[int, int, int], int]]:
    """Each point in unsigned halves, and its place: of points that read the same the lowest place counts."""
    egress_first = [(-direction, *((hi, lo) if by_exporter else (0, 0))) for hi, lo, direction in points]
    places = {point: place for place, point in enumerate(sorted(set(egress_first)))}
    return [
        ((hi % (1 << 64), lo % (1 << 64), direction % (1 << 32)), places[point])
        for (hi, lo, direction), point in zip(points, egress_first, strict=True)
    ]
