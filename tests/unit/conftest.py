"""A unit test starts no process, opens no connection and asks no database: tests/integration has those that do."""

import multiprocessing.process
import os
import socket
import subprocess
from collections.abc import Iterator
from typing import Never

import pytest

FOR_INTEGRATION = {"database_url", "empty_database_url", "postgresql_server", "shared_data", "spark_machines"}


def pytest_runtest_setup(item: pytest.Item) -> None:
    used = FOR_INTEGRATION & set(getattr(item, "fixturenames", ()))
    if used:
        pytest.fail(f"{item.nodeid} uses {', '.join(sorted(used))}: move it to tests/integration", pytrace=False)


@pytest.fixture(autouse=True, scope="module")
def _neither_process_nor_connection() -> Iterator[None]:
    """By module, since a fixture by function would be one for all examples of a property."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", _refused)
        patch.setattr(multiprocessing.process.BaseProcess, "start", _refused)
        patch.setattr(os, "fork", _refused)
        for method in ("connect", "connect_ex", "bind", "listen"):
            # the class of the interpreter itself cannot be changed; this one inherits from it
            patch.setattr(socket.socket, method, _refused, raising=False)
        yield


def _refused(*_: object, **__: object) -> Never:
    raise AssertionError("a unit test starts a process or opens a connection: move it to tests/integration")
