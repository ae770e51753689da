"""The EOS text of a router with FlowSpec delivery: queues, and the traffic class of the mark."""

from hntes.platforms.eos.classes import traffic_class
from hntes.platforms.eos.render import eos_sections
from hntes.platforms.flowspec_queues import alpha_class, first_note
from hntes.platforms.section import Section, header_section
from hntes.rules.qos.model import RouterModel

_NOTE = "The map of the mark is that of the whole router: it applies on each interface that trusts DSCP."


def marked_sections(model: RouterModel, dscp: int) -> list[Section]:
    """The sections of that text, in order. The model must be valid and have no pairs."""
    (body,) = eos_sections(model)[1:]
    mark = {"dscp": dscp, "traffic_class": traffic_class(model.queue_of(alpha_class(model)))}
    return [header_section(model, [first_note(dscp), _NOTE]), Section("eos/mark.j2", mark), body]
