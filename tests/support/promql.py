"""What an expression of PromQL asks for, as far as tests need it: the metrics by name, each with the labels it names.

Not a parser of PromQL: it knows names before a selector in braces, and the labels of `by`, `on` and `label_values`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_METRIC = re.compile(r"\b((?:hntes|node)_[a-z_]+)(?:\{([^}]*)\})?")
_LABEL = re.compile(r'([a-z_]+)\s*(?:=~|!~|!=|=)\s*"')
_GROUPED = re.compile(r"\b(?:by|on|without|ignoring)\s*\(([a-z_, ]*)\)")
_LISTED = re.compile(r"label_values\((\w+), (\w+)\)")
_SHOWN = re.compile(r"\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}")


@dataclass(frozen=True)
class MetricLabel:
    """A metric and a label of it that an expression names; "" for none."""

    metric: str
    label: str


def asked(expression: str) -> set[MetricLabel]:
    """What an expression asks for. Labels of a grouping are asked of every metric in it."""
    found = set(_selected(expression))
    grouped = {name.strip() for names in _GROUPED.findall(expression) for name in names.split(",")}
    found |= {MetricLabel(one.metric, label) for one in set(found) for label in grouped if label}
    return found | {MetricLabel(metric, label) for metric, label in _LISTED.findall(expression)}


def shown_labels(text: str) -> set[str]:
    """The labels that a legend or an alert's sentence prints."""
    return set(_SHOWN.findall(text)) - {"value"}


def _selected(expression: str) -> Iterator[MetricLabel]:
    for metric, selector in _METRIC.findall(expression):
        yield MetricLabel(metric, "")
        yield from (MetricLabel(metric, label) for label in _LABEL.findall(selector))
