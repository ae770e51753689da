"""Names that are safe in router configurations, paths and reports."""

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field


def _one_interface(name: str) -> str:
    if ".." in name or "//" in name or name.endswith(("/", ".", ":")):
        raise ValueError("is not the name of one interface; write it as the router does")
    return name


NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_.-]{0,62}$"
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
# An interface name of a router's configuration language, without characters that end a line or a word. Some platforms
# name ports by their place alone, such as 1/1/c1/1.
InterfaceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9/:._-]{0,62}$"), AfterValidator(_one_interface)]
# The platforms are not listed here: they are installed (hntes.platforms.registry).
PlatformName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,30}$")]

# Families of routers are those of the platform (hntes.platforms.hardware).
HardwareName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,30}$")]


def _nameable(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("holds a NUL character, which no file's name can")
    return path


FilePath = Annotated[Path, AfterValidator(_nameable)]
