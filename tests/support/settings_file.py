"""A settings file with one router, loaded or refused."""

from pathlib import Path

import pytest

from hntes.platforms.settings_check import router_problems
from hntes.settings import Settings, SettingsError, read_settings

EXAMPLE = (Path(__file__).resolve().parents[2] / "hntes.example.toml").read_text(encoding="utf-8")
INTERFACE = '[[routers.interfaces]]\nname = "xe-0/0/0"\nrole = "both"\nrate_bps = 10_000_000_000\n'
R1 = '[[routers]]\nname = "r1"\nplatform = "junos"\nflow_folder = "flows/r1"\n'
MINIMAL, USES_OTHER = R1 + INTERFACE, R1 + 'plan = "other"\n' + INTERFACE


def load(folder: Path, text: str) -> Settings:
    path = folder / "hntes.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path, router_problems)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(folder, text)
    assert str(folder / "hntes.toml") in str(caught.value)
    return str(caught.value)


def with_router(text: str, *, interfaces: str = INTERFACE) -> str:
    return R1 + text + "\n" + interfaces
