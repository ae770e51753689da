"""Settings that fit HNTES to a router's own configuration: numbers, names, families, fallbacks and routes."""

from pathlib import Path

import pytest

from tests.support.settings_file import load, refusal, with_router


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('redirect = { kind = "lsp", name = "ALPHA", routes = ["192.0.2.1/24"] }', "redirect.routes"),
        ('redirect = { kind = "next_hop", ipv4 = "192.0.2.1", fallback_ipv4 = "192.0.2.1" }', "redirect"),
        ('redirect = { kind = "next_hop", ipv4 = "192.0.2.1", fallback_ipv6 = "2001:db8::1" }', "redirect"),
        ('redirect = { kind = "next_hop", ipv4 = "192.0.2.1", fallback_ipv4 = "127.0.0.1" }', "redirect"),
        ("queues = { alpha = 0 }", "queues.alpha"),
        ("queues = { alpha = 513 }", "queues.alpha"),
        ("queues = { alpha = 5 }", "queues: two classes have the same queue"),
        ("queues = { premium = 4 }", "queues: two classes have the same queue"),
        ('class_names = { premium = "alpha" }', "class_names: two classes have the same name"),
        ('class_names = { alpha = "beta" }', "class_names: two classes have the same name"),
        ('class_names = { alpha = "a;b" }', "class_names.alpha"),
        ("port_buffer_ms = 0", "port_buffer_ms"),
        ("port_buffer_ms = 1001", "port_buffer_ms"),
    ],
)
def test_a_value_out_of_range_is_refused_by_router_and_key(tmp_path: Path, line: str, key: str) -> None:
    assert f"routers[r1].{key}" in refusal(tmp_path, with_router(line))


@pytest.mark.parametrize(
    "line",
    [
        'class_names = { alpha = "bulk" }',
        "fast_lookup_filter = true",
        'redirect = { kind = "next_hop", ipv4 = "192.0.2.1", fallback_ipv4 = "192.0.2.2" }',
        'redirect = { kind = "lsp", tunnel = 5, routes = ["192.0.2.0/24"] }',
    ],
)
def test_what_only_junos_has_is_refused_elsewhere(tmp_path: Path, line: str) -> None:
    assert "is only for junos" in refusal(tmp_path, with_router(line).replace('"junos"', '"iosxr"'))


def test_a_logical_interface_is_refused_where_its_port_and_unit_name_it(tmp_path: Path) -> None:
    named = with_router("") + 'logical = "to-site"\n'
    assert "interfaces.logical is only for" in refusal(tmp_path, named)
    assert "].logical:" in refusal(tmp_path, named.replace("to-site", "to site"))


def test_an_lsp_on_junos_needs_the_routes_that_it_serves(tmp_path: Path) -> None:
    assert "needs routes" in refusal(tmp_path, with_router('redirect = { kind = "lsp", name = "ALPHA" }'))


def test_the_running_configuration_is_beside_the_settings(tmp_path: Path) -> None:
    (router,) = load(tmp_path, with_router('running_config = "running/r1.conf"')).routers
    assert router.running_config == tmp_path / "running" / "r1.conf"


@pytest.mark.parametrize("line", ["queues = { alpha = 6 }", 'class_names = { alpha = "premium" }'])
def test_what_premium_has_by_default_may_be_anothers(tmp_path: Path, line: str) -> None:
    """Plans without reservations do not use it; with one, the model is refused."""
    assert load(tmp_path, with_router(line)).routers
