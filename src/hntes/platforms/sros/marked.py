"""The SR OS text of a router with FlowSpec delivery: queues, and a network policy for the mark.

Source: nokia-types-qos, dscp-name: each of the 64 code points has a name, cp and its number where RFC 2474 and its
successors have none.
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
_NOTES = (
    "The network policy hntes-mark is for interfaces that have none: set their qos network-policy to it.",
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
    mark = {"dscp": dscp_name(dscp), "fc": CLASSES[model.queue_of(alpha_class(model))]}
    return [
        header_section(model, [first_note(dscp), *_NOTES]),
        Section("sros/mark.j2", mark),
        body,
    ]
