"""Checks of the target configuration at a commit of IOS-XR.

Sources: Modular QoS Configuration Guide and Command Reference for the ASR 9000, "bandwidth" (percentages of a policy
are at most 100), "service-policy", "class (policy-map)". The messages behind `!!%` name the process that refuses; their
exact words are ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.devices.cisco.section import Section


@dataclass(frozen=True)
class Failure:
    """lines: of the configuration that was refused, from its outermost section on."""

    lines: tuple[str, ...]
    message: str


def failures(root: Section) -> list[Failure]:
    return [*_policies(root), *_interfaces(root), *_class_maps(root)]


def _class_names(root: Section) -> set[str]:
    return {each.words()[-1] for each in root.starting("class-map")} | {"class-default"}


def _policies(root: Section) -> Iterator[Failure]:
    defined = _class_names(root)
    policies = {each.words()[-1] for each in root.starting("policy-map")}
    for policy in root.starting("policy-map"):
        total = 0
        for entry in policy.starting("class"):
            name = entry.words()[-1]
            where = (policy.text, " " + entry.text)
            if name not in defined:
                yield Failure(where, f"'POLICYMGR' detected the 'warning' condition: Class-map {name} not configured")
            for child in entry.starting("service-policy"):
                if child.words()[-1] not in policies:
                    yield Failure((*where, "  " + child.text), _undefined_policy(child.words()[-1]))
            shares = [line.words() for line in entry.starting("bandwidth percent")]
            total += sum(int(words[2]) for words in shares)
            if shares and total > 100:
                message = (
                    f"'qos-ma' detected the 'warning' condition: Sum of bandwidth percent is {total}, more than 100"
                )
                yield Failure((*where, f"  bandwidth percent {shares[0][2]}"), message)


def _undefined_policy(name: str) -> str:
    return f"'POLICYMGR' detected the 'warning' condition: Policy-map {name} not configured"


def _interfaces(root: Section) -> Iterator[Failure]:
    policies = {each.words()[-1] for each in root.starting("policy-map")}
    for interface in root.starting("interface"):
        for line in interface.starting("service-policy"):
            if line.words()[-1] not in policies:
                yield Failure((interface.text, " " + line.text), _undefined_policy(line.words()[-1]))


def _class_maps(root: Section) -> Iterator[Failure]:
    lists = {tuple(each.words()) for family in ("ipv4", "ipv6") for each in root.starting(f"{family} access-list")}
    for each in root.starting("class-map"):
        for line in each.starting("match access-group"):
            family, name = line.words()[2:4]
            if (family, "access-list", name) not in lists:
                message = f"'POLICYMGR' detected the 'warning' condition: ACL {name} not configured"
                yield Failure((each.text, " " + line.text), message)
