"""Settings by which a plan takes traffic classes that an EOS router leaves free."""

from collections.abc import Iterator

from hntes.platforms.eos.classes import CONTROL_QUEUE
from hntes.platforms.proposal import Proposal
from hntes.settings.own_configuration import QueueNumbers


def proposals() -> Iterator[Proposal]:
    """What alpha could have in place of its default, the lowest first; `conflicts` says which is free.

    Network control goes to its own class, so that no other class becomes round-robin with it.
    """
    for number in range(1, CONTROL_QUEUE):
        if number != QueueNumbers().alpha:
            yield Proposal("classes", {"queues": {"alpha": number, "network_control": CONTROL_QUEUE}})
    yield Proposal("classes", {"queues": {"network_control": CONTROL_QUEUE}})
