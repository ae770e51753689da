"""The startup configuration of an IOS-XE router, and the archive for its rollback.

Storing saves the whole running configuration, so unsaved changes of others would be saved, too. Two kinds of lines
differ between the two without a change: the startup configuration refers to certificates by file, and older routers
adjust `ntp clock-period` automatically. That is general knowledge without a documented source.
"""

import re

from hntes.platforms.cisco.statements import foreign
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.owned_config import Statement

_BY_ITSELF = ("crypto pki certificate chain ", "ntp clock-period ")
_ARCHIVE_PATH = re.compile(r"^archive\n(?: .*\n)*? path \S", re.MULTILINE)
_SHOWN = 10


def require_archive(running: str) -> None:
    """Requires a configuration archive, which the timed rollback needs.

    Source: "Configuration Rollback Confirmed Change" and "Configuration Replace and Configuration Rollback": the
    configuration archive must be configured, with a path.

    Raises:
        DeliveryError: it has no archive.
    """
    if _ARCHIVE_PATH.search(running) is None:
        raise DeliveryError(
            "the router has no configuration archive, which the timed rollback needs: configure `archive`, "
            "below it `path bootflash:hntes-archive` and `maximum 10`, and save that (`write memory`)"
        )


def unsaved(running: str, stored: str) -> list[str]:
    """Differences outside of HNTES' part: `+` not saved, `-` saved but not in effect."""
    now, then = foreign(running), foreign(stored)
    lines = [f"+ {' '.join(each)}" for each in sorted(now - then) if not _is_by_itself(each)]
    lines += [f"- {' '.join(each)}" for each in sorted(then - now) if not _is_by_itself(each)]
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]


def _is_by_itself(statement: Statement) -> bool:
    return statement[0].startswith(_BY_ITSELF)
