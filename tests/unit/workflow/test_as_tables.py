"""Tables of origin AS: both formats, packed or not, are read whole or refused by the row."""

import gzip
from pathlib import Path

import pytest

from hntes.rules.columns import Addresses, whole
from hntes.workflow.errors import CommandError
from hntes.workflow.reports import as_tables
from hntes.workflow.reports.as_tables import MAX_ORGANIZATION, origins_in

PREFIX2AS = "1.0.0.0\t24\t13335\n1.0.4.0\t22\t38803_56203\n2001:db8::\t32\t64500,64501\n"
GEOLITE = (
    "network,autonomous_system_number,autonomous_system_organization\n"
    '1.0.0.0/24,13335,CLOUDFLARENET\n1.0.64.0/18,18144,"Enecom,Inc."\n2001:db8::/32,64500,\n'
)


def names(path: Path, *hosts: str) -> list[str]:
    table = origins_in((path,))
    version = whole([6 if ":" in host else 4 for host in hosts])
    return [table.names[one] for one in table.numbers(version, Addresses.of_texts(hosts)).tolist()]


def test_prefix2as_is_read_with_several_origins_and_sets(tmp_path: Path) -> None:
    path = tmp_path / "routeviews.pfx2as"
    path.write_text(PREFIX2AS)
    assert names(path, "1.0.0.9", "1.0.7.255", "1.0.8.0", "2001:db8::1") == [
        "AS13335", "AS38803 or AS56203", "no AS", "AS64500+AS64501",
    ]  # fmt: skip


def test_geolite_is_read_with_its_names(tmp_path: Path) -> None:
    path = tmp_path / "GeoLite2-ASN-Blocks-IPv4.csv"
    path.write_text(GEOLITE)
    assert names(path, "1.0.0.9", "1.0.127.1", "2001:db8::1") == [
        "AS13335 CLOUDFLARENET", "AS18144 Enecom,Inc.", "AS64500",
    ]  # fmt: skip


def test_an_as_with_a_name_in_one_table_has_it_in_all(tmp_path: Path) -> None:
    bare, named = tmp_path / "v4.pfx2as", tmp_path / "v6.csv"
    bare.write_text("192.0.2.0\t24\t64500\n")
    named.write_text(GEOLITE.splitlines()[0] + "\n2001:db8::/32,64500,Example\n")
    table = origins_in((bare, named))
    assert table.names == ("AS64500 Example", "no AS")


def test_a_packed_table_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "routeviews.pfx2as.gz"
    path.write_bytes(gzip.compress(PREFIX2AS.encode()))
    assert names(path, "1.0.0.9") == ["AS13335"]


def test_a_changed_table_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("192.0.2.0\t24\t64500\n")
    assert names(path, "192.0.2.1") == ["AS64500"]
    path.write_text("192.0.2.0\t24\t4200000000\n")
    assert names(path, "192.0.2.1") == ["AS4200000000"]


def test_names_of_others_are_short_and_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "named.csv"
    path.write_text(f'{GEOLITE}192.0.2.0/24,64500,"\x1b[2J{"x" * 900}"\n')
    (name,) = names(path, "192.0.2.1")
    assert name.isprintable()
    assert len(name) <= len("AS64500 ") + MAX_ORGANIZATION + len(r"\x1b") - 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1.0.0.0\t24\t13335\n1.0.0.300\t24\t1\n", "row 2 has no prefix: '1.0.0.300' and length 24"),
        ("1.0.0.0\t24\t13335\n1.0.0.0\t33\t1\n", "row 2 has no prefix: '1.0.0.0' and length 33"),
        ("1.0.0.0\t-1\t13335\n", "row 1 has no prefix"),
        ("1.0.4.0\t22\t1\n1.0.0.0\t\t13335\n", "row 2 has no prefix: '1.0.0.0'"),
        (GEOLITE.splitlines()[0] + "\n", "has no row"),
        ("1.0.0.1\t24\t13335\n", "row 1 has no prefix: '1.0.0.1' and length 24"),
        ("1.0.0.0\t24\tGoogle\n", "'Google' is no AS number"),
        ("1.0.0.0\t24\t4294967296\n", "'4294967296' is no AS number"),
        ("1.0.0.0\tlong\t1\n", "long"),
        ("1.0.0.0 24 1\n", "Expected 3 columns"),
        ("", "[Ee]mpty"),
        ("network,asn\n1.0.0.0/24,1\n", "autonomous_system_number"),
        (GEOLITE + "1.2.3.4,5,x\n", "row 5 has no prefix: '1.2.3.4'"),
        (GEOLITE + "1.2.3.4/32,,x\n", "row 5 has no AS number"),
    ],
)
def test_what_is_no_table_is_refused_by_its_row(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "table"
    path.write_text(text)
    with pytest.raises(CommandError, match=said) as refused:
        origins_in((path,))
    assert str(path) in str(refused.value)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="nowhere: No such file"):
        origins_in((tmp_path / "nowhere",))


def test_a_small_file_that_unpacks_without_end_is_left_at_the_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(as_tables, "MAX_PREFIXES", 200_000)
    path = tmp_path / "bomb.pfx2as.gz"
    path.write_bytes(gzip.compress(b"192.0.2.0\t24\t64500\n" * 2_000_000))
    with pytest.raises(CommandError, match="more than 200000 rows"):
        origins_in((path,))
