"""The SR OS text of a router with FlowSpec delivery: queues, and a network policy for the mark.

Source: nokia-types-qos, dscp-name: each of the 64 code points has a name, cp and its number where RFC 2474 and its
successors have none. 7750 SR Quality of Service Guide, "Network QoS policies": a policy that somebody has made puts all
into class be that it does not name, where the default one puts nc1 and EXP 6 into h1, nc2 and EXP 7 into nc.
"""

from hntes.platforms.flowspec_queues import alpha_class, first_note
from hntes.platforms.section import Section, header_section
from hntes.platforms.sros.classes import CLASSES
from hntes.platforms.sros.render import sros_sections
from hntes.rules.qos.model import RouterModel

_NAMES = {
    **{8 * number + 2 * drop: f"af{number}{drop}" for number in range(1, 5) for drop in range(1, 4)},
    **{8 * number: f"cs{number}" for number in range(1, 6)},
    0: "be",
    46: "ef",
    48: "nc1",
    56: "nc2",
}
_CONTROL = (("dscp nc1", "h1"), ("dscp nc2", "nc"), ("lsp-exp 6", "h1"), ("lsp-exp 7", "nc"))
_NOTES = (
    "The network policy hntes-mark is for interfaces that have none: set their qos network-policy to it.",
    "Besides the mark it has network control alone: other marks are best effort on those interfaces.",
    "In a policy of the operator's the one statement of the mark goes beside the others.",
)


def dscp_name(code_point: int) -> str:
    """The name of a code point.

    Example:
        >>> dscp_name(10), dscp_name(8), dscp_name(17)
        ('af11', 'cs1', 'cp17')
    """
    return _NAMES.get(code_point, f"cp{code_point}")


def marked_sections(model: RouterModel, dscp: int) -> list[Section]:
    """The sections of that text, in order. The model must be valid and have no pairs."""
    (body,) = sros_sections(model)[1:]
    marked = f"dscp {dscp_name(dscp)}"
    control = [(mark, name) for mark, name in _CONTROL if mark != marked]
    classes = [(marked, CLASSES[model.queue_of(alpha_class(model))]), *control]
    return [
        header_section(model, [first_note(dscp), *_NOTES]),
        Section("sros/mark.j2", {"classes": [{"mark": mark, "fc": name} for mark, name in classes]}),
        body,
    ]
