"""How much of the room between the best value there is and the limit a value uses up."""

# Of values at a limit of 0: nothing is used, or more than can be told.
BEYOND_ALL = 10.0


def room_used(value: float, limit: float, unit: str, *, passes: bool) -> float:
    """The part of the room that is used up: 0 at best, 1 at the limit, more beyond it.

    Args:
        value: What was found.
        limit: Of the same unit; whether it is a least or a most follows from the outcome.
        unit: "%" of a least value: 100 is best; of another least value 1 is, as of Jain's index.
        passes: Whether the value is within the limit.

    Example:
        >>> room_used(0.25, 1.0, "ms", passes=True), round(room_used(98.0, 95.0, "%", passes=True), 3)
        (0.25, 0.4)
    """
    if value == limit:
        return 0.0 if limit == 0 else 1.0
    if (value > limit) == passes:
        best = 100.0 if unit == "%" else 1.0
        return max(0.0, (best - value) / (best - limit)) if limit < best else 1.0
    return value / limit if limit else BEYOND_ALL
