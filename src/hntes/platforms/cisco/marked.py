"""The text of an IOS-XR or IOS-XE router with FlowSpec delivery: queues, selected by the mark."""

from collections.abc import Iterable

from hntes.platforms.cisco.render import carrier
from hntes.platforms.flowspec_queues import alpha_class, first_note
from hntes.platforms.section import Section, View, header_section
from hntes.rules.qos.model import RouterModel

# The sections besides the head; all others of a router's text are for filters.
_KEPT = ("class_maps.j2", "policy_output.j2", "interfaces.j2")


def marked_sections(sections: Iterable[Section], model: RouterModel, dscp: int, note: str) -> list[Section]:
    """The sections of that text, in order.

    Args:
        sections: Those of the model's text.
        model: A valid model without pairs.
        dscp: The mark.
        note: The instruction to load the text.
    """
    found = [header_section(model, [first_note(dscp), note])]
    for each in sections:
        name = each.template.rpartition("/")[2]
        if name in _KEPT:
            found.append(Section(each.template, _by_mark(model, dscp, name, each.view)))
    return found


def _by_mark(model: RouterModel, dscp: int, name: str, view: View) -> View:
    """Replaces the QoS group by the mark, and removes input policies."""
    if name == "class_maps.j2":
        group = carrier(model, alpha_class(model))
        classes = view["class_maps"]
        assert isinstance(classes, list)  # noqa: S101 - for the type checker
        marked = [
            {**each, "matches": [f"dscp {dscp}" if one == group else one for one in each["matches"]]}
            for each in classes
        ]
        return {"class_maps": marked}
    if name == "interfaces.j2":
        ports = view["interfaces"]
        assert isinstance(ports, list)  # noqa: S101 - for the type checker
        lines = [{**each, "lines": [one for one in each["lines"] if " output " in one]} for each in ports]
        return {"interfaces": [each for each in lines if each["lines"]]}
    return view
