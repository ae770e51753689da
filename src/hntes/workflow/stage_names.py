"""The stages by name: each is a function of its module here, a command, a task of the DAGs, and a word of the log."""

from typing import Literal, get_args

Stage = Literal["ingest", "detect", "measure", "propose", "judge", "decide", "deliver"]
STAGES: tuple[Stage, ...] = get_args(Stage)
