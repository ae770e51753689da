"""The range of valid days."""

from datetime import date

# NetFlow v9 did not exist before the first; a date after the last is a typing error, and no arithmetic exceeds it.
FIRST_DAY = date(2000, 1, 1)
LAST_DAY = date(2199, 12, 31)


def day_problem(day: date) -> str | None:
    """The problem with a day out of range, None if there is none.

    Example:
        >>> day_problem(date(9999, 12, 31))
        '9999-12-31 is out of range (2000-01-01 to 2199-12-31)'
    """
    if FIRST_DAY <= day <= LAST_DAY:
        return None
    return f"{day} is out of range ({FIRST_DAY} to {LAST_DAY})"
