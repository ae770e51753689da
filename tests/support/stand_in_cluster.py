"""A Spark cluster that this process plays: its jobs are done here, one after another, without Java."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import pytest

from hntes.etl.engines import spark
from hntes.etl.engines.spark import SparkMachines

T = TypeVar("T")
R = TypeVar("R")

# Exchanges texts in the settings of an installation (tests.support.installation).
ON_A_CLUSTER = {
    "[plans.recommended]": '[analytics]\nkind = "spark"\n[analytics.spark]\nmaster = "spark://head:7077"\n\n'
    "[review]\n\n[plans.recommended]"
}


class StandInCluster(SparkMachines):
    """Does each job at once; `made` are all that were made, `patient` says of each job how it waits for executors."""

    made: "list[StandInCluster]"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.patient: list[bool] = []
        self.made.append(self)

    def _each(self, function: Callable[[T], R], tasks: Sequence[T], *, is_check: bool = False) -> Iterator[R]:
        self.patient.append(not is_check)
        return map(function, list(tasks))


def stand_in(monkeypatch: pytest.MonkeyPatch) -> "list[StandInCluster]":
    """Lets contexts make stand-ins for clusters; those that they have made."""
    monkeypatch.setattr(StandInCluster, "made", [], raising=False)
    monkeypatch.setattr(spark, "SparkMachines", StandInCluster)
    return StandInCluster.made
