"""Processor and memory of Junos routers.

Source: JUNIPER-MIB, jnxOperatingTable: jnxOperatingCPU and jnxOperatingBuffer, the use of a part's processor and of its
memory in per cent, "zero if unavailable or inapplicable"; the first number of the index is the kind of part.
"""

from collections.abc import Iterator

from hntes.platforms.load import Answers, LoadObjects, Part, percents

# jnxOperatingContentsIndex of FPCs and of routing engines.
_KINDS = (7, 9)
_TABLE = (1, 3, 6, 1, 4, 1, 2636, 3, 1, 13, 1)


def _parts(answers: Answers, column: str) -> Iterator[Part]:
    for index, part in percents(answers, column, "jnxOperatingDescr"):
        if index[0] in _KINDS and part.pct > 0:
            yield part


LOAD = LoadObjects(
    columns={
        "jnxOperatingDescr": (*_TABLE, 5),
        "jnxOperatingCPU": (*_TABLE, 8),
        "jnxOperatingBuffer": (*_TABLE, 11),
    },
    cpu=lambda answers: _parts(answers, "jnxOperatingCPU"),
    memory=lambda answers: _parts(answers, "jnxOperatingBuffer"),
)
