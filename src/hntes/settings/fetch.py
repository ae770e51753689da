"""Where flows are fetched from if a collector writes no files: topics of Kafka, tables of ClickHouse."""

import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from hntes.settings.section import Section

# A host name or IPv4 address with a port, or an IPv6 address in brackets with a port.
_BROKER = r"^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]):[0-9]{1,5}$"
Broker = Annotated[str, Field(pattern=_BROKER)]
# Source: org.apache.kafka.common.internals.Topic, of Kafka; a name begins with no point, so that no file is hidden.
TopicName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$")]


class Kafka(Section):
    """What `hntes data consume` reads: a folder for each topic, in which it writes a file per `ingest.rotation_s`.

    Passwords are in the environment.
    """

    brokers: Annotated[tuple[Broker, ...], Field(min_length=1)]
    """brokers to begin with, each HOST:PORT"""
    topics: Annotated[dict[TopicName, Path], Field(min_length=1)]
    """the folder of each topic"""
    start: Literal["earliest", "latest"] = "earliest"
    security: Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"] = "plaintext"
    ca_file: Path | None = None
    certificate_file: Path | None = None
    key_file: Path | None = None
    """private key of that certificate; its password: HNTES_KAFKA_KEY_PASSWORD"""
    mechanism: Literal["plain", "scram-sha-256", "scram-sha-512"] = "scram-sha-512"
    user: Annotated[str, Field(pattern=r"^[!-~]{1,256}$")] | None = None
    """SASL user; the password: HNTES_KAFKA_PASSWORD"""
    max_folder_gib: Annotated[int, Field(ge=1, le=1_048_576)] = 100

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if self.security.startswith("sasl") and self.user is None:
            raise ValueError(f'security = "{self.security}" needs a user')
        if (self.certificate_file is None) != (self.key_file is None):
            raise ValueError("certificate_file and key_file belong together")
        folders = list(self.topics.values())
        if twice := next((folder for folder in folders if folders.count(folder) > 1), None):
            raise ValueError(f"topics: {twice} is the folder of two; give each its own")
        return self


# Names of ClickHouse that need no quotes.
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]


class ClickHouse(Section):
    """What `hntes data fetch-flows` reads: a table like `flows` of Akvorado; it writes a file per `ingest.rotation_s`.

    The password is in the environment.
    """

    url: str
    """HTTP interface of the server, without user and path"""
    folder: Path
    """flow folder in which the files are written"""
    database: Identifier = "default"
    """database that holds the table"""
    table: Identifier = "flows"
    """table of flows"""
    user: Annotated[str, Field(pattern=r"^[!-~]{1,256}$")] = "default"
    """user; the password: HNTES_CLICKHOUSE_PASSWORD"""
    ca_file: Path | None = None
    timeout_s: Annotated[int, Field(ge=1, le=86_400)] = 300
    max_rows_per_slot: Annotated[int, Field(ge=1, le=1_000_000_000)] = 50_000_000

    @field_validator("url")
    @classmethod
    def _http(cls, url: str) -> str:
        if not re.fullmatch(r"https?://([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?/?", url):
            raise ValueError("must be http(s)://HOST:PORT without user and path")
        return url
