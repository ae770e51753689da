"""Counters of the rules of EOS' traffic policies.

Sources: the form of `show traffic-policy ... detail` in published listings (`Actions: Count: N packets`);
arista-traffic-policy.yang, matched-packets and matched-octets, EOS-4.32.1F and later. That a release lists octets
behind packets is not in a public text that was read.
"""

import re
from collections import Counter as Sums
from collections.abc import Iterator

from hntes.platforms.counters import Counter
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.grammar import OWN_NAME

COMMAND = "show traffic-policy interface detail"
_POLICY = re.compile(r"Traffic policy (\S+)")
_RULE = re.compile(r" +match (\S+) ipv[46]")
_COUNT = re.compile(r" +(?:Actions: +)?Count:(?: \S+)? (\d{1,20}) packets(?:, (\d{1,20}) bytes)?.*")
_DEFAULT = "-all-default"


def policy_counters(said: str) -> tuple[Counter, ...]:
    """The counters of the rules of HNTES' policies, over all of them and all interfaces.

    Raises:
        DeliveryError: a rule counts packets alone.
    """
    packets, octets = Sums[str](), Sums[str]()
    for rule, counted, size in _counted(said):
        if size is None:
            raise DeliveryError(f"the router lists packets of {rule} without bytes, which its release cannot count")
        packets[rule] += int(counted)
        octets[rule] += int(size)
    return tuple(Counter(rule, "", packets[rule], octets[rule]) for rule in packets)


def _counted(said: str) -> Iterator[tuple[str, str, str | None]]:
    is_own, rule = False, ""
    for line in said.splitlines():
        if (policy := _POLICY.match(line)) is not None:
            is_own, rule = OWN_NAME.fullmatch(policy[1]) is not None, ""
        elif (match := _RULE.fullmatch(line)) is not None:
            rule = match[1] if is_own and not match[1].endswith(_DEFAULT) else ""
        elif rule and (count := _COUNT.fullmatch(line)) is not None:
            yield rule, count[1], count[2]
