"""Parts of a ledger from before the hashes have none afterwards, and stay as they are."""

from datetime import date

from sqlalchemy import Engine, inspect, text

from hntes.sql import ledger
from hntes.sql.engine import downgrade, upgrade
from hntes.sql.entries import FilePart
from hntes.sql.session import transaction
from tests.support.entries import flow_file

FILE = flow_file()
OLD = FilePart("r1", date(2026, 3, 1), "flows/a.parquet", 2, 2**62)
NEW = FilePart("r1", date(2026, 3, 2), "flows/b.parquet", 1, 1, "ef" * 32)


def test_parts_keep_their_rows_and_have_no_hash(store: Engine) -> None:
    with transaction(store) as session:
        ledger.replace_file(session, FILE, parts=[OLD])
    downgrade(store, "0004")
    assert "sha256" not in {column["name"] for column in inspect(store).get_columns("flow_file_part")}
    upgrade(store)
    with transaction(store) as session:
        assert ledger.parts_of_file(session, FILE.folder, FILE.path) == (OLD,)
        ledger.replace_file(session, flow_file(path="later"), parts=[NEW])
        assert ledger.parts_of_file(session, FILE.folder, "later") == (NEW,)
        # they still go with their file
        assert ledger.forget_file(session, FILE.folder, FILE.path) == (OLD,)
        assert ledger.named_parts(session, [OLD.part, NEW.part]) == (NEW.part,)


def test_the_way_back_loses_the_hashes_alone(store: Engine) -> None:
    with transaction(store) as session:
        ledger.replace_file(session, FILE, parts=[OLD, NEW])
    downgrade(store, "0004")
    with store.connect() as connection:
        rows = connection.execute(text("SELECT part, records, bytes FROM flow_file_part ORDER BY part")).all()
    assert [tuple(row) for row in rows] == [(each.part, each.records, each.bytes) for each in (OLD, NEW)]
    index = {"ix_flow_file_part_router_day"}
    assert {each["name"] for each in inspect(store).get_indexes("flow_file_part")} == index
    upgrade(store)
    index |= {"ix_flow_file_part_part", "ix_flow_file_part_without_hash"}
    assert {each["name"] for each in inspect(store).get_indexes("flow_file_part")} == index
