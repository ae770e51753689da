"""An installation whose lake is in a bucket, and what is in a lake."""

import hashlib
from pathlib import Path

from pyarrow import fs
from sqlalchemy import select

from hntes.sql.engine import open_database
from hntes.sql.ledger import FLOW_FILE_PART
from hntes.sql.session import reading
from tests.support.installation import Installation, installation_in


def in_bucket(endpoint: str, bucket: str) -> dict[str, str]:
    """What to replace in the demonstration's settings, so that the lake is in a bucket."""
    service = f'[lake_store]\nendpoint = "{endpoint}"\ntls = false\nrequest_timeout_s = 2\n\n[ingest]'
    return {"../var/demo/lake": f"s3://{bucket}/lake", "[ingest]": service}


def installation_on(endpoint: str, bucket: str, folder: Path, routers: int = 1) -> Installation:
    """The demonstration's first routers, with their lake in a bucket."""
    return installation_in(folder, routers=routers, **in_bucket(endpoint, bucket))


def hashes_in_folder(lake: Path, kind: str = "flows") -> dict[str, str]:
    """SHA-256 of all parts in a folder, by name: of flows, or of what was `set_aside`."""
    return {path.relative_to(lake).as_posix(): _hash(path.read_bytes()) for path in lake.glob(f"{kind}/**/*.parquet")}


def hashes_on(endpoint: str, bucket: str, lake: str = "lake", kind: str = "flows") -> dict[str, str]:
    """The same of a lake in a bucket, read past the code under test."""
    client = fs.S3FileSystem(endpoint_override=endpoint, scheme="http", region="us-east-1")
    found = client.get_file_info(fs.FileSelector(f"{bucket}/{lake}/{kind}", recursive=True, allow_not_found=True))
    parts = [info.path for info in found if info.is_file]
    return {path.removeprefix(f"{bucket}/{lake}/"): _hash(client.open_input_stream(path).readall()) for path in parts}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def in_ledger(site: Installation) -> set[str]:
    """The names of all parts that a ledger has."""
    database = open_database(site.database_url)
    try:
        with reading(database) as session:
            return set(session.execute(select(FLOW_FILE_PART.c.part)).scalars())
    finally:
        database.dispose()
