"""How long what grows is kept."""

from typing import Annotated

from pydantic import Field

from hntes.settings.section import Section

KeptDays = Annotated[int, Field(ge=1, le=36_500)]


class Retention(Section):
    """For how many days `hntes data prune` keeps what grows; None: for ever.

    Days of the lake are kept for `ageing.days` and a margin at least. What is in force, was approved or waits stays.
    """

    lake_days: KeptDays | None = None
    report_days: KeptDays | None = None
    candidate_days: KeptDays | None = None
    simulation_days: KeptDays | None = None
