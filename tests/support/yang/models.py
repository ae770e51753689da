"""The vendors' models of a folder, which has one sub-folder for each platform; see docs/how-to/test.md."""

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from tests.support.yang import cisco, iosxe, iosxr, junos
from tests.support.yang.data import Finding
from tests.support.yang.schema import PYANG, Node

VARIABLE = "HNTES_YANG"
_SCHEMAS: dict[str, Callable[[Path], Node]] = {"junos": junos.schema, "iosxr": iosxr.schema, "iosxe": iosxe.schema}
# Those whose models this module knows; SR OS and EOS have theirs in test_sros_yang.py and test_eos_yang.py.
KNOWN = tuple(_SCHEMAS)
_FORMS = {"iosxr": iosxr.FORMS, "iosxe": iosxe.FORMS}


def missing(platform: str) -> str | None:
    """Why a platform's texts cannot be judged here; None if they can."""
    if VARIABLE not in os.environ:
        return f"{VARIABLE} names no folder with the vendors' models"
    if not (Path(os.environ[VARIABLE]) / platform).is_dir():
        return f"{os.environ[VARIABLE]} has no folder {platform}"
    return None if PYANG else "pyang is not installed"


@cache
def schema(platform: str) -> Node:
    """A platform's schema; to load it takes half a minute and a gigabyte for Junos."""
    return _SCHEMAS[platform](Path(os.environ[VARIABLE]) / platform)


def findings(platform: str, text: str) -> list[Finding]:
    """The statements of a text that the vendor's models do not take."""
    if platform == "junos":
        return junos.findings(text, schema(platform))
    return cisco.findings(text, schema(platform), _FORMS[platform])
