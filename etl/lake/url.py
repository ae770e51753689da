"""The address of a lake that several machines share, and how an object store behind it is asked.

Its locks and marks of unfinished work are in a local folder of the driver: such stores have no locks that the kernel
releases, and only the driver ingests.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class S3Options:
    """How an S3 service is reached. Keys are not among it: they come from the environment or the machine's role.

    endpoint: HOST:PORT; "": Amazon's. region: "": as the environment or the machine says. path_style: the bucket is in
    the path, not in the host's name; with an endpoint only. tls: HTTPS. ca_file: certificates of who signed the
    endpoint's; "": those of the system. connect_timeout_s, request_timeout_s: until a connection is there, and without
    a byte of an answer. attempts: of one request.
    """

    endpoint: str = ""
    region: str = ""
    path_style: bool = True
    tls: bool = True
    ca_file: str = ""
    connect_timeout_s: float = 3.0
    request_timeout_s: float = 5.0
    attempts: int = 3

    @property
    def of_spark(self) -> dict[str, str]:
        """The same for what Spark itself reads and writes by s3a:. Its certificates are those of Java's trust store."""
        named = {"endpoint": self.endpoint, "endpoint.region": self.region}
        told = {key: value for key, value in named.items() if value}
        told |= {
            "path.style.access": str(self.path_style and bool(self.endpoint)).lower(),
            "connection.ssl.enabled": str(self.tls).lower(),
            "connection.establish.timeout": f"{self.connect_timeout_s:g}s",
            "connection.timeout": f"{self.request_timeout_s:g}s",
            "attempts.maximum": str(self.attempts),
        }
        return {f"spark.hadoop.fs.s3a.{key}": value for key, value in told.items()}


@dataclass(frozen=True)
class LakeUrl:
    """A lake (hdfs:, s3:, s3a:, file:); `state` is the driver's folder for locks and marks."""

    url: str
    state: Path
    s3: S3Options = S3Options()

    @property
    def is_objects(self) -> bool:
        """Whether it is in an object store."""
        return self.scheme in ("s3", "s3a")

    @property
    def scheme(self) -> str:
        return self.url.partition("://")[0]

    @property
    def place(self) -> tuple[str, str]:
        """Host or bucket, and the path there without a slash at either end."""
        host, _, path = self.url.partition("://")[2].partition("/")
        return host, path.strip("/")

    def __str__(self) -> str:
        return self.url.rstrip("/")


Lake = Path | LakeUrl
"""Where a lake is: a folder of this machine, or a store; etl/lake/store.py opens it."""
