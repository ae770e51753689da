"""Bytes that a Spark session has moved so far: the counters of its web page, which exist without that page too."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Traffic:
    """Of all tasks: records read (files and kept views); bytes written to and read from shuffles, spilled to disk."""

    records_read: int = 0
    shuffle_write_bytes: int = 0
    shuffle_read_bytes: int = 0
    spilled_bytes: int = 0

    def __sub__(self, before: "Traffic") -> "Traffic":
        return Traffic(*(getattr(self, one.name) - getattr(before, one.name) for one in fields(self)))


def traffic(session: "SparkSession") -> Traffic:
    """Sums over the session's stages (Spark forgets the oldest beyond spark.ui.retainedStages, 1000)."""
    context = session.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    no_quantiles = session.sparkContext._gateway.new_array(session._jvm.double, 0)  # type: ignore[union-attr]
    stages = context.statusStore().stageList(None, False, False, no_quantiles, None)
    read = [
        (one.inputRecords(), one.shuffleWriteBytes(), one.shuffleReadBytes(), one.diskBytesSpilled())
        for one in (stages.apply(number) for number in range(stages.size()))
    ]
    return Traffic(*(sum(column) for column in zip(*read, strict=True)))
