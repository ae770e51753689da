"""The settings that the last change was proposed with, by section. Works within the caller's transaction."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.sql.rows import fetch_by, lock, remove, store
from hntes.sql.session import Session
from hntes.sql.table import table


@dataclass(frozen=True)
class _Section:
    """`fingerprint` is a hash of the section's values."""

    section: str
    fingerprint: str


SETTINGS_SEEN = table(
    "settings_seen", _Section, key=("section",),
    grain="One row per section of the settings that the last change was proposed with.",
)  # fmt: skip


def lock_settings(session: Session) -> None:
    """Makes others who compare settings wait until the transaction ends."""
    lock(session, "settings_seen")


def fingerprints(session: Session) -> dict[str, str]:
    """Those of the last time, by section; none before the first."""
    return {each.section: each.fingerprint for each in fetch_by(session, SETTINGS_SEEN, _Section)}


def replace_fingerprints(session: Session, found: Mapping[str, str]) -> None:
    """Replaces all sections."""
    remove(session, SETTINGS_SEEN)
    store(session, SETTINGS_SEEN, [_Section(section, fingerprint) for section, fingerprint in found.items()])
