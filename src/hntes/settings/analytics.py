"""Where flows are worked on: this machine or Spark's executors; and the limits of DuckDB's queries there."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from hntes.settings.section import Section

MASTER = re.compile(
    r"local(\[(\d+|\*)\])?"
    r"|spark://[A-Za-z0-9._-]+:\d+(,[A-Za-z0-9._-]+:\d+)*"
    r"|sc://[A-Za-z0-9._-]+(:\d+)?(/;user_id=[A-Za-z0-9._-]+)?"
    r"|yarn|k8s://[A-Za-z0-9._:/-]+"
)
# A value reaches Spark's command line, where every user of the machine can read it.
_SECRET = re.compile(r"(secret|passw|token|credential|access\.key|private)", re.IGNORECASE)
_CONF_KEY = re.compile(r"spark\.[A-Za-z0-9_.-]+")

# Set by HNTES: keys of its own say them, or another value would open a port to the network.
FIXED_CONF = frozenset(
    {
        "spark.master",
        "spark.app.name",
        "spark.driver.memory",
        "spark.executor.memory",
        "spark.cores.max",
        "spark.ui.enabled",
    }
)
MemoryMb = Annotated[int, Field(ge=512, le=1_048_576)]


class Spark(Section):
    """Master and sizes of Spark; used with kind "spark"."""

    master: str = "local[2]"
    driver_memory_mb: MemoryMb = 1024
    """memory of the driver, MiB"""
    executor_memory_mb: MemoryMb = 1024
    """memory of each executor, MiB"""
    max_cores: Annotated[int, Field(ge=1, le=100_000)] = 4
    executor_wait_s: Annotated[int, Field(ge=10, le=86_400)] = 1800
    job_wait_s: Annotated[int, Field(ge=10, le=86_400)] = 120
    conf: dict[str, str] = {}  # noqa: RUF012 - pydantic copies defaults
    """further properties of Spark; secrets belong in Spark's own configuration"""

    @field_validator("master")
    @classmethod
    def _known_form(cls, master: str) -> str:
        if not MASTER.fullmatch(master):
            raise ValueError(
                "must be local[N], spark://HOST:PORT (standalone), sc://HOST:PORT (Spark Connect), yarn or k8s://..."
            )
        return master

    @field_validator("conf")
    @classmethod
    def _harmless(cls, conf: dict[str, str]) -> dict[str, str]:
        for key in conf:
            if not _CONF_KEY.fullmatch(key):
                raise ValueError(f"{key!r} is not a Spark property: these begin with spark.")
            if key in FIXED_CONF:
                raise ValueError(f"{key} is set by HNTES itself; remove it")
            if _SECRET.search(key):
                raise ValueError(
                    f"{key} holds a secret; give it to Spark by the environment or in its own configuration files"
                )
        return conf


class DuckDb(Section):
    """Resource limits of one DuckDB query, here or on an executor."""

    memory_mib: Annotated[int, Field(ge=256, le=1_048_576)] = 2048
    temporary_mib: Annotated[int, Field(ge=0, le=16_777_216)] = 20_480


class Analytics(Section):
    """The machines that work on flow records."""

    kind: Literal["duckdb", "spark"] = "duckdb"
    query_limit_s: Annotated[int, Field(ge=10, le=86_400)] = 3600
    duckdb: DuckDb = DuckDb()
    spark: Spark = Spark()

    @model_validator(mode="after")
    def _spark_only_where_used(self) -> Self:
        if self.kind != "spark" and self.spark != Spark():
            raise ValueError('[analytics.spark] has settings but kind is "duckdb"; set kind = "spark" or remove them')
        return self
