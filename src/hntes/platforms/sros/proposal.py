"""Settings by which a plan takes classes that an SR OS router leaves free."""

from collections.abc import Iterator

from hntes.platforms.proposal import Proposal
from hntes.platforms.sros.classes import CLASSES, CONTROL_CLASSES
from hntes.settings.own_configuration import QueueNumbers


def proposals() -> Iterator[Proposal]:
    """Each class that alpha could have in place of its default, the lowest first; `conflicts` says which is free."""
    default = QueueNumbers()
    for number in range(1, len(CLASSES)):
        if number not in (*CONTROL_CLASSES, default.alpha, default.network_control):
            yield Proposal("classes", {"queues": {"alpha": number}})
