"""Separation of reservations from a model: all criteria but premium judge only alpha and beta."""

from dataclasses import dataclass, replace

from hntes.platforms.effective import Edge, EffectiveModel, Entry


@dataclass(frozen=True)
class ReservedSplit:
    """A model without its reservations, and their entries, each once over all interfaces."""

    rest: EffectiveModel
    reserved: tuple[Entry, ...]


def split_reserved(model: EffectiveModel, premium_queue: int | None) -> ReservedSplit:
    """Removes the entries that put packets into the premium queue; None: there is no such queue."""
    if premium_queue is None:
        return ReservedSplit(model, ())
    taken: dict[Entry, None] = {}
    edges = []
    for edge in model.edges:
        taken |= dict.fromkeys(one for each in edge.programs for one in each.entries if _is_of(one, premium_queue))
        edges.append(_without(edge, premium_queue))
    return ReservedSplit(replace(model, edges=tuple(edges)), tuple(taken))


def _without(edge: Edge, queue: int) -> Edge:
    programs = (
        replace(each, entries=tuple(one for one in each.entries if not _is_of(one, queue))) for each in edge.programs
    )
    return replace(edge, programs=tuple(programs))


def _is_of(entry: Entry, queue: int) -> bool:
    policer = entry.action.policer
    return queue in (entry.action.queue, policer.conform.queue if policer is not None else None)
