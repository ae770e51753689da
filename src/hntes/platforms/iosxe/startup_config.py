"""The stored configuration of an IOS-XE router: what it starts with, and the archive that it goes back to.

Storing takes the whole running configuration, so somebody's change that waits to be stored would be stored with
HNTES'. Two kinds of lines differ between the two although nobody changed them: of a certificate the stored
configuration names a file, and older routers adjust `ntp clock-period` by themselves. That is general knowledge, seen
in no document.
"""

import re

from hntes.platforms.cisco.statements import foreign
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.owned_config import Statement

_BY_ITSELF = ("crypto pki certificate chain ", "ntp clock-period ")
_ARCHIVE_PATH = re.compile(r"^archive\n(?: .*\n)*? path \S", re.MULTILINE)
_SHOWN = 10


def require_archive(running: str) -> None:
    """Return if the router can go back by itself.

    Source: "Configuration Rollback Confirmed Change" and "Configuration Replace and Configuration Rollback": the
    configuration archive must be configured, with a path.

    Raises:
        DeliveryError: it has no archive.
    """
    if _ARCHIVE_PATH.search(running) is None:
        raise DeliveryError(
            "the router has no configuration archive, without which it cannot go back by itself: configure `archive`, "
            "below it `path bootflash:hntes-archive` and `maximum 10`, and store that (`write memory`)"
        )


def unsaved(running: str, stored: str) -> list[str]:
    """What is not HNTES' own and differs: `+` what is not stored, `-` what is stored and not in effect."""
    now, then = foreign(running), foreign(stored)
    lines = [f"+ {' '.join(each)}" for each in sorted(now - then) if not _is_by_itself(each)]
    lines += [f"- {' '.join(each)}" for each in sorted(then - now) if not _is_by_itself(each)]
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more"]


def _is_by_itself(statement: Statement) -> bool:
    return statement[0].startswith(_BY_ITSELF)
