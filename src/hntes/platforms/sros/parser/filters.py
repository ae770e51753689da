"""IP filters of SR OS as programs.

Sources: Router Configuration Guide, "Filter policies" (the first matching entry decides, in order of entry numbers; an
entry without an action is inactive; without a default-action of accept the rest is dropped); nokia-conf-filter, list
ip-filter and ipv6-filter.
"""

from typing import Literal

from hntes.addresses import Network
from hntes.platforms.effective import Action, Entry, Lsp, NextHop, Path, Policer, Program, Treatment
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.sros.classes import CLASSES
from hntes.platforms.sros.parser.tree import Node
from hntes.platforms.values import address, network, number

KIND: dict[Literal[4, 6], str] = {4: "ip-filter", 6: "ipv6-filter"}
LEAF: dict[Literal[4, 6], str] = {4: "ip", 6: "ipv6"}
HIGHEST_ENTRY = 2_097_151
# Where entries of HNTES begin in a filter of the operator's.
EMBED_OFFSET = 1_000_000
_MOST_KBPS = 2_000_000_000
_MOST_BURST_BYTES = 268_435_456
# A candidate says one scope at most, that of a filter which another embeds.
_SCOPES = ("embedded", "template", "exclusive")
# Names and statistics, which do not affect a packet's treatment.
_WATCHING = ("description", "filter-id", "scope", "collect-stats", "log", "filter-sample", "interface-sample")


class FilterReader:
    """Reader of the filters of one text. `is_whole`: the text is a router's whole configuration."""

    def __init__(self, configure: Node, is_whole: bool) -> None:
        self.configure = configure
        self.is_whole = is_whole
        self.used: list[Node] = []
        self._programs: dict[tuple[str, int], Program] = {}

    def program(self, name: Node, version: Literal[4, 6]) -> Program:
        """The filter that a binding names.

        Raises:
            ParseError: it is not in the text, or a statement of it cannot be parsed.
        """
        body = self.configure.child("filter", KIND[version], name.word)
        if body is None:
            raise name.refused(f"{KIND[version]} {name.word} is not in the text")
        return self.of(body, version)

    def embedded(self, body: Node, version: Literal[4, 6]) -> Program:
        """The entries of HNTES in a filter of the operator's that embeds them; what his entries drop is dropped.

        Raises:
            ParseError: the filter embeds none, or more, or would let packets of pairs past an entry.
        """
        self.used.append(body)
        embed = body.need("embed")
        embed.only("filter")
        names = list(embed.need("filter"))
        if len(names) != 1 or not OWN_NAME.fullmatch(names[0].word):
            raise embed.refused("only one embedded filter, of HNTES, is understood")
        (own,) = names
        own.only("offset")
        (offset,) = own.need("offset")
        if offset.word != str(EMBED_OFFSET):
            raise offset.refused(f"HNTES' entries are embedded at {EMBED_OFFSET}: behind what the operator drops")
        offset.only("admin-state")
        if _one_of(offset.need("admin-state"), "enable", "disable") == "disable":
            raise offset.refused("is disabled: nothing classifies the pairs")
        if self.is_whole and (reason := unfit(body)):
            raise body.refused(reason)
        found = self.configure.child("filter", KIND[version], own.word)
        if found is None:
            raise own.refused(f"{KIND[version]} {own.word} is not in the text")
        return self.of(found, version)

    def of(self, body: Node, version: Literal[4, 6]) -> Program:
        """A filter as a program, each parsed once."""
        key = body.word, version
        if key not in self._programs:
            self.used.append(body)
            self._programs[key] = self._program(body, version)
        return self._programs[key]

    def _program(self, body: Node, version: Literal[4, 6]) -> Program:
        body.only("default-action", "scope", "entry", *(_WATCHING if self.is_whole else ()))
        scope, default = body.child("scope"), body.child("default-action")
        if scope is not None and _one_of(scope, *_SCOPES[: None if self.is_whole else 1]) == "embedded":
            if default is not None:
                raise default.refused("an embedded filter has no default action")
            return Program("filter", self._all(body, version), Action(), body.word)
        final = Action(
            "accept" if default is not None and _one_of(default, "accept", "drop") == "accept" else "discard"
        )
        return Program("filter", self._all(body, version), final, body.word)

    def _all(self, body: Node, version: Literal[4, 6]) -> tuple[Entry, ...]:
        numbered = {number(each.word, 1, HIGHEST_ENTRY, each.line, each.path, "entry"): each for each in _entries(body)}
        read = (self._entry(numbered[key], version) for key in sorted(numbered))
        return tuple(each for each in read if each is not None)

    def _entry(self, entry: Node, version: Literal[4, 6]) -> Entry | None:
        """None for an entry without an action, which is inactive."""
        entry.only("match", "action", "description", *(_WATCHING if self.is_whole else ()))
        described = entry.child("description") if self.is_whole else entry.need("description")
        label = described.leaf().word if described is not None else f"entry {entry.word}"
        action = entry.child("action") if self.is_whole else entry.need("action")
        if action is None:
            return None
        sources, destinations = self._match(entry, version)
        return Entry(sources, destinations, self._action(action, version), label, entry.line)

    def _match(self, entry: Node, version: Literal[4, 6]) -> tuple[tuple[Network, ...], tuple[Network, ...]]:
        match = entry.child("match") if self.is_whole else entry.need("match")
        if match is None:
            return (), ()
        match.only("src-ip", "dst-ip")
        if not self.is_whole:
            match.need("src-ip")
            match.need("dst-ip")
        source, destination = (_prefix(match.child(side), version) for side in ("src-ip", "dst-ip"))
        return source, destination

    def _action(self, action: Node, version: Literal[4, 6]) -> Action:
        action.only("fc", "accept", "drop", "forward", "rate-limit")
        chosen = [each for word in ("accept", "drop", "forward") if (each := action.child(word)) is not None]
        if len(chosen) != 1:
            raise action.refused("needs one of accept, drop and forward")
        (verb,) = chosen
        if verb.word != "forward":
            verb.end().take()
        if verb.word == "drop":
            return Action("discard")
        queue = None
        if (stated := action.child("fc")) is not None:
            queue = CLASSES.index(_one_of(stated, *CLASSES))
        limit = action.child("rate-limit")
        policer = _rate_limit(limit) if limit is not None else None
        path = _path(verb, version) if verb.word == "forward" else None
        return Action("accept", queue, None if queue is None else CLASSES[queue], None, policer, path)


