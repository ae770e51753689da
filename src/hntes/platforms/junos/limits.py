"""Limits of Junos."""

from collections.abc import Iterator

from hntes.rules.qos.model import RouterModel

UNITS = range(1_073_741_824)
# Juniper, fast-lookup-filter: at most 8,000 terms per filter.
MAX_FAST_LOOKUP_TERMS = 8_000


def problems(model: RouterModel) -> Iterator[str]:
    """One line for each part of the model that Junos does not support."""
    yield from operator_filter_problems(model)
    for each in model.interfaces:
        if each.unit not in UNITS:
            yield f"interface {each.name}: unit {each.unit} is above {UNITS[-1]}, the highest on junos; change it"
    for one in model.filters if model.fast_lookup else ():
        if len(one.all_terms) + 1 > MAX_FAST_LOOKUP_TERMS:
            yield (
                f"filter {one.name}: has {len(one.all_terms) + 1} terms; a fast-lookup filter allows "
                f"{MAX_FAST_LOOKUP_TERMS}; lower term_budget or switch fast_lookup_filter off"
            )


def operator_filter_problems(model: RouterModel) -> Iterator[str]:
    """Features that a filter followed by an operator's filter in a list does not support."""
    if not any(each.operator_filters for each in model.interfaces):
        return
    if model.policers or model.three_color_policers:
        yield "plan with policers before an operator's filter: in a list, policers are per interface"
    if model.redirect is not None and model.redirect.kind == "next_hop":
        yield "redirect to a next hop before an operator's filter: redirected packets would bypass that filter"
    if model.fast_lookup:
        yield "fast_lookup_filter before an operator's filter: not supported in an input-list; disable it"
