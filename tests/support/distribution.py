"""Tests that share a process when there are several: those of a file, and of files that share something expensive."""

from xdist.scheduler import LoadFileScheduling

# a file -> what it shares with others
SHARED = {
    "tests/e2e/test_spark_night.py": "Spark's one session of a process",
    "tests/integration/test_spark_cluster.py": "Spark's one session of a process",
    "tests/integration/test_spark_ingest.py": "Spark's one session of a process",
    "tests/integration/test_spark_queries.py": "Spark's one session of a process",
    "tests/property/test_gate_mutations.py": "damaged texts",
    "tests/property/test_readback_mutations.py": "damaged texts",
}


class SharingScheduling(LoadFileScheduling):  # type: ignore[misc]
    """As --dist loadfile, with the files above together. (xdist's own groups do not work with pytest 9.2.)"""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return SHARED.get(file, file)
