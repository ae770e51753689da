"""The counter of the pairs' class in the output of an IOS-XE router.

Source: Cisco IOS Quality of Service Solutions Command Reference, "show policy-map interface" (a line `Class-map: NAME
(match-any)`, below it `N packets, M bytes`).
"""

import re

from hntes.platforms.cisco.counters import class_counter
from hntes.platforms.cisco.render import ALPHA_CLASS
from hntes.platforms.counters import Counter

_CLASS = re.compile(rf"^ *Class-map: {ALPHA_CLASS} \(match-\w+\) *\n *(.*)$", re.MULTILINE)
_COUNTED = re.compile(r"(\d{1,20}) packets, (\d{1,20}) bytes")


def iosxe_counter(said: str, interface: str) -> tuple[Counter, ...]:
    """Parses the counter; arguments and errors as `class_counter`."""
    return class_counter(said, interface, _CLASS, _COUNTED)
