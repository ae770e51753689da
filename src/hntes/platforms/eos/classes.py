"""Traffic classes of EOS, which the router itself numbers, and the queues of settings and models.

Source: EOS User Manual, "Quality of Service": by default DSCP 0 to 7 are traffic class 1 and 8 to 15 class 0, the
others their first three bits, CoS and EXP alike; class N is in tx-queue N. On the 7280R3 tx-queue 7 is that of the
router's own control packets, and not configurable (TOI "Configurable tx-queue 7": up to 4.33.0F).
"""

# The highest tx-queue that can be configured: by default it has what is marked as network control (CS6).
CONTROL_QUEUE = 6
# Of the first three bits of a mark.
DEFAULT_CLASSES = (1, 0, 2, 3, 4, 5, 6, 7)


def traffic_class(queue: int) -> int:
    """The traffic class, and tx-queue, of a queue number of settings and models, whose best effort is 0.

    Example:
        >>> [traffic_class(queue) for queue in range(4)]
        [1, 0, 2, 3]
    """
    return {0: 1, 1: 0}.get(queue, queue)


def queue_of(traffic_class: int) -> int:
    """The queue number of a traffic class."""
    return {0: 1, 1: 0}.get(traffic_class, traffic_class)


def class_name(queue: int) -> str:
    """The name of a queue's class.

    Example:
        >>> class_name(0), class_name(4)
        ('tc1', 'tc4')
    """
    return f"tc{traffic_class(queue)}"
