"""Record of settings changes: the audit log names the sections whose values changed."""

import hashlib
import json

from hntes.settings import Settings
from hntes.sql import audit, settings_seen
from hntes.sql.audit import NewEvent
from hntes.sql.session import transaction
from hntes.workflow.context import Context


def record_settings(context: Context) -> None:
    """Appends an event if the settings differ from those of the previous event; otherwise adds nothing."""
    now = fingerprints(context.settings)
    with transaction(context.database) as session:
        settings_seen.lock_settings(session)
        known = settings_seen.fingerprints(session)
        changed = sorted(name for name in known.keys() | now.keys() if known.get(name) != now.get(name))
        if changed:
            settings_seen.replace_fingerprints(session, now)
            text = json.dumps(now, sort_keys=True, separators=(",", ":"))
            note = f"changed: {', '.join(changed)}" if known else "first seen"
            digest = hashlib.sha256(text.encode()).hexdigest()
            audit.append(session, NewEvent("settings", note=note, content_hash=digest))


def fingerprints(settings: Settings) -> dict[str, str]:
    """Section of the settings -> the first 16 digits of the SHA-256 of its values, defaults included.

    The sections `paths`, `database` and `sites`, `web.accounts` and `web.tokens` are left out: they do not affect
    decisions.
    """
    document = json.loads(settings.model_dump_json(exclude={"web": {"accounts", "tokens"}}))
    return {
        name: hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]
        for name, values in document.items()
        if name not in ("paths", "database", "sites")
    }
