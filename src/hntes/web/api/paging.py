"""Pages of lists."""


def next_offset(offset: int, limit: int, total: int) -> int | None:
    """Where the next page begins; None on the last.

    Example:
        >>> next_offset(0, 100, 101), next_offset(100, 100, 101)
        (100, None)
    """
    return offset + limit if offset + limit < total else None
