"""The parameters of runs, checked by Airflow against their JSON schema before a run begins."""

from airflow.sdk import Param

_ROUTER_NAME = r"^[A-Za-z][A-Za-z0-9_.-]{0,62}$"
_DAY = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


def a_day(description: str, *, needed: bool = False) -> Param:
    """A day, YYYY-MM-DD."""
    if needed:
        return Param(type="string", format="date", pattern=_DAY, description=description)
    return Param(None, type=["null", "string"], format="date", pattern=_DAY, description=description)


def whether_to_commit(default: str) -> Param:
    """`dry-run` or `commit`."""
    return Param(
        default, type="string", enum=["dry-run", "commit"], pattern="^(dry-run|commit)$",
        description="dry-run: show what would change on the routers; commit: deliver it.",
    )  # fmt: skip


def some_routers() -> Param:
    """Names of routers; none stands for all."""
    return Param(
        [],
        type="array",
        items={"type": "string", "pattern": _ROUTER_NAME},
        uniqueItems=True,
        description="Only these routers; none: all of the settings.",
    )
