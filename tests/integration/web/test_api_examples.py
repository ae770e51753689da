"""The examples of the how-to about the API run as they stand, against a server."""

import json
import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing

import pytest
import uvicorn

from hntes.web.api.openapi import openapi
from hntes.web.serve import server_config
from tests.support.installation import ROOT, Installation
from tests.support.prepared_nights import NIGHT
from tests.support.review_page import site as page_of

TEXT = (ROOT / "docs" / "how-to" / "rest-api.md").read_text(encoding="utf-8")
ORIGIN = "https://hntes.example.net"


@pytest.fixture
def address(site: Installation) -> Iterator[str]:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
        server = uvicorn.Server(server_config(page_of(site.settings, port=port)))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        yield f"http://127.0.0.1:{port}"
        server.should_exit = True
        thread.join(20)


def test_the_examples_run_and_decide(site: Installation, address: str) -> None:
    assert TEXT.count(ORIGIN) == 1
    script = "\n".join(re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)).replace(ORIGIN, address)
    environment = os.environ | {
        "PATH": f"{ROOT / '.venv' / 'bin'}:/usr/bin:/bin", "HNTES_SETTINGS": str(site.settings)
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=site.settings.parent, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert f"change of r1 on {NIGHT}: approved by anna" in done.stdout
    listed = {each["router"]: each["state"] for each in site.json("change", "list", "--all")}
    assert (listed["r1"], listed["r2"], listed["r3"]) == ("approved", "rejected", "pending")
    (pin,) = site.json("override", "pin", "list")
    (exclusion,) = site.json("override", "exclude", "list")
    assert (pin["withdrawn_day"] is not None, exclusion["prefix"]) == (True, "203.0.113.0/25")
    of_the_token = [each["kind"] for each in site.json("audit", "--who", "token:deploy")]
    assert [each for each in of_the_token if each != "transition"] == [
        "decide", "hold", "hold", "decide", "pin", "unpin", "exclude",
    ]  # fmt: skip


def test_every_address_of_the_text_is_one() -> None:
    paths = json.dumps([*openapi()["paths"]])
    for address in re.findall(r"^\| (`/[^|]+) \|", TEXT, re.MULTILINE):
        for each in re.findall(r"`(/[a-z/]+)", address):
            assert f"/api{each.rstrip('/')}" in paths, each
