"""A lake on a file system that machines share by URL (hdfs:, s3a:, file:), written through pyarrow.

Its locks and marks of unfinished work are in a local folder of the driver: these file systems have no locks that the
kernel releases, and only the driver ingests.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hntes.etl.errors import GonePartError, LakeError
from hntes.files import temporary_name

if TYPE_CHECKING:
    from pyarrow import fs


@dataclass(frozen=True)
class LakeUrl:
    """A lake, or a file in it (`lake / name`); `state` is the driver's folder for locks and marks."""

    url: str
    state: Path

    def __truediv__(self, name: str) -> LakeUrl:
        return replace(self, url=f"{self.url.rstrip('/')}/{name}")

    def __str__(self) -> str:
        return self.url

    def is_file(self) -> bool:
        """Whether there is a file of that name.

        Raises:
            LakeError: its file system cannot be reached.
        """
        system, path = self._open()
        return bool(system.get_file_info(path).is_file)

    @contextmanager
    def reading(self) -> Iterator[IO[bytes]]:
        """A stream of the file's content.

        Raises:
            GonePartError: there is no such file.
            LakeError: its file system cannot be reached.
        """
        system, path = self._open()
        try:
            stream = system.open_input_stream(path)
        except FileNotFoundError as cause:
            raise GonePartError.of(self) from cause
        with stream:
            yield stream

    @contextmanager
    def writing(self) -> Iterator[IO[bytes]]:
        """A stream whose content is the file's at the end of the block; after an error there is none of it.

        Raises:
            LakeError: its file system cannot be reached.
        """
        system, path = self._open()
        # an object is there when its upload is complete, not before
        is_object = system.type_name == "s3"
        folder, _, name = path.rpartition("/")
        unfinished = path if is_object else f"{folder}/{temporary_name(name)}"
        if not is_object:
            system.create_dir(folder, recursive=True)
        try:
            with system.open_output_stream(unfinished) as stream:
                yield stream
        except BaseException:
            # closing the stream has completed the upload; of what is there by this name nothing counts any more
            system.delete_file(unfinished)
            raise
        if is_object:
            return
        from pyarrow import fs

        if system.type_name == "hdfs" and system.get_file_info(path).type != fs.FileType.NotFound:
            system.delete_file(path)  # HDFS renames onto nothing that is there; the content is the same
        system.move(unfinished, path)

    def remove(self) -> bool:
        """Removes the file; whether there was one.

        Raises:
            LakeError: its file system cannot be reached.
        """
        system, path = self._open()
        if not system.get_file_info(path).is_file:
            return False
        system.delete_file(path)
        return True

    def remove_others(self, roots: Iterable[str], tag: str, wanted: set[str]) -> int:
        """Removes a folder's parts (names that begin with its tag) below these roots, but for the wanted ones."""
        from pyarrow import fs

        system, base = self._open()
        removed = 0
        for root in roots:
            selector = fs.FileSelector(f"{base}/{root}", allow_not_found=True, recursive=True)
            for info in system.get_file_info(selector):
                mine = info.base_name.removeprefix(".").startswith(f"{tag}-")
                name = info.path.removeprefix(base).lstrip("/")
                if mine and info.is_file and name not in wanted:
                    system.delete_file(info.path)
                    removed += 1
        return removed

    def _open(self) -> tuple[fs.FileSystem, str]:
        scheme, _, rest = self.url.partition("://")
        host, _, path = rest.partition("/")
        system = _file_system(scheme, host)
        return system, f"{host}/{path}" if scheme == "s3a" else f"/{path}"


@functools.lru_cache(maxsize=8)
def _file_system(scheme: str, host: str) -> fs.FileSystem:
    """Credentials come from the environment (S3) or the ticket of the user (HDFS), never from the URL."""
    # loaded where there is such a lake: most are folders
    import pyarrow as pa
    from pyarrow import fs

    try:
        # the slash: a URL of a bucket or a host alone
        return fs.FileSystem.from_uri(f"{'s3' if scheme == 's3a' else scheme}://{host}/")[0]
    except (OSError, pa.ArrowInvalid) as cause:
        raise LakeError(
            f"{scheme}://{host}: the file system cannot be opened: {str(cause).splitlines()[0]}; hdfs: needs "
            "Hadoop's client (libhdfs, HADOOP_HOME, CLASSPATH), s3a: needs AWS_ACCESS_KEY_ID and its like"
        ) from cause


Lake = Path | LakeUrl


def state_folder(lake: Lake) -> Path:
    """The folder of a lake's locks and marks of unfinished work."""
    return lake.state if isinstance(lake, LakeUrl) else lake
