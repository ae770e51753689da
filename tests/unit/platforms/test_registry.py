"""Platforms are found by entry points: by name without an import, and one that is broken does not take others down."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hntes.platforms import registry
from hntes.platforms.registry import (
    BrokenPlatformError,
    UnknownPlatformError,
    installed_platforms,
    is_installed,
    platform_of,
)
from hntes.platforms.settings_check import broken_platforms, router_problems
from hntes.settings import SettingsError, read_settings
from tests.support.qos_models import PLATFORMS

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes a distribution with entry points and modules."""

    def made(name: str, entries: dict[str, str], **modules: str) -> None:
        place = tmp_path / name
        metadata = place / f"{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = "".join(f"{key} = {value}\n" for key, value in entries.items())
        (metadata / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{lines}")
        for module, text in modules.items():
            (place / f"{module}.py").write_text(text)
        monkeypatch.syspath_prepend(str(place))
        _forget()

    yield made
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    installed_platforms.cache_clear()
    platform_of.cache_clear()


def test_the_platforms_that_hntes_ships_are_installed() -> None:
    assert set(PLATFORMS) <= set(installed_platforms())
    for name in PLATFORMS:
        assert is_installed(name)
        assert platform_of(name) is platform_of(name)


def test_an_unknown_name_lists_the_installed_ones() -> None:
    assert not is_installed("unheard_of")
    with pytest.raises(UnknownPlatformError) as caught:
        platform_of("unheard_of")
    assert str(caught.value) == (
        f"platform 'unheard_of' is not installed; installed are: {', '.join(installed_platforms())}"
    )


@pytest.mark.parametrize(
    ("value", "text", "reason"),
    [
        ("gone_module:PLATFORM", "", "ModuleNotFoundError: No module named 'gone_module'"),
        ("a_module:PLATFORM", "1 / 0", "ZeroDivisionError"),
        ("a_module:PLATFORM", "", "has no attribute 'PLATFORM'"),
        ("a_module:PLATFORM", "PLATFORM = object()", "not a Platform"),
        (
            "a_module:PLATFORM",
            "from hntes.platforms.junos.platform import PLATFORM",
            "its name is 'junos'",
        ),
    ],
)
def test_a_broken_entry_point_is_named_and_the_others_go_on(
    install: Install, monkeypatch: pytest.MonkeyPatch, value: str, text: str, reason: str
) -> None:
    monkeypatch.delitem(__import__("sys").modules, "a_module", raising=False)
    install("acme", {"acme": value}, a_module=text)
    assert "acme" in installed_platforms()
    with pytest.raises(BrokenPlatformError) as caught:
        platform_of("acme")
    assert str(caught.value).startswith(f"platform 'acme': entry point `{value}` of acme cannot be used: ")
    assert reason in str(caught.value)
    assert platform_of("junos").name == "junos"


SETTINGS = """\
[[routers]]
name = "r1"
platform = "acme"
flow_folder = "flows"
redirect = { kind = "next_hop", ipv4 = "192.0.2.1" }
interfaces = [{ name = "a-1", role = "both", rate_bps = 1_000_000_000 }]
"""


def test_a_router_of_a_broken_platform_is_refused_with_its_line(install: Install, tmp_path: Path) -> None:
    install("acme", {"acme": "gone_module:PLATFORM"})
    path = tmp_path / "hntes.toml"
    path.write_text(SETTINGS)
    with pytest.raises(
        SettingsError, match=r"line 3, routers\[r1\].platform: platform 'acme': entry point `gone_module"
    ):
        read_settings(path, router_problems)
    (problem,) = broken_platforms(["junos", "acme", "acme"])
    assert "gone_module" in problem


def test_a_name_that_two_distributions_give_is_refused(install: Install) -> None:
    install("first", {"acme": "a:PLATFORM"})
    install("second", {"acme": "b:PLATFORM"})
    with pytest.raises(BrokenPlatformError, match="has the same name; uninstall one"):
        platform_of("acme")


def test_another_distribution_does_not_take_the_place_of_a_shipped_platform(install: Install) -> None:
    install("other", {"junos": "gone_module:PLATFORM"})
    assert platform_of("junos").name == "junos"
    assert type(platform_of("junos")).__module__ == "hntes.platforms.junos.platform"
