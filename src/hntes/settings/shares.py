"""Parameters of the advice on queue shares."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hntes.settings.section import Section

# The other queue and network control keep at least 1% each.
QueueSharePct = Annotated[int, Field(ge=1, le=98)]


class Shares(Section):
    """The number of days, the percentile of minutes, and the margin above it."""

    days: Annotated[int, Field(ge=1, le=3650)] = 30
    percentile: Literal["95", "99", "99.9", "100"] = "100"
    margin_pct: Annotated[int, Field(ge=0, le=400)] = 20
    step_pct: Literal[1, 5] = 5
    min_beta_share_pct: QueueSharePct = 5
    """lower bound of beta's advised share"""
    min_alpha_share_pct: QueueSharePct = 5
    """lower bound of alpha's advised share"""
    min_complete_days: Annotated[int, Field(ge=1, le=3650)] = 7
    remark_above_pct: Annotated[int, Field(ge=1, le=100)] = 20

    @model_validator(mode="after")
    def _room_for_both(self) -> Self:
        if self.min_beta_share_pct + self.min_alpha_share_pct > 99:
            raise ValueError("min_beta_share_pct and min_alpha_share_pct add up to more than the link allows")
        return self
