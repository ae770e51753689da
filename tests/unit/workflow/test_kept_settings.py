"""A process that stays reads its settings again when, and only when, one of their files has changed."""

import os
import time
from pathlib import Path

import pytest

from hntes.settings.errors import SettingsError
from hntes.workflow import kept_settings
from hntes.workflow.context import settings_of
from hntes.workflow.kept_settings import KeptSettings
from tests.conftest import ROOT

TEXT = (ROOT / "demo" / "hntes.toml").read_text()
AN_HOUR_NS = 3600 * 10**9


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were parsed."""
    found: list[Path] = []

    def parse(path: Path) -> object:
        found.append(path)
        return settings_of(path)

    monkeypatch.setattr(kept_settings, "settings_of", parse)
    return found


def write(file: Path, text: str, hours_ago: int) -> Path:
    """Writes a file that was last changed so many hours ago."""
    file.write_text(text)
    modified_ns = time.time_ns() - hours_ago * AN_HOUR_NS
    os.utime(file, ns=(modified_ns, modified_ns))
    return file


def test_a_file_is_read_when_it_has_changed(tmp_path: Path, read: list[Path]) -> None:
    kept, file = KeptSettings(), write(tmp_path / "hntes.toml", TEXT, 3)
    assert kept(file) == settings_of(file)
    assert kept(file) is kept(file)
    assert read == [file]
    write(file, TEXT + "\n[review]\nexpiry_hours = 7\n", 2)
    assert kept(file).review.expiry_hours == 7
    assert read == [file, file]


def test_the_table_of_ports_counts(tmp_path: Path) -> None:
    defaults = '[defaults]\nports = "ports.csv"\n\n'
    kept, file = KeptSettings(), write(tmp_path / "hntes.toml", defaults + TEXT, 3)
    row = "router,name,snmp_index,role,rate_bps\nr1,xe-9/9/9,999,edge,10000000000\n"
    ports = write(tmp_path / "ports.csv", row, 3)
    assert "xe-9/9/9" in [each.name for each in kept(file).routers[0].interfaces]
    write(ports, row.replace("xe-9/9/9", "xe-9/9/8"), 2)
    assert "xe-9/9/8" in [each.name for each in kept(file).routers[0].interfaces]


def test_a_file_that_may_still_change_within_its_time_is_read_again(tmp_path: Path, read: list[Path]) -> None:
    kept, file = KeptSettings(), write(tmp_path / "hntes.toml", TEXT, 0)
    kept(file)
    kept(file)
    assert len(read) == 2


def test_a_wrong_file_is_told_each_time_and_a_missing_one_too(tmp_path: Path) -> None:
    kept, file = KeptSettings(), write(tmp_path / "hntes.toml", TEXT, 3)
    kept(file)
    write(file, TEXT + "\n[nonsense]\n", 2)
    for _ in range(2):
        with pytest.raises(SettingsError, match="nonsense"):
            kept(file)
    file.unlink()
    with pytest.raises(SettingsError, match="no such settings file"):
        kept(file)
