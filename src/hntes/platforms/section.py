"""A piece of rendered text: a template and the checked values it prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hntes.rules.qos.json_form import model_hash
from hntes.rules.qos.model import RouterModel

if TYPE_CHECKING:
    from jinja2 import Environment

# Incremented when the same model is rendered as other bytes.
GENERATOR = "hntes-render 5"
TEMPLATES = Path(__file__).resolve().parents[1] / "templates"

View = Mapping[str, object]

ECN_NOTE = "ECN: where packets that can carry a mark are marked (RFC 3168), the others are dropped early."


@dataclass(frozen=True)
class Section:
    """One template, by its path below `folder`, and the view that it prints."""

    template: str
    view: View
    folder: Path = TEMPLATES


def render_sections(sections: Iterable[Section]) -> str:
    """The text of sections, one after the other."""
    return "".join(render_section(each) for each in sections)


def render_section(section: Section) -> str:
    """One section's text.

    Raises:
        jinja2.UndefinedError: the template asks for a key that the view lacks.
    """
    return _environment(section.folder).get_template(section.template).render(section.view)


@cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Configuration text, not HTML: escaping would corrupt it. Every value has passed `validate`.
        autoescape=False,  # noqa: S701
    )


def header_section(model: RouterModel, notes: list[str], folder: Path = TEMPLATES) -> Section:
    """The comment block at the top. It has no timestamp: the same model gives the same bytes."""
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
        folder,
    )


def _flowspec_notes(model: RouterModel) -> list[str]:
    if model.flowspec is None:
        return []
    redirect = f", redirect {model.flowspec.redirect}" if model.flowspec.redirect else ""
    return [
        f"Not to be loaded: BGP FlowSpec announces the pairs with DSCP {model.flowspec.dscp}{redirect}.",
        "What the gate judges is this text, in which filters put the same pairs into the same queue.",
    ]
