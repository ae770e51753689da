"""A MinIO server on loopback: HNTES_MINIO, or `minio` on PATH. Its client `mc` lies beside it."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyarrow import fs

from hntes.etl.lake.url import LakeUrl, S3Options
from tests.support.waiting import wait_until

BUCKET = "lake-1"
KEYS = {"AWS_ACCESS_KEY_ID": "hntes-test", "AWS_SECRET_ACCESS_KEY": "not a secret of anyone"}


def missing() -> str:
    """Why there is no server; empty if there is one."""
    return "" if _program() else "needs MinIO: `minio` on PATH, or its path in HNTES_MINIO"


def client_missing() -> str:
    """Why there is no client of the server; empty if there is one. Another program on PATH may have its name."""
    program = _program()
    return "" if program and Path(program).with_name("mc").exists() else "needs MinIO's client `mc` beside `minio`"


def folder() -> Path:
    """The folder of both programs, for a PATH. There is a server."""
    program = _program()
    assert program, missing()
    return Path(program).parent


def _program() -> str | None:
    return shutil.which(os.environ.get("HNTES_MINIO", "minio"))


class Minio:
    """A server over a folder, which can be killed and started again at the same port. The test has set KEYS."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.endpoint = f"127.0.0.1:{free.getsockname()[1]}"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def options(self) -> S3Options:
        return S3Options(self.endpoint, tls=False)

    def lake(self, state: Path) -> LakeUrl:
        """A lake in its bucket."""
        return LakeUrl(f"s3://{BUCKET}/lake", state, self.options)

    def start(self) -> None:
        """Starts it, and makes its bucket if there is none."""
        program = _program()
        assert program, missing()
        command = [program, "server", "--quiet", "--address", self.endpoint, str(self._folder / "data")]
        keys = {"MINIO_ROOT_USER": KEYS["AWS_ACCESS_KEY_ID"], "MINIO_ROOT_PASSWORD": KEYS["AWS_SECRET_ACCESS_KEY"]}
        with (self._folder / "minio.log").open("ab") as log:
            self._process = subprocess.Popen(
                command, env={**os.environ, **keys, "MINIO_BROWSER": "off"}, stdout=log, stderr=log
            )
        client = fs.S3FileSystem(endpoint_override=self.endpoint, scheme="http", allow_bucket_creation=True)
        wait_until(lambda: _has_bucket(client), "MinIO answers", 120)

    def kill(self) -> None:
        """Ends it without notice."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _has_bucket(client: fs.S3FileSystem) -> bool:
    try:
        client.create_dir(BUCKET)
    except OSError:
        return False
    return True


@contextmanager
def minio(folder: Path) -> Iterator[Minio]:
    """A server that runs."""
    made = Minio(folder)
    try:
        made.start()
        yield made
    finally:
        made.kill()
