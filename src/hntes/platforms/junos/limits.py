"""Limits of Junos."""

from collections.abc import Iterator

from hntes.rules.qos.model import RouterModel

UNITS = range(1_073_741_824)
# Juniper, fast-lookup-filter: at most 8,000 terms a filter.
MAX_FAST_LOOKUP_TERMS = 8_000


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each thing that Junos cannot take."""
    yield from operator_filter_problems(model)
    for each in model.interfaces:
        if each.unit not in UNITS:
            yield f"interface {each.name}: unit {each.unit} is above {UNITS[-1]}, the highest on junos; change it"
    for one in model.filters if model.fast_lookup else ():
        if len(one.all_terms) + 1 > MAX_FAST_LOOKUP_TERMS:
            yield (
                f"filter {one.name}: has {len(one.all_terms) + 1} terms; a fast-lookup filter takes "
                f"{MAX_FAST_LOOKUP_TERMS}; lower term_budget or switch fast_lookup_filter off"
            )


def operator_filter_problems(model: RouterModel) -> Iterator[str]:
    """What a filter in a list before the operator's cannot do."""
    if not any(each.operator_filters for each in model.interfaces):
        return
    if model.policers or model.three_color_policers:
        yield "plan with policers before an operator's filter: in a list, each interface has policers of its own"
    if model.redirect is not None and model.redirect.kind == "next_hop":
        yield "redirect to a next hop before an operator's filter: what it redirects, the other would not see"
    if model.fast_lookup:
        yield "fast_lookup_filter before an operator's filter: not known of lists; switch it off"
