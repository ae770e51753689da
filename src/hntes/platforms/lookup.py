"""Lookup of a packet in the filters of an edge: the matching entry and the outcome.

The programs of an edge are evaluated as on a router: the first matching entry decides, unless it says `next`. Entries
are indexed by prefix, so a lookup costs one access per nested prefix around the packet, not one per entry.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from hntes.addresses import Network
from hntes.platforms.effective import BEST_EFFORT, Action, Edge, EffectiveModel, Entry, Path, Policer, Program


@dataclass(frozen=True)
class Outcome:
    """The treatment of one packet on input. `term` is the label of the entry that set its class, if any.

    `policers` act on it in this order; `queue` is its queue while it conforms.
    """

    queue: int
    forwarding_class: str | None
    loss_priority: str
    policers: tuple[Policer, ...]
    path: Path | None
    discarded: bool
    term: str | None


class EntryIndex:
    """The entries of one program indexed by source prefix, then destination prefix."""

    def __init__(self, entries: tuple[Entry, ...], width: int) -> None:
        self.width = width
        self._found: dict[int, dict[int, dict[int, dict[int, list[int]]]]] = {}
        for index, entry in enumerate(entries):
            for source_length, source in _keys(entry.sources, width):
                by_destination = self._found.setdefault(source_length, {}).setdefault(source, {})
                for length, destination in _keys(entry.destinations, width):
                    by_destination.setdefault(length, {}).setdefault(destination, []).append(index)

    def matching(self, source: int, destination: int) -> list[int]:
        """The numbers of the entries that match the packet, in order."""
        found: list[int] = []
        for length, by_source in self._found.items():
            by_destination = by_source.get(source >> (self.width - length))
            if by_destination is not None:
                for other, entries in by_destination.items():
                    found += entries.get(destination >> (self.width - other), ())
        found.sort()
        return found


def _keys(prefixes: tuple[Network, ...], width: int) -> Iterator[tuple[int, int]]:
    if not prefixes:
        yield 0, 0
    for each in prefixes:
        yield each.prefixlen, int(each.network_address) >> (width - each.prefixlen)


class FilterLookup:
    """Lookup of packets in the programs of one edge."""

    def __init__(self, model: EffectiveModel, edge: Edge) -> None:
        self.model = model
        self.edge = edge
        self.width = 32 if edge.ip_version == 4 else 128
        self._indexes = [EntryIndex(program.entries, self.width) for program in edge.programs]

    def outcome(self, source: int, destination: int) -> Outcome:
        """The outcome of a packet between two addresses, given as integers."""
        steps = []
        for program, index in zip(self.edge.programs, self._indexes, strict=True):
            steps.append(taken(program, index.matching(source, destination)))
        return combined(self.model, steps)


def taken(program: Program, matching: list[int]) -> list[tuple[Action, str | None]]:
    """The actions of the matching entries, up to the terminating one, else the default action."""
    steps: list[tuple[Action, str | None]] = []
    for index in matching:
        entry = program.entries[index]
        steps.append((entry.action, entry.label))
        if entry.action.disposition != "next":
            return steps
    return [*steps, (program.final, None)]


def combined(model: EffectiveModel, programs: list[list[tuple[Action, str | None]]]) -> Outcome:
    """The outcome of the actions of all programs; a later action overrides an earlier one."""
    queue, loss, name = BEST_EFFORT, "low", None
    path: Path | None = None
    term: str | None = None
    discarded = False
    policers: list[Policer] = []
    for action, label in (step for steps in programs for step in steps):
        discarded |= action.disposition == "discard"
        if action.queue is not None:
            queue, name, term = action.queue, action.forwarding_class, label
        if action.policer is not None:
            policers.append(action.policer)
            if action.policer.conform.queue is not None:
                queue, term = action.policer.conform.queue, label
        loss = action.loss_priority or loss
        path = action.path or path
    return Outcome(queue, name, loss, tuple(policers), path or model.path_of(name), discarded, term)
