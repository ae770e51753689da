"""When a transaction is committed, the files that it names survive a loss of power.

The databases see to their own files: SQLite is used with synchronous=FULL.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.engine.default import DefaultDialect

from hntes import files
from hntes.sql.approved_texts import APPROVED_TEXT
from hntes.sql.changes import CHANGE, IN_FORCE
from hntes.sql.engine import open_database
from hntes.sql.ledger import FLOW_FILE_PART
from hntes.sql.session import reading
from tests.support.installation import Installation, demo_installation
from tests.support.power_loss import SyncedState, synced_state

NIGHT = "2026-11-23"


def lost(site: Installation, state: SyncedState) -> list[str]:
    """What the database names and a loss of power would take: parts, candidates, approved texts."""
    engine = open_database(site.database_url)
    with reading(engine) as session:
        named = [site.lake / part for part in session.execute(select(FLOW_FILE_PART.c.part)).scalars()]
        for router, candidate in session.execute(select(CHANGE.c.router, CHANGE.c.candidate_hash)):
            named += [site.output / router / "candidates" / f"{candidate}{suffix}" for suffix in (".conf", ".json")]
        approved = set(session.execute(select(IN_FORCE.c.candidate_hash)).scalars())
        texts = set(session.execute(select(APPROVED_TEXT.c.candidate_hash)).scalars())
    engine.dispose()
    gone = [str(path) for path in named if not path.exists() or state.content(path) != path.read_bytes()]
    return gone + [f"approved text {candidate}" for candidate in approved - texts]


@dataclass
class Losses:
    """What would have been lost after any commit, and how many commits there were."""

    site: Installation
    found: list[str] = field(default_factory=list)
    commits: int = 0


@pytest.fixture
def losses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Losses]:
    site = demo_installation(tmp_path / "site", **{"[ingest]": "[ingest]\nworkers = 1"})
    seen = Losses(site)
    with synced_state(tmp_path, monkeypatch) as state:

        def check(dialect: DefaultDialect, connection: Any) -> None:
            commit(dialect, connection)  # type: ignore[no-untyped-call]
            seen.commits += 1
            seen.found += lost(site, state)

        # SQLAlchemy's event comes before the commit
        commit = DefaultDialect.do_commit
        monkeypatch.setattr(DefaultDialect, "do_commit", check)
        yield seen


def run_all(site: Installation) -> None:
    site.run("nightly", "--day", NIGHT, "--router", "r1")
    (waiting,) = site.json("change", "list")
    site.run("change", "approve", "--router", "r1", "--hash", waiting["candidate_hash"], "--who", "anna")
    site.run("router", "deliver", "--router", "r1")


def test_no_decision_without_its_text_and_no_part_without_its_rows(losses: Losses) -> None:
    run_all(losses.site)
    assert losses.commits > 5
    assert losses.found == []


@pytest.mark.parametrize("left_out", ["sync_file", "sync_folder"])
def test_a_sync_that_is_left_out_is_seen(losses: Losses, monkeypatch: pytest.MonkeyPatch, left_out: str) -> None:
    monkeypatch.setattr(files, left_out, lambda _path: None)
    run_all(losses.site)
    assert losses.found
