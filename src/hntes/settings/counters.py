"""The source of interface counters, and the tolerance of their comparison with the flows."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from hntes.settings.names import Name
from hntes.settings.section import Section
from hntes.settings.snmp import AgentAddress, SnmpAccess

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
    """The HTTP API of Prometheus; metric and label names are those of snmp_exporter's module if_mib."""

    url: str
    """base URL of Prometheus, without its token: HNTES_PROMETHEUS_TOKEN"""
    in_metric: MetricName = "ifHCInOctets"
    """metric with the octets received; default as in snmp_exporter, module if_mib"""
    out_metric: MetricName = "ifHCOutOctets"
    """metric with the octets sent"""
    router_label: LabelName = "instance"
    interface_label: LabelName = "ifIndex"
    routers: dict[Name, str] = {}  # noqa: RUF012 - pydantic copies defaults
    """value of `router_label`, by router; default: the router's name"""
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 30
    """timeout of one query"""
    max_answer_mib: Annotated[int, Field(ge=1, le=1024)] = 64
    """maximum size of one answer: three hours of a router"""

    @field_validator("url")
    @classmethod
    def _http(cls, url: str) -> str:
        if not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s?#]*)?", url):
            raise ValueError("must be http(s)://HOST:PORT/ without a user; a token belongs in HNTES_PROMETHEUS_TOKEN")
        return url


class SnmpCounters(SnmpAccess):
    """What `hntes data poll-counters` polls, and the folder that it writes: a CSV file per router and UTC day.

    `routers` are addresses (`192.0.2.1`, `router.example.net:161`, `[2001:db8::1]:161`) by router. Secrets are in the
    environment: HNTES_SNMP_COMMUNITY of version 2c; of version 3 HNTES_SNMP_AUTH_KEY and HNTES_SNMP_PRIV_KEY of `user`.
    """

    folder: Path
    routers: dict[Name, AgentAddress] = Field(min_length=1)
    """address of the SNMP agent by router, with or without :PORT"""
    interval_s: Annotated[int, Field(ge=10, le=900)] = 60
    """time between two polls"""

    @model_validator(mode="after")
    def _answers_within_the_interval(self) -> Self:
        if self.timeout_s * (self.retries + 1) >= self.interval_s:
            raise ValueError("timeout_s for each of the retries must be less than interval_s together")
        return self


class Counters(Section):
    """Where the octets of interfaces come from. `options` are those of a source from another distribution."""

    source: Name
    tolerance_pct: Annotated[float, Field(gt=0, le=50)] = 10.0
    framing_bytes: Annotated[int, Field(ge=0, le=100)] = 18
    max_interval_s: Annotated[int, Field(ge=1, le=86_400)] = 900
    file: FileCounters | None = None
    prometheus: PrometheusCounters | None = None
    snmp: SnmpCounters | None = None
    options: dict[str, str | int | float | bool] = {}  # noqa: RUF012 - pydantic copies defaults
    """keys of the source, if it is a plugin"""

    @model_validator(mode="after")
    def _has_its_section(self) -> Self:
        if self.source in ("file", "prometheus", "snmp") and getattr(self, self.source) is None:
            raise ValueError(f'source = "{self.source}" needs the section [counters.{self.source}]')
        return self
