"""Output of the stages: names of flow files come from anybody who can write into the folder."""

import pytest

from hntes.cli.stage_output import print_ingest
from hntes.etl.ingest.run import IngestReport


def test_a_files_name_forges_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    name = "x\n  kept: 9 records/nfcapd.202611201815"
    print_ingest([IngestReport("flows", set_aside={name: "it is empty"}, warnings=[f"{name}: read by nfdump"])])
    shown = "x\\n  kept: 9 records/nfcapd.202611201815"
    assert capsys.readouterr().out.splitlines()[2:] == [
        f"  set aside {shown}: it is empty",
        f"  warning: {shown}: read by nfdump",
    ]
