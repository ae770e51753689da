"""Sentences of the report that explain."""

READING = (
    "A cell is `reproduced` when the simulated value is within its tolerance, `missed` when it is not. The tolerance "
    "goes by what decides the value: narrow where links and buffers do, wider where chance and hosts do. `reported` "
    "values are shown and not judged; `predicted` ones have no published value beside them; `not applicable` says "
    "that the chosen engine has no answer. `seeds` are the extremes of the seeds, where they differ; `ratio` is "
    "simulated over published. Where several cells were missed for one believed cause, they stand together."
)
