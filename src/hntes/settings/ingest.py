"""The reading of flow files."""

import os
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hntes.settings.flow_folder import FlowFolder
from hntes.settings.section import Section
from hntes.settings.zones import ZoneName

# The duration of one file of a collector.
RotationS = Annotated[int, Field(ge=1, le=86_400)]


class Ingest(Section):
    """Reading of flow files."""

    nfdump: str = "nfdump"
    reader: Literal["auto", "native", "nfdump"] = "auto"
    workers: Annotated[int, Field(ge=1, le=64)] = 2
    file_timezone: ZoneName = "UTC"
    rotation_s: RotationS = 300
    max_record_delay_s: Annotated[int, Field(ge=0, le=86_400)] = 2100
    max_clock_ahead_s: Annotated[int, Field(ge=0, le=86_400)] = 300
    nfdump_limit_s: Annotated[int, Field(ge=1, le=86_400)] = 60
    nfdump_limit_s_per_mib: Annotated[int, Field(ge=0, le=3600)] = 30
    nfdump_memory_mib: Annotated[int, Field(ge=256, le=1_048_576)] = 2048
    folders: tuple[FlowFolder, ...] = ()

    @model_validator(mode="after")
    def _each_folder_once(self) -> Self:
        folders = [Path(os.path.normpath(each.folder)) for each in self.folders]
        if twice := next((folder for folder in folders if folders.count(folder) > 1), None):
            raise ValueError(f"folders: {twice} is described twice")
        return self

    def folder(self, path: Path) -> FlowFolder | None:
        """What is said of the folder that holds a file or folder, the innermost of several; None where nothing is."""
        holding = [each for each in self.folders if path.is_relative_to(each.folder)]
        return max(holding, key=lambda each: len(each.folder.parts), default=None)

    def source_name(self, folder: Path) -> str | None:
        """The source of a flow folder; None where its files tell."""
        described = self.folder(folder)
        return described.source if described else None
