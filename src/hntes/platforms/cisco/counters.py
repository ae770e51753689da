"""Counters of the class that all pairs share on IOS-XE and IOS-XR, by interface.

Access lists count packets and no bytes (`show access-lists`: "matches"), and what a class matches is counted there on
some platforms only, so lists are not asked.
"""

import re

from hntes.platforms.cisco.render import ALPHA_CLASS
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError

_REFUSED = "% "


def class_counter(said: str, interface: str, place: re.Pattern[str], form: re.Pattern[str]) -> tuple[Counter, ...]:
    """The counter of the pairs' class in what a router prints of an interface's policy; none without the class.

    Args:
        said: The answer to `show policy-map interface NAME input`.
        interface: That interface.
        place: Finds the class's line of numbers.
        form: The packets and bytes in it.

    Raises:
        DeliveryError: the router refused the command, or its words are not understood.
    """
    said = "\n".join(line.rstrip() for line in said.splitlines())
    if _REFUSED in said:
        raise DeliveryError(f"the router does not say what {interface} counts: {' '.join(said.split())[:200]}")
    classes = place.findall(said)
    if not classes and ALPHA_CLASS in said.split():
        raise DeliveryError(f"what the router prints of class {ALPHA_CLASS} on {interface} is not understood")
    if len(classes) > 1:
        raise DeliveryError(f"the router prints class {ALPHA_CLASS} on {interface} {len(classes)} times")
    for line in classes:
        counted = form.fullmatch(line.strip())
        if counted is None:
            raise DeliveryError(f"class {ALPHA_CLASS} on {interface}: `{line[:80]}` is no count of packets and bytes")
        return (Counter(ALPHA_CLASS, interface, int(counted[1]), int(counted[2])),)
    return ()
