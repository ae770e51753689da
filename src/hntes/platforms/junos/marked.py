"""The Junos text of a router with FlowSpec delivery: queues, and a classifier for the mark."""

from hntes.platforms.flowspec_queues import alpha_class, first_note
from hntes.platforms.junos.render import junos_sections
from hntes.platforms.section import Section, header_section
from hntes.rules.qos.model import RouterModel

# The sections besides head and classifier; all others of a router's text are for filters.
_KEPT = ("junos/class_of_service.j2", "junos/interfaces.j2")
_NOTES = (
    "Load with `load replace`. The classifier is for packets that were marked before they came here.",
    "Whether a router queues what it marks itself by the new mark is to be tried on it.",
)


def marked_sections(model: RouterModel, dscp: int) -> list[Section]:
    """The sections of that text, in order. The model must be valid and have no pairs."""
    kept = [each for each in junos_sections(model) if each.template in _KEPT]
    ports = [{"name": each.name, "unit": each.unit} for each in model.interfaces if each.is_core]
    classifiers = {
        "kinds": ["dscp", "dscp-ipv6"],
        "name": "hntes",
        "forwarding_class": alpha_class(model),
        "code_points": f"{dscp:06b}",
        "units": ports,
    }
    head = header_section(model, [first_note(dscp), *_NOTES])
    return [head, *kept, Section("junos/dscp_classifiers.j2", classifiers)]
