"""A table of ports that is none is refused before it is read whole."""

from pathlib import Path

import pytest

from hntes.settings import ports_table
from hntes.settings.errors import SettingsError
from hntes.settings.ports_table import read_ports

HEAD = "router,name\n"


def test_rows_beyond_the_bound_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ports_table.MOST_ROWS == 200_000
    monkeypatch.setattr(ports_table, "MOST_ROWS", 5)
    table = tmp_path / "ports.csv"
    table.write_text(HEAD + "r1,xe-0/0/0\n" * 4)
    assert len(read_ports(table)) == 4
    table.write_text(HEAD + "r1,xe-0/0/0\n" * 5)
    with pytest.raises(SettingsError, match=rf"{table}: more than 5 rows; this is no table of ports"):
        read_ports(table)


def test_a_file_beyond_the_bound_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ports_table.MOST_BYTES == 64_000_000
    table = tmp_path / "ports.csv"
    with table.open("wb") as file:
        file.truncate(ports_table.MOST_BYTES + 1)
    monkeypatch.setattr(ports_table, "_rows", lambda *_: pytest.fail("it was read"))
    with pytest.raises(SettingsError, match=rf"{table}: larger than 64 MB; this is no table of ports"):
        read_ports(table)
