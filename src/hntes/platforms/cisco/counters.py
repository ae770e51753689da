"""Counters of the class of all pairs on IOS-XE and IOS-XR, per interface.

Counters of access lists are not used: they count packets but not bytes (`show access-lists`: "matches"), and only some
platforms count the matches of classes there.
"""

import re

from hntes.platforms.cisco.render import ALPHA_CLASS
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError

_REFUSED = "% "


def class_counter(said: str, interface: str, place: re.Pattern[str], form: re.Pattern[str]) -> tuple[Counter, ...]:
    """The counter of the pairs' class in a router's output on an interface's policy; empty without the class.

    Args:
        said: The answer to `show policy-map interface NAME input`.
        interface: That interface.
        place: Matches the class and captures its line of numbers.
        form: Captures packets and bytes in that line.

    Raises:
        DeliveryError: the router refused the command, or its output cannot be parsed.
    """
    said = "\n".join(line.rstrip() for line in said.splitlines())
    if _REFUSED in said:
        raise DeliveryError(f"the router refused to show the counters of {interface}: {' '.join(said.split())[:200]}")
    classes = place.findall(said)
    if not classes and ALPHA_CLASS in said.split():
        raise DeliveryError(f"the router's output on class {ALPHA_CLASS} on {interface} cannot be parsed")
    if len(classes) > 1:
        raise DeliveryError(f"the router prints class {ALPHA_CLASS} on {interface} {len(classes)} times")
    for line in classes:
        counted = form.fullmatch(line.strip())
        if counted is None:
            raise DeliveryError(f"class {ALPHA_CLASS} on {interface}: `{line[:80]}` is no count of packets and bytes")
        return (Counter(ALPHA_CLASS, interface, int(counted[1]), int(counted[2])),)
    return ()
