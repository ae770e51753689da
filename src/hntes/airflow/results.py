"""Results of mapped tasks for a task that joins them."""

from collections.abc import Iterable

# One task's result, the results of all tasks of a group, or nothing where none of them has ended well.
Results = Iterable[dict[str, str]] | dict[str, str] | None


def results(given: Results) -> list[dict[str, str]]:
    """The group's results, in its order.

    Airflow 3.3.2 gives a list where several tasks ended well, but the result itself where one did: with one router
    alone, and where all routers but one have failed.
    """
    if given is None:
        return []
    return [given] if isinstance(given, dict) else list(given)