def unfit(body: Node) -> str | None:
    """Why an operator's filter cannot embed that of HNTES; None if it can.

    The first matching entry decides, so that all of his must come first and drop: a packet that he accepts before would
    keep its class, and one that he drops behind would pass.
    """
    for each in body:
        if each.word not in ("default-action", "entry", "embed", "description", "filter-id", "scope"):
            return f"has `{each.word}`, beside which HNTES embeds nothing"
    embedded = body.child("embed")
    names = [each.word for kind in embedded or () for each in kind]
    if not all(map(OWN_NAME.fullmatch, names)):
        return "embeds others, whose entries are not read"
    if (scope := body.child("scope")) is not None and not {"template", "exclusive"} & set(scope.children):
        return "is embedded itself, or of the system"
    default = body.child("default-action")
    if default is None or "accept" not in default.children:
        return "drops by default, so that packets of pairs could only be accepted past it"
    for entry in body.child("entry") or ():
        action = entry.child("action")
        if not entry.word.isdigit() or int(entry.word) >= EMBED_OFFSET:
            return f"has entry {entry.word}, where those of HNTES are embedded (from {EMBED_OFFSET} on)"
        if action is not None and set(action.children) != {"drop"}:
            return f"has entry {entry.word} that does not drop: its packets would keep their class"
    return None


def _entries(body: Node) -> list[Node]:
    return list(body.child("entry") or ())


def _one_of(stated: Node, *known: str) -> str:
    value = stated.leaf()
    if value.word not in known:
        raise value.refused(f"{value.word!r} is none of {', '.join(known)}")
    return value.word


def _prefix(side: Node | None, version: Literal[4, 6]) -> tuple[Network, ...]:
    """The prefixes of one side of a match; () for any."""
    if side is None:
        return ()
    side.only("address", "mask")
    leaf = side.need("address").leaf()
    stated = side.child("mask")
    if stated is None:
        found = network(leaf.word, version, leaf.line, leaf.path)
    elif "/" in leaf.word:
        raise stated.refused(f"stands beside an address with a prefix length, in line {leaf.line}")
    else:
        mask = stated.leaf()
        found = network(f"{leaf.word}/{mask.word}", version, mask.line, mask.path)
    return (found,) if found.prefixlen else ()


def _rate_limit(limit: Node) -> Policer:
    """nokia-conf-filter, action rate-limit: packets above the rate are dropped; pir in kbit/s, mbs in bytes."""
    limit.only("pir", "mbs")
    rate, burst = limit.need("pir").leaf(), limit.need("mbs").leaf()
    kbps = number(rate.word, 0, _MOST_KBPS, rate.line, rate.path, "pir")
    burst_bytes = number(burst.word, 0, _MOST_BURST_BYTES, burst.line, burst.path, "mbs")
    discarded = Treatment(discard=True)
    return Policer(1_000 * kbps, burst_bytes, None, None, False, Treatment(), discarded, None, "term", False)


def _path(forward: Node, version: Literal[4, 6]) -> Path:
    """Forwarding to a next hop or an LSP; when it is down, the routing table decides (PBR down action)."""
    forward.only("next-hop", "lsp")
    lsp, hop = forward.child("lsp"), forward.child("next-hop")
    if lsp is not None and hop is None:
        return Lsp(lsp.leaf().word)
    if hop is None or lsp is not None:
        raise forward.refused("needs one of next-hop and lsp")
    hop.only("nh-ip")
    stated = hop.need("nh-ip")
    stated.only("address", "indirect")
    leaf = stated.need("address").leaf()
    indirect = stated.child("indirect")
    resolves = indirect is not None and _one_of(indirect, "true", "false") == "true"
    return NextHop(address(leaf.word, version, leaf.line, leaf.path), resolves)
