"""sFlow through nfdump's collector sfcapd: each sample is a record, and their count is the evidence."""

import math
from pathlib import Path

import pytest

from tests.integration.etl.sources.test_row_sources import ingest, site
from tests.support.sflow import Frame, datagrams, needs_sfcapd, send, sfcapd

SAMPLES = 1600


@needs_sfcapd
def test_of_sflow_the_count_of_samples_is_the_evidence(tmp_path: Path) -> None:
    """1 of 1000 frames: 1600 samples stand for 2.4 GB, give or take one in 40; 400 for 0.6 GB, which is too little."""
    folder = tmp_path / "flows"
    few = Frame(destination="203.0.113.10")
    six = Frame(source="2001:db8::1", destination="2001:db8::2")
    with sfcapd(folder) as port:
        send(port, datagrams([*[Frame()] * SAMPLES, *[few] * (SAMPLES // 4), *[six] * 60], "192.0.2.7"))
    made = site(tmp_path / "site", folder)
    report = ingest(made)
    assert report["outcomes"]["kept"] == SAMPLES + SAMPLES // 4 + 60
    (day,) = {path.name[7:15] for path in folder.glob("nfcapd.2*")}
    found = made.json("stage", "detect", "--day", f"{day[:4]}-{day[4:6]}-{day[6:]}", "--router", "r1")["r1"]
    (one,) = found["observations"]
    assert (one["destination"], one["records"], one["sampling_factor"]) == ("203.0.113.9", SAMPLES, 1000)
    # sfcapd counts the frame with its checksum, 1518 bytes, not the IP packet's 1500
    assert one["peak_bytes"] == SAMPLES * 1518 * 1000
    assert one["peak_sd_bytes"] == pytest.approx(one["peak_bytes"] / math.sqrt(SAMPLES), rel=0.001)
