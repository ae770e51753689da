"""The names of the stages, shared by the functions, the commands, the tasks of the DAGs, and the log."""

from typing import Literal, get_args

Stage = Literal["ingest", "detect", "measure", "propose", "judge", "decide", "deliver"]
STAGES: tuple[Stage, ...] = get_args(Stage)
