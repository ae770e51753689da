"""The one-time configuration of a router with FlowSpec delivery: queues, and the class of the DSCP mark.

It depends only on the plan and the mark, not on the pairs.
"""

from dataclasses import replace

from hntes.platforms.registry import platform_of
from hntes.platforms.validate import validate
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.settings.terms import ALPHA


def queues_text(model: RouterModel) -> str:
    """Classes, schedulers and policies of the plan, with the model's DSCP assigned to the alpha queue.

    Raises:
        ModelError: the model is invalid, has no mark, or its platform takes no FlowSpec.
    """
    if model.flowspec is None:
        raise ModelError([f"router {model.router}: not delivered by FlowSpec, so there is no mark"])
    bare = replace(model, filters=tuple(replace(each, terms=()) for each in model.filters))
    validate(bare)
    return platform_of(model.platform).render_marked(replace(bare, flowspec=None), model.flowspec.dscp)


def first_note(dscp: int) -> str:
    """The first note of such a text on each platform."""
    return f"Packets with DSCP {dscp} go into the alpha queue. To be loaded once."


def alpha_class(model: RouterModel) -> str:
    """The class of the alpha queue in a two_queue plan, the only kind that FlowSpec delivery supports."""
    queue = model.queue_for(ALPHA)
    return next(each.name for each in model.forwarding_classes if each.queue == queue)
