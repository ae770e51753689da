"""Traffic policies of EOS as programs.

Sources: EOS User Manual, "Traffic Management"; the configurations that Arista's AVD is tested with (traffic-policies):
the first matching rule of a family decides, ipv4-all-default and ipv6-all-default stand behind all others and may have
actions, too, and a rule that does not drop lets packets pass.
"""

import re
from typing import Literal

from hntes.addresses import Network
from hntes.platforms.cisco.parser.tree import Section
from hntes.platforms.effective import Action, Entry, NextHop, Policer, Program, Treatment
from hntes.platforms.eos.classes import class_name, queue_of
from hntes.platforms.eos.parser.listing import traffic_policies
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.values import address, network, number

Version = Literal[4, 6]
_FAMILIES: dict[str, Version] = {"ipv4": 4, "ipv6": 6}
_DEFAULT = "-all-default"
HIGHEST_CLASS = 7
_POLICE = re.compile(r"police rate (\d+) kbps burst-size (\d+) bytes")
_MOST_KBPS, _LEAST_BURST_BYTES, _MOST_BURST_BYTES = 200_000_000, 256, 128_000_000


class PolicyReader:
    """Reader of the traffic policies of one text."""

    def __init__(self, root: Section) -> None:
        self.root = root
        self._policies: dict[str, dict[Version, Program]] = {}

    def program(self, line: Section, version: Version) -> Program | None:
        """The rules of a family in the policy that an interface line names; None if it has none.

        Raises:
            ParseError: the policy is not in the text, or a statement of it cannot be parsed.
        """
        name = line.words[-1]
        if not OWN_NAME.fullmatch(name):
            raise line.refused("only a traffic policy of HNTES is understood on a judged edge")
        if name not in self._policies:
            found = [each for each in traffic_policies(self.root) if each.words[1:] == (name,)]
            if not found:
                raise line.refused(f"traffic-policy {name} is not in the text")
            self._policies[name] = self._read(found)
        return self._policies[name].get(version)

    def _read(self, found: list[Section]) -> dict[Version, Program]:
        if len(found) > 1:
            raise found[1].refused(f"is defined twice, first in line {found[0].line}")
        (policy,) = found
        policy.take()
        rules: dict[Version, list[Entry]] = {4: [], 6: []}
        names: dict[str, Section] = {}
        ended: dict[Version, Action] = {}
        for each in policy:
            if len(each.words) != 3 or each.words[0] != "match" or each.words[2] not in _FAMILIES:
                raise each.refused("is not understood in a traffic policy: only `match NAME ipv4` or ipv6")
            name, version = each.words[1], _FAMILIES[each.words[2]]
            if name in names:
                raise each.refused(f"is the name of a rule above, in line {names[name].line}")
            if version in ended:
                raise each.refused("stands behind the default rule of its family")
            names[name] = each
            each.take()
            if name.endswith(_DEFAULT):
                if name != f"{each.words[2]}{_DEFAULT}":
                    raise each.refused("is the default rule of another family")
                ended[version] = self._default(each, version)
            else:
                rules[version].append(self._rule(each, version))
        return {
            version: Program("filter", tuple(entries), ended.get(version, Action()), policy.words[1])
            for version, entries in rules.items()
            if entries or ended.get(version, Action()) != Action()
        }

    def _default(self, rule: Section, version: Version) -> Action:
        """What becomes of packets that match no rule: they pass, unless actions say otherwise."""
        found = list(rule)
        for each in found:
            if each.words != ("actions",) or each is not found[0]:
                raise each.refused("is not understood in a default rule: it has nothing, or `actions` once")
        return self._action(found[0], version) if found else Action()

    def _rule(self, rule: Section, version: Version) -> Entry:
        parts: dict[str, Section] = {}
        for each in rule:
            if each.words[0] not in ("source", "destination", "actions"):
                raise each.refused("is not understood in a rule")
            if each.words[0] in parts:
                raise each.refused(
                    f"is the second `{each.words[0]}` of a rule, behind line {parts[each.words[0]].line}"
                )
            parts[each.words[0]] = each
        if len(parts) != 3:
            raise rule.refused("needs a source prefix, a destination prefix and actions")
        source, destination = (_prefix(parts[side], version) for side in ("source", "destination"))
        if parts["actions"].words != ("actions",):
            raise parts["actions"].refused("is not understood in a rule")
        return Entry(source, destination, self._action(parts["actions"], version), rule.words[1], rule.line)

    def _action(self, actions: Section, version: Version) -> Action:
        said = _said(actions)
        if "count" in said and said["count"].words != ("count",):
            raise said["count"].refused("only `count` is understood")
        if (drop := said.pop("drop", None)) is not None:
            if drop.words != ("drop",) or said.keys() - {"count"}:
                raise drop.refused("only `drop` alone, or with `count`, is understood")
            return Action("discard")
        for word in ("count", "set"):
            if word not in said:
                raise actions.refused(f"needs `{word}`")
        mark, police, way = said.pop("set"), said.pop("police", None), said.pop("redirect", None)
        for name in said.keys() - {"count"}:
            raise said[name].refused("is not understood as an action")
        if mark.words[:-1] != ("set", "traffic", "class"):
            raise mark.refused("only `set traffic class N` is understood")
        queue = queue_of(number(mark.words[-1], 0, HIGHEST_CLASS, mark.line, mark.text, "traffic class"))
        policer = None if police is None else _policer(police)
        path = None if way is None else self._next_hop(way, version)
        return Action("accept", queue, class_name(queue), None, policer, path)

    def _next_hop(self, line: Section, version: Version) -> NextHop:
        """Without `fec hierarchical` a group takes hops of connected networks only."""
        if line.words[:-1] != ("redirect", "next-hop", "group"):
            raise line.refused("only `redirect next-hop group NAME` is understood")
        name = line.words[-1]
        found = [each for each in self.root if each.words[:2] == ("nexthop-group", name)]
        if len(found) != 1 or not OWN_NAME.fullmatch(name):
            raise line.refused(f"{len(found)} next-hop groups of HNTES have this name; needs one")
        (group,) = found
        lines = [each for each in group if each.words != ("fec", "hierarchical")]
        if group.words[2:] != ("type", "ip") or len(lines) != 1 or lines[0].words[:3] != ("entry", "0", "nexthop"):
            raise group.refused(
                "only `type ip` with `fec hierarchical` and one entry, `entry 0 nexthop`, is understood"
            )
        for each in (group, *group):
            each.take()
        for each in group:
            each.end()
        hop = lines[0]
        if len(hop.words) != 4 or len(group.children) > 2:
            raise hop.refused("only `entry 0 nexthop ADDRESS` is understood")
        return NextHop(address(hop.words[3], version, hop.line, hop.text), resolves=len(group.children) == 2)


def _said(actions: Section) -> dict[str, Section]:
    """The lines of actions by their first words, each once."""
    actions.take()
    said: dict[str, Section] = {}
    for each in actions:
        each.end()
        if each.words[0] in said:
            raise each.refused(f"is the second `{each.words[0]}` of a rule, behind line {said[each.words[0]].line}")
        said[each.words[0]] = each
        each.take()
    return said


def _prefix(line: Section, version: Version) -> tuple[Network, ...]:
    if len(line.words) != 3 or line.words[1] != "prefix":
        raise line.refused("only one prefix is understood")
    line.end()
    line.take()
    found = network(line.words[2], version, line.line, line.text)
    return (found,) if found.prefixlen else ()


def _policer(line: Section) -> Policer:
    said = _POLICE.fullmatch(line.text)
    if said is None:
        raise line.refused("only `police rate N kbps burst-size N bytes` is understood")
    kbps = number(said[1], 8, _MOST_KBPS, line.line, line.text, "rate")
    burst = number(said[2], _LEAST_BURST_BYTES, _MOST_BURST_BYTES, line.line, line.text, "burst-size")
    dropped = Treatment(discard=True)
    return Policer(1_000 * kbps, burst, None, None, False, Treatment(), dropped, None, "term", False)
