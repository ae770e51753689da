"""A piece of rendered text: a template and the checked values it prints."""

from collections.abc import Mapping
from dataclasses import dataclass

from hntes.rules.qos.json_form import model_hash
from hntes.rules.qos.model import RouterModel

# Raised when the same model would be written as other bytes.
GENERATOR = "hntes-render 5"

View = Mapping[str, object]

ECN_NOTE = "ECN: where packets that can carry a mark are marked (RFC 3168), the others are dropped early."


@dataclass(frozen=True)
class Section:
    """One template, by its path under templates/, and the view it prints."""

    template: str
    view: View


def header_section(model: RouterModel, notes: list[str]) -> Section:
    """The comment block on top. It holds no time: the same model gives the same bytes."""
    return Section(
        f"{model.platform}/header.j2",
        {
            "router": model.router,
            "platform": model.platform,
            "plan_kind": model.plan_kind,
            "ipv4_pairs": len(model.filter_of(4).terms),
            "ipv6_pairs": len(model.filter_of(6).terms),
            "model_hash": model_hash(model),
            "generator": GENERATOR,
            "reservations": sum(len(each.reserved) for each in model.filters),
            "notes": [*_flowspec_notes(model), *notes],
        },
    )


def _flowspec_notes(model: RouterModel) -> list[str]:
    if model.flowspec is None:
        return []
    redirect = f", redirect {model.flowspec.redirect}" if model.flowspec.redirect else ""
    return [
        f"Not to be loaded: BGP FlowSpec announces the pairs with DSCP {model.flowspec.dscp}{redirect}.",
        "What the gate judges is this text, in which filters put the same pairs into the same queue.",
    ]
