"""Removal of one pair from a model."""

from dataclasses import replace

from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import Filter, RouterModel


def without_pair(model: RouterModel, pair: PrefixPair) -> RouterModel:
    """The model without the term of exactly this pair; all other terms are unchanged."""
    return replace(model, filters=tuple(_without(each, pair) for each in model.filters))


def _without(each: Filter, pair: PrefixPair) -> Filter:
    return replace(each, terms=tuple(term for term in each.terms if term.pair != pair))
