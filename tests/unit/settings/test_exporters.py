"""Exporters and flow folders of routers in the settings file."""

from pathlib import Path

import pytest

from tests.support.settings_file import INTERFACE, R1, load, refusal, with_router


def two_routers(first: str, second: str, folder: str = "flows/r1") -> str:
    other = R1.replace('"r1"', '"r2"').replace("flows/r1", folder)
    return f"{R1}{first}\n{INTERFACE}{other}{second}\n{INTERFACE}"


@pytest.mark.parametrize("folder", ["flows/r1", "flows/r1/", "./flows/r1", "flows/../flows/r1", "ABSOLUTE"])
def test_a_shared_folder_needs_exporters_whatever_its_spelling(tmp_path: Path, folder: str) -> None:
    folder = folder.replace("ABSOLUTE", str(tmp_path / "flows" / "r1"))
    own = 'exporters = ["192.0.2.1"]'
    message = refusal(tmp_path, two_routers("", own, folder))
    assert "router r1" in message
    assert "exporters" in message
    load(tmp_path, two_routers(own, 'exporters = ["192.0.2.2"]', folder))


def test_a_folder_inside_another_routers_folder_is_a_shared_one(tmp_path: Path) -> None:
    message = refusal(tmp_path, two_routers("", "", "flows/r1/sub"))
    assert "router r1" in message
    load(tmp_path, two_routers("", "", "flows/r10"))


@pytest.mark.parametrize("folder", ["flows/r1", "flows/r1/sub", "flows"])
def test_an_exporter_claimed_twice_in_one_folder_is_refused_with_both_routers(tmp_path: Path, folder: str) -> None:
    first, second = 'exporters = ["2001:db8::1"]', 'exporters = ["192.0.2.7", "2001:DB8:0::1"]'
    message = refusal(tmp_path, two_routers(first, second, folder))
    assert all(part in message for part in ("router r2", "2001:db8::1", "router r1"))


def test_an_ipv4_exporter_in_ipv6_form_is_the_ipv4_exporter(tmp_path: Path) -> None:
    sampling = 'sampling = [{ exporter = "192.0.2.1", factor = 100 }]'
    (router,) = load(tmp_path, with_router(f'exporters = ["::ffff:192.0.2.1", "2001:db8::1"]\n{sampling}')).routers
    assert [str(exporter) for exporter in router.exporters] == ["192.0.2.1", "2001:db8::1"]
    message = refusal(tmp_path, two_routers('exporters = ["192.0.2.1"]', 'exporters = ["::ffff:192.0.2.1"]'))
    assert "192.0.2.1 belongs to router r1 already" in message


def test_an_exporter_address_may_recur_in_a_folder_apart(tmp_path: Path) -> None:
    own = 'exporters = ["192.0.2.1"]'
    load(tmp_path, two_routers(own, own, "flows/r2"))


def test_sampling_of_a_foreign_exporter_is_refused(tmp_path: Path) -> None:
    sampling = 'sampling = [{ exporter = "192.0.2.9", factor = 100 }]'
    assert "192.0.2.9" in refusal(tmp_path, with_router(f'exporters = ["192.0.2.1"]\n{sampling}'))
    load(tmp_path, with_router(sampling))


def test_two_factors_for_one_exporter_are_refused(tmp_path: Path) -> None:
    one = '{ exporter = "192.0.2.9", factor = %d }'
    message = refusal(tmp_path, with_router(f"sampling = [{one % 100}, {one % 1000}]"))
    assert "192.0.2.9" in message
    assert "twice" in message
