"""Where the lake is: a folder, or the address of a store; and how an S3 service is reached."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import Field

from hntes.settings.section import Section

# No user, no password, no glob characters of Hadoop.
_BUCKET = r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]"
_ADDRESS = rf"(hdfs://[A-Za-z0-9.-]+(:\d+)?|s3a?://{_BUCKET})(/[A-Za-z0-9._=-]+)+"
# A host name or IPv4 address, or an IPv6 address in brackets, with or without a port.
_ENDPOINT = r"^([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$"
LakeAddress = Annotated[str, Field(pattern=f"^{_ADDRESS}$")]


def folder_or_address(lake: object) -> object:
    """What `paths.lake` means: a path, or the address of a store.

    Raises:
        ValueError: it is an address of another kind, or holds more than one.
    """
    if not isinstance(lake, str) or "://" not in lake:
        return lake
    if lake.startswith("file:///"):
        return Path(lake.removeprefix("file://"))
    if not re.fullmatch(_ADDRESS, lake):
        raise ValueError(
            "must be a folder, file:///FOLDER, s3://BUCKET/FOLDER or hdfs://HOST:PORT/FOLDER (plain characters)"
        )
    return lake


class LakeStore(Section):
    """The S3 service of a lake at s3://BUCKET/FOLDER.

    Its keys are in the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN) or the machine's role.
    """

    endpoint: Annotated[str, Field(pattern=_ENDPOINT)] | None = None
    """HOST:PORT of the service; none: Amazon's"""
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")] | None = None
    """region of the bucket; none: as the environment or the machine says"""
    path_style: bool = True
    tls: bool = True
    ca_file: Path | None = None
    connect_timeout_s: Annotated[int, Field(ge=1, le=60)] = 3
    """time until a connection is there, of each attempt"""
    request_timeout_s: Annotated[int, Field(ge=1, le=600)] = 5
    """time without a byte of an answer, of each attempt"""
    attempts: Annotated[int, Field(ge=1, le=10)] = 3
    """attempts of one request"""
