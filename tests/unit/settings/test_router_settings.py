"""Routers of the settings file: their names, interfaces and redirects."""

from pathlib import Path

import pytest

from tests.support.settings_file import INTERFACE, MINIMAL, load, refusal, with_router


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("term_budget = 0", "term_budget"),
        ("term_budget = 100_001", "term_budget"),
        ('clock = "sundial"', "clock"),
        ('exporters = ["192.0.2.300"]', "exporters[0]"),
        ('exporters = ["192.0.2.0/24"]', "exporters[0]"),
        ("exporters = [1]", "exporters[0]"),
        ("exporters = [3_221_225_985]", "exporters[0]"),
        ("exporters = [true]", "exporters[0]"),
        ('exporters = ["fe80::1%eth0"]', "exporters[0]"),
        ("sampling = [{ exporter = 1, factor = 100 }]", "sampling[0].exporter"),
        (
            'sampling = [{ exporter = "192.0.2.1", factor = 100, allowed_factors = [0] }]',
            "sampling[0].allowed_factors[0]",
        ),
        ('sampling = [{ exporter = "192.0.2.1", factor = 0 }]', "sampling[0].factor"),
        ('sampling = [{ exporter = "192.0.2.1", factor = 1_000_001 }]', "sampling[0].factor"),
        ('redirect = { kind = "tunnel" }', "redirect"),
        ('redirect = { kind = "next_hop" }', "redirect"),
        ('redirect = { kind = "lsp" }', "redirect"),
        ('redirect = { kind = "next_hop", ipv4 = "2001:db8::1" }', "redirect.ipv4"),
        ('redirect = { kind = "lsp", name = "ALPHA; delete" }', "redirect.name"),
    ],
)
def test_a_router_value_out_of_range_is_refused_by_router_and_key(tmp_path: Path, line: str, key: str) -> None:
    assert f"routers[r1].{key}" in refusal(tmp_path, with_router(line))


@pytest.mark.parametrize("name", ["", "1r", "r1;", "r 1", "r1\\nset", "r1}", "r/../1", "r1\\u0000", "ä", "r" * 64])
def test_router_names_that_could_leave_their_place_are_refused(tmp_path: Path, name: str) -> None:
    assert ".name:" in refusal(tmp_path, MINIMAL.replace('"r1"', f'"{name}"', 1))


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    assert "used twice" in refusal(tmp_path, MINIMAL + MINIMAL.replace("flows/r1", "flows/r2"))


def test_no_router_is_refused(tmp_path: Path) -> None:
    assert "routers" in refusal(tmp_path, "")


@pytest.mark.parametrize(
    "name",
    ["xe-0/0/0;", "xe 0", "xe-0\\nshutdown", "xe-0{", "xe-0}", 'xe\\"0', "xe!0", "xe#0", "-xe", "", "xe\\t0", "x" * 64],
)
def test_interface_names_that_could_end_a_line_or_a_word_are_refused(tmp_path: Path, name: str) -> None:
    assert "].name:" in refusal(tmp_path, MINIMAL.replace("xe-0/0/0", name))


@pytest.mark.parametrize("name", ["xe-0/0/0", "HundredGigE0/0/0/0", "ae0", "Bundle-Ether1", "et-1/0/0:3"])
def test_real_interface_names_are_taken(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, MINIMAL.replace("xe-0/0/0", name)).routers[0].interfaces[0].name == name


@pytest.mark.parametrize("name", ["a/../../etc", "xe-0/0/0/", "xe-0//0", "ge.."])
def test_an_interface_name_that_is_a_path_is_refused(tmp_path: Path, name: str) -> None:
    assert "not the name of one interface" in refusal(tmp_path, MINIMAL.replace("xe-0/0/0", name))


@pytest.mark.parametrize(
    ("interfaces", "wanted"),
    [
        (INTERFACE.replace("both", "edge"), "core or both"),
        (INTERFACE.replace("both", "core"), "edge or both"),
        (INTERFACE + INTERFACE, "listed twice"),
        ("interfaces = []\n", "routers[r1].interfaces:"),
        ("", "routers[r1].interfaces:"),
    ],
)
def test_a_router_needs_interfaces_for_filter_and_schedulers(tmp_path: Path, interfaces: str, wanted: str) -> None:
    assert wanted in refusal(tmp_path, with_router("", interfaces=interfaces))


@pytest.mark.parametrize(
    ("platform", "given", "needed"),
    [("junos", "tunnel = 3", "name and routes"), ("iosxr", 'name = "A"', "tunnel"), ("iosxe", 'name = "A"', "tunnel")],
)
def test_an_lsp_redirect_names_what_the_platform_needs(tmp_path: Path, platform: str, given: str, needed: str) -> None:
    text = with_router(f'redirect = {{ kind = "lsp", {given} }}').replace('"junos"', f'"{platform}"')
    message = refusal(tmp_path, text)
    assert "router r1" in message
    assert message.endswith(f"needs {needed}")


@pytest.mark.parametrize(
    "hop",
    [
        *("0.0.0.0", "127.0.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "169.254.1.1", "0.1.2.3"),  # noqa: S104
        *("::", "::1", "ff02::1", "fe80::1", "::ffff:192.0.2.1", "4000::1", "2001:db8::1%x"),
    ],
)
def test_a_next_hop_that_cannot_be_meant_is_refused(tmp_path: Path, hop: str) -> None:
    key = "ipv6" if ":" in hop else "ipv4"
    told = refusal(tmp_path, with_router(f'redirect = {{ kind = "next_hop", {key} = "{hop}" }}'))
    assert "routers[r1].redirect" in told
    assert "it cannot be a next hop" in told


def test_a_redirect_to_the_router_itself_is_refused(tmp_path: Path) -> None:
    text = 'exporters = ["192.0.2.1"]\nredirect = { kind = "next_hop", ipv4 = "192.0.2.1" }'
    assert "the redirect to 192.0.2.1 is the router's own address" in refusal(tmp_path, with_router(text))


def test_causes_of_lost_records_that_are_accepted_are_known_ones(tmp_path: Path) -> None:
    loaded = load(tmp_path, with_router('accepted_losses = ["no_duration", "unclaimed"]'))
    assert loaded.routers[0].accepted_losses == ("no_duration", "unclaimed")
    assert "accepted_losses" in refusal(tmp_path, with_router('accepted_losses = ["all"]'))
