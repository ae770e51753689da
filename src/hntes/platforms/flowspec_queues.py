"""The text that a router needs once when pairs are announced by FlowSpec: queues, and the class of the mark.

It follows from the plan and the mark alone: pairs that come and go do not change it.
"""

from dataclasses import replace

from hntes.platforms.cisco.render import carrier
from hntes.platforms.render import render_section, sections
from hntes.platforms.section import Section, View, header_section
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.rules.qos.validate import validate
from hntes.settings.terms import ALPHA

# What stands in the text besides its head; all else of a router's text is there for filters.
_KEPT = ("class_of_service", "class_maps", "policy_output", "interfaces")
_NOTES = {
    "junos": (
        "Load with `load replace`. The classifier is for packets that were marked before they came here.",
        "Whether a router queues what it marks itself by the new mark is to be tried on it.",
    ),
    "iosxr": ("Load into the target configuration and commit once.",),
    "iosxe": ("Type line by line in configuration mode.",),
}


def queues_text(model: RouterModel) -> str:
    """Classes, schedulers and policies of the plan; packets with the model's DSCP go into the alpha queue.

    Raises:
        ModelError: the model must not be rendered, or names no mark.
    """
    return "".join(render_section(section) for section in queues_sections(model))


def queues_sections(model: RouterModel) -> list[Section]:
    """The templates and views that make up that text, in order. Raises ModelError as `queues_text` does."""
    if model.flowspec is None:
        raise ModelError([f"router {model.router}: is not delivered by FlowSpec, so no mark chooses a queue"])
    bare = replace(model, filters=tuple(replace(each, terms=()) for each in model.filters), flowspec=None)
    validate(bare)
    notes = [
        f"Packets with DSCP {model.flowspec.dscp} go into the alpha queue. To be loaded once.",
        *_NOTES[model.platform],
    ]
    found = [header_section(bare, notes)]
    for section in sections(bare):
        name = section.template.partition("/")[2].removesuffix(".j2")
        if name in _KEPT:
            found.append(Section(section.template, _without_groups(bare, model.flowspec.dscp, name, section.view)))
    if model.platform == "junos":
        found.append(Section("junos/dscp_classifiers.j2", _classifiers(bare, model.flowspec.dscp)))
    return found


def _alpha(model: RouterModel) -> str:
    """The class of the alpha queue; that of plans of kind two_queue, which alone are delivered so."""
    queue = model.queue_for(ALPHA)
    return next(each.name for each in model.forwarding_classes if each.queue == queue)


def _without_groups(model: RouterModel, dscp: int, name: str, view: View) -> View:
    """On Cisco the mark takes the place of the QoS group, and no interface has a policy on input."""
    if name == "class_maps":
        group = carrier(model, _alpha(model))
        classes = view["class_maps"]
        assert isinstance(classes, list)  # noqa: S101 - for the type checker
        marked = [
            {**each, "matches": [f"dscp {dscp}" if one == group else one for one in each["matches"]]}
            for each in classes
        ]
        return {"class_maps": marked}
    if name == "interfaces" and model.platform != "junos":
        ports = view["interfaces"]
        assert isinstance(ports, list)  # noqa: S101 - for the type checker
        lines = [{**each, "lines": [one for one in each["lines"] if " output " in one]} for each in ports]
        return {"interfaces": [each for each in lines if each["lines"]]}
    return view


def _classifiers(model: RouterModel, dscp: int) -> View:
    return {
        "kinds": ["dscp", "dscp-ipv6"],
        "name": "hntes",
        "forwarding_class": _alpha(model),
        "code_points": f"{dscp:06b}",
        "units": [{"name": each.name, "unit": each.unit} for each in model.interfaces if each.is_core],
    }
