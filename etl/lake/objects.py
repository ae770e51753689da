"""A lake in a bucket of an S3 service, through pyarrow."""

import functools
import mmap
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import IO

import pyarrow as pa
from pyarrow import fs

from hntes.etl.errors import LakeError
from hntes.etl.lake.outage import asking
from hntes.etl.lake.scratch import in_scratch
from hntes.etl.lake.shared import SharedStore
from hntes.etl.lake.url import S3Options

# Below Arrow's size of a part, 10 MiB.
_IN_ONE_REQUEST = 8 << 20
# Amazon's default; a name that other services do not look at. Without one the SDK asks the machine, for seconds.
_ANY_REGION = "us-east-1"


class ObjectStore(SharedStore):
    """Parts are objects, each uploaded whole from a file of this machine."""

    @functools.cached_property
    def _system(self) -> fs.FileSystem:
        return _client(self._lake.s3, in_one_request=False)

    @property
    def _base(self) -> str:
        bucket, folder = self._lake.place
        return f"{bucket}/{folder}"

    def _listed(self, folder: str, *, recursive: bool = False) -> list[fs.FileInfo]:
        found = super()._listed(folder, recursive=recursive)
        if not found:
            # to Arrow a bucket that is not there is an empty one
            bucket = self._lake.place[0]
            with asking(self._lake):
                is_there = self._system.get_file_info(bucket).type != fs.FileType.NotFound
            if not is_there:
                raise LakeError(f"{self._lake}: there is no such bucket ({bucket}), or not for these keys")
        return found

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        """A stream whose content is the object's at the end of the block; after an error it is as it was before.

        Arrow's stream completes the upload of whatever it was given when it is closed or forgotten. So it gets a file
        that is there as a whole, in one piece, where no exception comes between: a signal's is raised in the main
        thread alone. A request that fails is kept in mind by the stream, which then never completes the upload.
        """
        # without a name, so that a kill leaves nothing
        with in_scratch(f"a temporary file for {self.at(name)}"), tempfile.TemporaryFile("wb") as content:
            yield content
            content.flush()
            with ThreadPoolExecutor(1) as thread:
                thread.submit(self._upload, content, self._path(name)).result()

    def _upload(self, content: IO[bytes], path: str) -> None:
        # mapped into memory: a disk that fails to read ends this process, and no half of an object is completed
        whole = pa.py_buffer(mmap.mmap(content.fileno(), 0, access=mmap.ACCESS_READ))
        with asking(self._lake):
            client = _client(self._lake.s3, in_one_request=whole.size < _IN_ONE_REQUEST)
            stream = client.open_output_stream(path)
            stream.write(whole)
            stream.close()


@functools.lru_cache(maxsize=8)
def _client(options: S3Options, *, in_one_request: bool) -> fs.FileSystem:
    """`in_one_request`: for small objects. A large one whose upload is refused would become an empty one this way."""
    named = {"endpoint_override": options.endpoint, "scheme": "https" if options.tls else "http"}
    try:
        return fs.S3FileSystem(
            **(named if options.endpoint else {}),
            region=options.region or (_ANY_REGION if options.endpoint else None),
            force_virtual_addressing=not options.path_style,
            tls_ca_file_path=options.ca_file or None,
            connect_timeout=options.connect_timeout_s,
            request_timeout=options.request_timeout_s,
            retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=options.attempts),
            allow_delayed_open=in_one_request,
        )
    except (OSError, pa.ArrowException) as cause:
        raise LakeError(f"the client of S3 cannot be made: {str(cause).splitlines()[0]}") from cause
