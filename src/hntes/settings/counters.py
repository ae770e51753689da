"""The source of interface counters, and the tolerance of their comparison with the flows."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from hntes.settings.names import Name
from hntes.settings.section import Section

_LABEL = r"[A-Za-z_][A-Za-z0-9_]*"
LabelName = Annotated[str, Field(pattern=f"^{_LABEL}$")]
MetricName = Annotated[str, Field(pattern=r"^[A-Za-z_:][A-Za-z0-9_:]*$")]


class FileCounters(Section):
    """A CSV or Parquet file, or one per day: `{day}` in the path is the UTC day.

    `values`: "counters" are monotonic, "deltas" are octets since the interface's previous row.
    """

    path: Path
    values: Literal["counters", "deltas"] = "counters"


class PrometheusCounters(Section):
    """The HTTP API of Prometheus; metric and label names are those of snmp_exporter's module if_mib.

    `routers` are values of `router_label` by router; a router that is not listed has its own name.
    """

    url: str
    in_metric: MetricName = "ifHCInOctets"
    out_metric: MetricName = "ifHCOutOctets"
    router_label: LabelName = "instance"
    interface_label: LabelName = "ifIndex"
    routers: dict[Name, str] = {}  # noqa: RUF012 - pydantic copies defaults
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    max_answer_mib: Annotated[int, Field(ge=1, le=1024)] = 64

    @field_validator("url")
    @classmethod
    def _http(cls, url: str) -> str:
        if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", url):
            raise ValueError("must be http(s)://HOST:PORT/ without a user; a token belongs in HNTES_PROMETHEUS_TOKEN")
        return url


class Counters(Section):
    """Where the octets of interfaces come from. `options` are those of a source from another distribution."""

    source: Name
    tolerance_pct: Annotated[float, Field(gt=0, le=50)] = 10.0
    framing_bytes: Annotated[int, Field(ge=0, le=100)] = 18
    max_interval_s: Annotated[int, Field(ge=1, le=86_400)] = 900
    file: FileCounters | None = None
    prometheus: PrometheusCounters | None = None
    options: dict[str, str | int | float | bool] = {}  # noqa: RUF012 - pydantic copies defaults

    @model_validator(mode="after")
    def _has_its_section(self) -> Self:
        if self.source in ("file", "prometheus") and getattr(self, self.source) is None:
            raise ValueError(f'source = "{self.source}" needs the section [counters.{self.source}]')
        return self
