"""Which days can be meant at all."""

from datetime import date

# Before the first there was no NetFlow v9; a date after the last is a typing error, and no arithmetic goes beyond it.
FIRST_DAY = date(2000, 1, 1)
LAST_DAY = date(2199, 12, 31)


def day_problem(day: date) -> str | None:
    """Why a day cannot be meant, None if it can.

    Example:
        >>> day_problem(date(9999, 12, 31))
        '9999-12-31 cannot be meant; write a day from 2000-01-01 to 2199-12-31'
    """
    if FIRST_DAY <= day <= LAST_DAY:
        return None
    return f"{day} cannot be meant; write a day from {FIRST_DAY} to {LAST_DAY}"
