"""What a person is told of a change set with unusually many new pairs; free of SQLAlchemy."""

from datetime import date

from hntes.format import counted


def hold_text(router: str, day: date, new_pairs: int, new_pairs_limit: int) -> str:
    """Why it may not be approved yet, and what to do."""
    return (
        f"held: {counted(new_pairs, 'new pair')}, more than review.new_pairs_limit = {new_pairs_limit}; look where "
        f"they come from, then run hntes acknowledge --router {router} --day {day} --new-pairs {new_pairs}"
    )
