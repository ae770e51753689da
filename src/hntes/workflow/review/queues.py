"""The queues of a change's core ports before and after it: shares of rate and buffer, and priority."""

from dataclasses import dataclass

from hntes.rules.qos.model import RouterModel, scheduler_name
from hntes.settings.terms import Priority
from hntes.workflow.review.view import ReviewView


@dataclass(frozen=True)
class QueueShare:
    """One queue: the plan's name of its traffic, its class on the router, its hardware queue, and its shares.

    Shares are in per cent of the port's rate and of its buffer.
    """

    traffic: str
    forwarding_class: str
    queue: int
    rate_pct: int
    buffer_pct: int
    priority: Priority


@dataclass(frozen=True)
class ChangedQueues:
    """The queues by hardware queue; none where ports keep the operator's own, or before a first configuration."""

    before: tuple[QueueShare, ...]
    after: tuple[QueueShare, ...]

    @property
    def is_same(self) -> bool:
        return self.before == self.after


def changed_queues(view: ReviewView) -> ChangedQueues:
    """The queues of the configuration in force and of the candidate; none if the texts are lost."""
    before, after = (_queues(each.model) if each else () for each in (view.base, view.candidate))
    return ChangedQueues(before, after)


def _queues(model: RouterModel) -> tuple[QueueShare, ...]:
    found = [
        QueueShare(
            traffic=each.name.removeprefix(scheduler_name("")),
            forwarding_class=each.forwarding_class,
            queue=model.queue_of(each.forwarding_class),
            rate_pct=each.transmit_share_pct,
            buffer_pct=each.buffer_share_pct,
            priority=each.priority,
        )
        for each in model.schedulers
    ]
    return tuple(sorted(found, key=lambda each: each.queue))
