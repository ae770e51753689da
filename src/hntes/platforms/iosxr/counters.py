"""The counter of the pairs' class in the output of an IOS-XR router.

Sources: transcripts in the articles of xrdocs and in the tests of ttp (`Class NAME`, below it `Classification
statistics (packets/bytes) (rate - kbps)` with `Matched : N/M RATE`; `direction input: Service Policy not installed`).
"""

import re

from hntes.platforms.cisco.counters import class_counter
from hntes.platforms.cisco.render import ALPHA_CLASS
from hntes.platforms.counters import Counter

_CLASS = re.compile(rf"^ *Class {ALPHA_CLASS} *\n *Classification statistics .*\n *Matched *: *(.*)$", re.MULTILINE)
_COUNTED = re.compile(r"(\d{1,20})/(\d{1,20})(?: .*)?")


def iosxr_counter(said: str, interface: str) -> tuple[Counter, ...]:
    """Parses the counter; arguments and errors as `class_counter`."""
    return class_counter(said, interface, _CLASS, _COUNTED)
