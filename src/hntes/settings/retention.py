"""Retention of stored data."""

from typing import Annotated

from pydantic import Field

from hntes.settings.section import Section

KeptDays = Annotated[int, Field(ge=1, le=36_500)]


class Retention(Section):
    """Age limits of `hntes data prune` in days; None: no limit.

    Days of the lake are kept for at least `ageing.days` and a margin. Configuration that is pending, in force or was
    approved is kept.
    """

    lake_days: KeptDays | None = None
    report_days: KeptDays | None = None
    candidate_days: KeptDays | None = None
    simulation_days: KeptDays | None = None
