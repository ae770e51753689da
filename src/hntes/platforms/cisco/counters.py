"""What IOS-XE and IOS-XR routers count of the class that all pairs share, on one interface.

Sources: Cisco IOS Quality of Service Solutions Command Reference, "show policy-map interface" (a line `Class-map: NAME
(match-any)`, below it `N packets, M bytes`); for IOS-XR transcripts in the articles of xrdocs and in the tests of ttp
(`Class NAME`, below it `Classification statistics (packets/bytes) (rate - kbps)` with `Matched : N/M RATE`; `direction
input: Service Policy not installed`).

Access lists count packets and no bytes (`show access-lists`: "matches"), and what a class matches is counted there on
some platforms only, so lists are not asked.
"""

import re

from hntes.platforms.cisco.render import ALPHA_CLASS
from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError

_XE_CLASS = re.compile(rf"^ *Class-map: {ALPHA_CLASS} \(match-\w+\) *\n *(.*)$", re.MULTILINE)
_XE_COUNTED = re.compile(r"(\d{1,20}) packets, (\d{1,20}) bytes")
_XR_CLASS = re.compile(rf"^ *Class {ALPHA_CLASS} *\n *Classification statistics .*\n *Matched *: *(.*)$", re.MULTILINE)
_XR_COUNTED = re.compile(r"(\d{1,20})/(\d{1,20})(?: .*)?")
_REFUSED = "% "


def iosxe_counter(said: str, interface: str) -> tuple[Counter, ...]:
    """The counter of the pairs' class in what `show policy-map interface NAME input` prints; none without the class.

    Raises:
        DeliveryError: the router refused the command, or its words are not understood.
    """
    return _counter(said, interface, _XE_CLASS, _XE_COUNTED)


def iosxr_counter(said: str, interface: str) -> tuple[Counter, ...]:
    """As `iosxe_counter`, of IOS-XR.

    Raises:
        DeliveryError: as `iosxe_counter`.
    """
    return _counter(said, interface, _XR_CLASS, _XR_COUNTED)


def _counter(said: str, interface: str, place: re.Pattern[str], form: re.Pattern[str]) -> tuple[Counter, ...]:
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
