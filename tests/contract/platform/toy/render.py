"""The model as lines of the toy language."""

from collections.abc import Iterator
from pathlib import Path

from hntes.platforms.flowspec_queues import alpha_class, first_note
from hntes.platforms.section import Section, header_section, render_sections
from hntes.rules.qos.model import FilterTerm, RouterModel

TEMPLATES = Path(__file__).parent / "templates"
NONE = "-"


def render(model: RouterModel) -> str:
    """The text of a valid model."""
    return _text(model, [], [*_queues(model), *_policers(model), *_pairs(model), *_edges(model)])


def render_marked(model: RouterModel, dscp: int) -> str:
    """Queues, chosen by a mark."""
    return _text(model, [first_note(dscp)], [*_queues(model), f"mark {dscp} {alpha_class(model)}"])


def _text(model: RouterModel, notes: list[str], lines: list[str]) -> str:
    head = header_section(model, notes, TEMPLATES)
    return render_sections([head, Section("toy/statements.j2", {"lines": lines}, TEMPLATES)])


def _queues(model: RouterModel) -> Iterator[str]:
    for each in model.forwarding_classes:
        yield f"class {each.name} {each.queue}"
    for profile in model.drop_profiles:
        yield f"profile {profile.name} {','.join(f'{one.fill_pct}:{one.drop_pct}' for one in profile.points)}"
    for one in model.schedulers:
        queue = model.queue_of(one.forwarding_class)
        marks = " ecn" if one.ecn else ""
        yield f"queue {queue} share {one.transmit_share_pct} buffer {one.buffer_share_pct} rank {one.priority}{marks}"
        yield from (f"drops {queue} {drop.loss_priority} {drop.drop_profile}" for drop in one.drops)
    yield from (f"core {name}" for name in sorted({each.name for each in model.interfaces if each.is_core}))


def _policers(model: RouterModel) -> Iterator[str]:
    for two in model.policers:
        over = "drop" if two.out_discard else "pass"
        marks = f"class {two.out_forwarding_class or NONE} loss {two.out_loss_priority or NONE}"
        yield f"meter {two.name} rate {two.rate_bps} burst {two.burst_bytes} over {over} {marks}"
    for three in model.three_color_policers:
        rates = f"cir {three.committed_rate_bps} cbs {three.committed_burst_bytes}"
        peak = f"pir {three.peak_rate_bps or NONE} ebs {three.excess_burst_bytes}"
        yield f"marker {three.name} {rates} {peak} red {'drop' if three.discard_red else 'pass'}"


def _pairs(model: RouterModel) -> Iterator[str]:
    for each in model.filters:
        for term in each.all_terms:
            match = f"{term.source} {term.destination} class {term.forwarding_class}"
            yield f"pair {term.name} {match} meter {term.policer or NONE} way {_way(model, term)}"


def _way(model: RouterModel, term: FilterTerm) -> str:
    if model.redirect is None or not term.redirect:
        return NONE
    return str(model.redirect.ipv4 if term.source.version == 4 else model.redirect.ipv6)


def _edges(model: RouterModel) -> Iterator[str]:
    for each in model.interfaces:
        for one in model.filters:
            if each.is_edge and one.all_terms and one.ip_version in each.ip_versions:
                yield f"edge {each.name} {each.unit} {one.ip_version}"
