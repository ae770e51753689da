"""The text that a router needs once when pairs are announced by FlowSpec: queues, and the class of the mark.

It follows from the plan and the mark alone: pairs that come and go do not change it.
"""

from dataclasses import replace

from hntes.platforms.registry import platform_of
from hntes.platforms.validate import validate
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.settings.terms import ALPHA


def queues_text(model: RouterModel) -> str:
    """Classes, schedulers and policies of the plan; packets with the model's DSCP go into the alpha queue.

    Raises:
        ModelError: the model must not be rendered, or names no mark.
    """
    if model.flowspec is None:
        raise ModelError([f"router {model.router}: is not delivered by FlowSpec, so no mark chooses a queue"])
    bare = replace(model, filters=tuple(replace(each, terms=()) for each in model.filters), flowspec=None)
    validate(bare)
    return platform_of(model.platform).render_marked(bare, model.flowspec.dscp)


def first_note(dscp: int) -> str:
    """The note at the head of such a text, on each platform."""
    return f"Packets with DSCP {dscp} go into the alpha queue. To be loaded once."


def alpha_class(model: RouterModel) -> str:
    """The class of the alpha queue; that of plans of kind two_queue, which alone are delivered so."""
    queue = model.queue_for(ALPHA)
    return next(each.name for each in model.forwarding_classes if each.queue == queue)
