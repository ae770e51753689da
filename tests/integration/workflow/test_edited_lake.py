"""A part of the lake that is not what was written makes no rule: it is refused by name until its file is read again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from hntes.sql.engine import open_database
from hntes.workflow.errors import FAILED, FINISHED_WITH_PROBLEMS
from tests.support.damage import cut_off, with_a_row, with_another_source, with_other_bytes
from tests.support.installation import Installation
from tests.support.prepared_nights import NIGHT, PreparedNights


@pytest.mark.parametrize("edit", [with_a_row, with_other_bytes, cut_off, with_another_source])
def test_an_edited_part_is_refused_until_its_file_is_read_again(
    tmp_path: Path, prepared_nights: PreparedNights, edit: Callable[[Path], None]
) -> None:
    site: Installation = prepared_nights.site(tmp_path / "site", router="r1")
    found = site.json("flows", "--day", NIGHT)
    whole = site.json("data", "verify")
    part = _part(site, "r1")
    edit(part)
    for command in (["stage", "detect"], ["stage", "measure"], ["data", "verify"]):
        refused = site.run(*command, "--day", NIGHT, "--router", "r1", expect=FAILED)
        assert part.name in refused.stderr
        assert "was damaged or edited" in refused.stderr
        assert f"hntes stage ingest --day {NIGHT} --router r1" in refused.stderr
    assert site.json("flows", "--day", NIGHT) == found
    part.unlink()
    site.run("stage", "ingest", "--day", NIGHT, "--router", "r1")
    for stage in ("detect", "measure"):
        site.run("stage", stage, "--day", NIGHT, "--router", "r1")
    assert site.json("flows", "--day", NIGHT) == found
    assert site.json("data", "verify") == whole


def test_a_night_goes_on_for_the_other_routers(tmp_path: Path, prepared_nights: PreparedNights) -> None:
    site = prepared_nights.site(tmp_path / "site")
    part = _part(site, "r1")
    with_another_source(part)
    night = site.run("nightly", "--day", NIGHT, "--router", "r1", "--router", "r2", expect=FINISHED_WITH_PROBLEMS)
    assert f"router r1 failed: r1 {NIGHT}: {part} has the SHA-256 " in night.stderr
    assert "router r2 failed" not in night.stderr
    assert "r2" in night.stdout
    checked = site.run("data", "verify", "--day", NIGHT, expect=FAILED)
    assert checked.stdout.rstrip().endswith("; 1 damaged or edited")
    assert part.name in checked.stderr


def test_a_part_older_than_the_hash_is_taken_by_its_sums_and_told(
    tmp_path: Path, prepared_nights: PreparedNights
) -> None:
    site = prepared_nights.site(tmp_path / "site", router="r1")
    found = site.json("flows", "--day", NIGHT)
    parts = site.json("data", "verify")["parts"]
    assert "older than" not in site.run("check").stdout
    database = open_database(site.database_url)
    with database.begin() as connection:
        connection.execute(text("UPDATE flow_file_part SET sha256 = ''"))
    database.dispose()
    for stage in ("detect", "measure"):
        site.run("stage", stage, "--day", NIGHT, "--router", "r1")
    assert site.json("flows", "--day", NIGHT) == found
    expected = {"parts": parts, "hashed": 0, "summed": parts, "gone": 0, "lost": [], "changed": {}}
    assert site.json("data", "verify") == expected
    older = f"lake:     {parts} parts up to {NIGHT} are older than the ledger's hashes: compared by records and bytes"
    assert older in site.run("check").stdout
    part = _part(site, "r1")
    with_other_bytes(part)
    refused = site.run("stage", "detect", "--day", NIGHT, "--router", "r1", expect=FAILED)
    assert "were written: it was damaged or edited" in refused.stderr
    part.unlink()
    lost = [{"router": "r1", "day": NIGHT, "parts": 1}]
    found = site.json("data", "verify", expect=FAILED)
    assert found == expected | {"summed": parts - 1, "gone": 1, "lost": lost}


def _part(site: Installation, router: str) -> Path:
    return min(site.lake.glob(f"flows/router={router}/day={NIGHT}/*.parquet"))
