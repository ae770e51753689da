"""From a model to the text of a router's configuration."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from hntes.platforms.iosxe.render import iosxe_sections
from hntes.platforms.iosxr.render import iosxr_sections
from hntes.platforms.junos.render import junos_sections
from hntes.platforms.section import Section
from hntes.rules.qos.model import RouterModel
from hntes.rules.qos.validate import validate

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"

_SECTIONS = {"junos": junos_sections, "iosxr": iosxr_sections, "iosxe": iosxe_sections}


def render(model: RouterModel) -> str:
    """The configuration of one router, ending in a newline. Equal models give equal bytes.

    Raises:
        ModelError: the model must not be rendered; nothing is written.
    """
    validate(model)
    return "".join(render_section(section) for section in sections(model))


def sections(model: RouterModel) -> list[Section]:
    """The templates and views that make up a valid model's text, in order."""
    return _SECTIONS[model.platform](model)


def render_section(section: Section) -> str:
    """One section's text.

    Raises:
        jinja2.UndefinedError: the template asks for a key that the view lacks.
    """
    return environment().get_template(section.template).render(section.view)


@cache
def environment() -> Environment:
    """The template environment of router configurations."""
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Configuration text, not HTML: escaping would corrupt it. Every value has passed `validate`.
        autoescape=False,  # noqa: S701
    )
