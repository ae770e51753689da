"""Structural check of a text against its pairs, without simulation; findings as data.

Packet sets are compared exactly (`hntes.platforms.regions`): a finding on a pair holds for each of its packets, and one
on other traffic for each packet outside.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Literal

from hntes.platforms.effective import BEST_EFFORT, Action, Edge, EffectiveModel, NextHop, Program
from hntes.platforms.lookup import Outcome, combined, taken
from hntes.platforms.ports import Finding, adopted_port_findings, port_findings
from hntes.platforms.regions import OwnedRegion, Region, RegionIndex, pieces, regions_of
from hntes.rules.pairs import PrefixPair

_WIDTH: dict[Literal[4, 6], int] = {4: 32, 6: 128}
_CLASSIFYING = ("filter", "classes")
_CARRYING = ("filter", "access_list", "paths")


def check_structure(
    model: EffectiveModel,
    pairs: Iterable[PrefixPair],
    *,
    alpha_queue: int,
    is_redirected: bool = False,
    port_buffer_ms: float = 100,
    is_adopted: bool = False,
) -> list[Finding]:
    """All findings on a text that do not depend on traffic; empty if there are none.

    Args:
        model: what was parsed.
        pairs: the rules: exactly their packets must reach the alpha queue.
        alpha_queue: the number of that queue. Where it is that of best effort, as with a plan of a single queue,
            other traffic may use it, too.
        is_redirected: exactly the pairs' packets must be redirected.
        port_buffer_ms: the buffer of a port, to which buffer shares refer.
        is_adopted: the ports' queues are the operator's, who answers for those of other classes.
    """
    wanted = list(pairs)
    findings = adopted_port_findings if is_adopted else port_findings
    found = list(findings(model, alpha_queue, port_buffer_ms))
    for name in model.merged:
        found.append(Finding("merged_object", name, f"{name} is merged with the router's object of this name"))
    versions: tuple[Literal[4, 6], ...] = (4, 6)
    for version in versions:
        of_family = [pair for pair in wanted if pair.ip_version == version]
        for where, edge in _distinct(model, version):
            found += _Check(model, edge, where, of_family, alpha_queue, is_redirected).findings()
    return found


def _distinct(model: EffectiveModel, version: int) -> Iterator[tuple[str, Edge]]:
    """One edge for each group with equal programs, and the names of the group."""
    groups: list[tuple[list[str], Edge]] = []
    for edge in model.edges:
        if edge.ip_version != version:
            continue
        name = f"{edge.interface} unit {edge.unit}"
        for names, other in groups:
            if other.programs == edge.programs:
                names.append(name)
                break
        else:
            groups.append(([name], edge))
    for names, edge in groups:
        yield f"IPv{version} on {', '.join(names)}", edge


@dataclass(frozen=True)
class _Indexed:
    """A program and the regions of its entries; `everything` is the region of the default action."""

    program: Program
    regions: tuple[tuple[Region, ...], ...]
    index: RegionIndex

    def passes(self, owner: int) -> bool:
        return self.program.entries[owner].action.disposition == "next"

    def steps(self, owners: tuple[int, ...]) -> list[tuple[Action, str | None]]:
        return taken(self.program, list(owners))

    def outcomes(self, model: EffectiveModel, region: Region) -> Iterator[tuple[Region, tuple[int, ...], Outcome]]:
        meeting = self.index.meeting(region)
        alike = self._all_alike(region, meeting)
        found = pieces(region, meeting, self.passes) if alike is None else iter([(region, (alike,))])
        for piece, owners in found:
            yield piece, owners, combined(model, [self.steps(owners)])

    def _all_alike(self, region: Region, meeting: list[OwnedRegion]) -> int | None:
        """An entry that contains the region, if all entries above that meet the region have the same action.

        Then it does not matter which of them takes a packet, and hosts inside of a wide pair need no split.
        """
        for owned in meeting:
            action = self.program.entries[owned.owner].action
            if action.disposition == "next" or action != self.program.entries[meeting[0].owner].action:
                return None
            if owned.region.holds(region):
                return owned.owner
        return None


def _indexed(program: Program, width: int) -> _Indexed:
    regions = tuple(tuple(regions_of(each.sources, each.destinations, width)) for each in program.entries)
    owned = [OwnedRegion(region, owner) for owner, several in enumerate(regions) for region in several]
    return _Indexed(program, regions, RegionIndex(owned))


class _Check:
    """One edge against the pairs of its family."""

    def __init__(
        self,
        model: EffectiveModel,
        edge: Edge,
        where: str,
        pairs: list[PrefixPair],
        alpha_queue: int,
        is_redirected: bool,
    ) -> None:
        self.model, self.edge, self.where = model, edge, where
        self.alpha_queue, self.is_redirected = alpha_queue, is_redirected
        self.width = _WIDTH[edge.ip_version]
        self.pairs = pairs
        self.pair_regions = [regions_of((each.source,), (each.destination,), self.width)[0] for each in pairs]
        self.pair_index = RegionIndex(OwnedRegion(region, owner) for owner, region in enumerate(self.pair_regions))
        self.programs = [_indexed(program, self.width) for program in edge.programs]
        self.everything = regions_of((), (), self.width)[0]

    def findings(self) -> Iterator[Finding]:
        if self.pairs and not any(each.program.kind in _CLASSIFYING for each in self.programs):
            yield self._finding("not_bound", "", f"nothing classifies {self.where}: no pair reaches the alpha queue")
        carriers = [each for each in self.programs if each.program.kind in _CARRYING]
        if self.pairs and self.is_redirected and not carriers:
            yield self._finding("pair_not_redirected", "", f"nothing redirects {self.where}")
        for each in self.programs:
            yield from self._pairs(each, self.is_redirected and each is self._carrier(carriers))
            yield from self._others(each)
            yield from self._shadowed(each)
            yield from self._unaccepted(each)

    def _carrier(self, carriers: list[_Indexed]) -> _Indexed | None:
        """The redirecting program: the first with a path, else the first that could have one."""
        for each in carriers:
            if self._has_path(each):
                return each
        return carriers[0] if carriers else None

    def _has_path(self, each: _Indexed) -> bool:
        actions = [entry.action for entry in each.program.entries]
        return any(one.path or self.model.path_of(one.forwarding_class) for one in actions)

    def _finding(self, kind: str, subject: str, sentence: str) -> Finding:
        return Finding(kind, subject or self.where, sentence)

    def _pairs(self, each: _Indexed, must_carry: bool) -> Iterator[Finding]:
        for pair, region in zip(self.pairs, self.pair_regions, strict=True):
            for piece, _, outcome in each.outcomes(self.model, region):
                wrong = self._wrong(each.program, outcome, must_carry)
                if wrong is not None:
                    kind, what = wrong
                    packet, by = self._packet(piece), outcome.term or "no entry"
                    yield self._finding(kind, str(pair), f"{self.where}: pair {pair}: {packet} {what} ({by})")
                    break

    def _wrong(self, program: Program, outcome: Outcome, must_carry: bool) -> tuple[str, str] | None:
        if outcome.discarded:
            return "pair_discarded", "is discarded"
        if program.kind in _CLASSIFYING and outcome.queue != self.alpha_queue:
            return "pair_not_alpha", f"goes to queue {outcome.queue}, not to queue {self.alpha_queue}"
        if must_carry and outcome.path is None:
            return "pair_not_redirected", "is not redirected"
        if isinstance(outcome.path, NextHop) and not outcome.path.resolves:
            return "path_unresolved", f"is redirected to {outcome.path.address}, which its table cannot reach"
        if outcome.path is not None and not self.is_redirected:
            return "pair_redirected", "is redirected, which the settings do not ask for"
        return None

    def _others(self, each: _Indexed) -> Iterator[Finding]:
        """Findings on entries that put more than the pairs into the alpha queue or on another path."""
        for owner, entry in enumerate(each.program.entries):
            if self._is_special(each.program, entry.action):
                for region in each.regions[owner]:
                    yield from self._beyond(each, region, entry.label)
        if self._is_special(each.program, each.program.final):
            yield from self._beyond(each, self.everything, "no entry matches")

    def _is_special(self, program: Program, action: Action) -> bool:
        queues = [action.queue, action.policer.conform.queue if action.policer is not None else None]
        to_alpha = program.kind in _CLASSIFYING and self.alpha_queue != BEST_EFFORT and self.alpha_queue in queues
        return to_alpha or action.path is not None or self.model.path_of(action.forwarding_class) is not None

    def _beyond(self, each: _Indexed, region: Region, label: str) -> Iterator[Finding]:
        inside = self.pair_index.meeting(region)
        if any(owned.region.holds(region) for owned in inside):
            return
        for outside, owners in pieces(region, inside):
            if owners:
                continue
            for piece, _, outcome in each.outcomes(self.model, outside):
                to_alpha = outcome.queue == self.alpha_queue != BEST_EFFORT and each.program.kind in _CLASSIFYING
                if outcome.discarded or not (to_alpha or outcome.path is not None):
                    continue
                kind, what = (
                    ("other_alpha", "reaches the alpha queue") if to_alpha else ("other_redirected", "is redirected")
                )
                sentence = f"{self.where}: {self._packet(piece)} belongs to no pair and {what} ({label})"
                yield self._finding(kind, label, sentence)
                return

    def _shadowed(self, each: _Indexed) -> Iterator[Finding]:
        for owner, entry in enumerate(each.program.entries):
            is_last = owner == len(each.program.entries) - 1
            if is_last and not entry.sources and not entry.destinations:
                continue
            if not any(self._reaches(each, region, owner) for region in each.regions[owner]):
                sentence = f"{self.where}: {entry.label} is shadowed: entries above match all of its packets"
                yield self._finding("shadowed_entry", entry.label, sentence)

    def _reaches(self, each: _Indexed, region: Region, owner: int) -> bool:
        above = [owned for owned in each.index.meeting(region) if owned.owner < owner and not each.passes(owned.owner)]
        if not above:
            return True
        return any(not owners for _, owners in pieces(region, above))

    def _unaccepted(self, each: _Indexed) -> Iterator[Finding]:
        """Findings on packets that reach the end of a list and are discarded, explicitly or implicitly."""
        if each.program.final.disposition != "discard":
            return
        entries = each.program.entries
        ends = [index for index, one in enumerate(entries) if not (one.sources or one.destinations)]
        last = next((index for index in ends if entries[index].action.disposition != "next"), None)
        if last is not None and entries[last].action.disposition == "accept":
            return
        for piece, owners in pieces(self.everything, each.index.meeting(self.everything), each.passes):
            if not owners or each.passes(owners[-1]) or owners[-1] == last:
                name = each.program.name or each.program.kind
                sentence = f"{self.where}: {self._packet(piece)} reaches the end of {name} and is discarded"
                yield self._finding("no_final_accept", name, sentence)
                return

    def _packet(self, piece: Region) -> str:
        kind = type(ip_address("0.0.0.0" if self.width == 32 else "::"))  # noqa: S104 - only its type is used
        return f"{kind(piece.source)} to {kind(piece.destination)}"
