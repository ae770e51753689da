"""Keys that were renamed or have gone: the former ones are read, with a warning, so that an upgrade stops no night."""

import logging
from typing import Any

# The logger whose messages the command line prints.
_WARNINGS = logging.getLogger("hntes.warning")


def with_current_keys(document: dict[str, Any]) -> dict[str, Any]:
    """The document of a settings file with former keys under their new names, and without those that have none.

    A former key beside its new name stays, and is refused as unknown.
    """
    current = dict(document)
    if "trial" in current and "replay" not in current and isinstance(current["trial"], dict):
        current["replay"] = _renamed(
            current.pop("trial"), "until", "latest_day", "[trial] is [replay] now, and its until"
        )
    if isinstance(current.get("gate"), dict):
        current["gate"] = _renamed(current["gate"], "hosts", "tcp_profiles", "gate.hosts")
    if isinstance(current.get("analytics"), dict) and isinstance(current["analytics"].get("spark"), dict):
        spark = _without(current["analytics"]["spark"], ("shuffle_partitions", "max_result_rows"), "analytics.spark")
        current["analytics"] = current["analytics"] | {"spark": spark}
    if isinstance(current.get("routers"), list):
        current["routers"] = [
            _renamed(each, "judge_beside", "simulate_with_running_config", "routers.judge_beside")
            if isinstance(each, dict)
            else each
            for each in current["routers"]
        ]
    return current


def _renamed(table: dict[str, Any], former: str, current: str, shown: str) -> dict[str, Any]:
    if former not in table or current in table:
        return table
    _WARNINGS.warning("settings: %s is called %s now; rename it", shown, current)
    return {current if key == former else key: value for key, value in table.items()}


def _without(table: dict[str, Any], gone: tuple[str, ...], shown: str) -> dict[str, Any]:
    for key in gone:
        if key in table:
            _WARNINGS.warning("settings: %s.%s has no effect any more; remove it", shown, key)
    return {key: value for key, value in table.items() if key not in gone}
