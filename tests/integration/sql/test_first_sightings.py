"""Sampling evidence from before it had its file's start is given that of its file."""

from dataclasses import replace

from sqlalchemy import Engine, inspect, text

from hntes.sql import ledger
from hntes.sql.engine import downgrade, upgrade
from hntes.sql.entries import FactorSeen, SamplingEntry
from hntes.sql.session import transaction
from tests.support.entries import flow_file

FILE = flow_file()
EVIDENCE = (SamplingEntry("192.0.2.1", 100, "collector", 3, 2**62), SamplingEntry("192.0.2.2", 1, "settings", 1))


def test_the_evidence_of_an_older_ledger_has_the_start_of_its_file(store: Engine) -> None:
    with transaction(store) as session:
        for start_ms, evidence in ((2000, EVIDENCE), (1000, EVIDENCE[:1])):
            entry = replace(FILE, path=f"f{start_ms}", file_start_ms=start_ms)
            ledger.replace_file(session, entry, evidence=evidence)
    downgrade(store, "0005")
    assert "file_start_ms" not in {column["name"] for column in inspect(store).get_columns("sampling_evidence")}
    with store.connect() as connection:
        rows = connection.execute(text("SELECT path, records, bytes FROM sampling_evidence ORDER BY path, exporter"))
        assert [tuple(row) for row in rows] == [("f1000", 3, 2**62), ("f2000", 3, 2**62), ("f2000", 1, 0)]
    upgrade(store)
    with transaction(store) as session:
        assert ledger.factors_of_folder(session, FILE.folder) == (
            FactorSeen("192.0.2.1", 100, "collector", 1000),
            FactorSeen("192.0.2.2", 1, "settings", 2000),
        )
        stored = ledger.get_stored_file(session, FILE.folder, "f2000")
        assert stored is not None
        assert stored.evidence == EVIDENCE
        # it still goes with its file
        ledger.forget_file(session, FILE.folder, "f1000")
        ledger.forget_file(session, FILE.folder, "f2000")
        assert session.execute(text("SELECT count(*) FROM sampling_evidence")).scalar() == 0
