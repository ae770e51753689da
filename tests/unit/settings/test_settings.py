"""The settings file: the example loads, and whatever cannot be used is refused with the key that is wrong."""

from pathlib import Path

import pytest

from hntes.platforms.settings_check import router_problems
from hntes.settings import Settings, SettingsError, read_settings

EXAMPLE = (Path(__file__).resolve().parents[3] / "hntes.example.toml").read_text(encoding="utf-8")
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


def test_the_example_loads_as_it_stands(tmp_path: Path) -> None:
    settings = load(tmp_path, EXAMPLE)
    assert [router.name for router in settings.routers] == ["chic-cr1", "denv-cr1", "boul-ar1"]
    assert settings.detection.threshold_bytes == 10**9
    assert settings.router("boul-ar1").sampling[0].factor == 100


def test_what_the_example_shows_are_the_defaults(tmp_path: Path) -> None:
    shown, default = load(tmp_path, EXAMPLE), load(tmp_path, MINIMAL)
    for section in ("paths", "database", "ingest", "analytics", "detection", "ageing", "review"):
        assert getattr(shown, section) == getattr(default, section)
    assert shown.plans["recommended"] == default.plans["recommended"]


def test_relative_paths_are_taken_from_the_files_folder(tmp_path: Path) -> None:
    settings = load(tmp_path, MINIMAL)
    assert settings.paths.lake == tmp_path / "var" / "lake"
    assert settings.routers[0].flow_folder == tmp_path / "flows" / "r1"
    assert settings.database.url == f"sqlite:///{tmp_path}/var/hntes.db"


def test_absolute_paths_stay(tmp_path: Path) -> None:
    text = MINIMAL.replace("flows/r1", "/data/flows/r1") + '[database]\nurl = "sqlite:////srv/hntes.db"\n'
    settings = load(tmp_path, text)
    assert settings.routers[0].flow_folder == Path("/data/flows/r1")
    assert settings.database.url == "sqlite:////srv/hntes.db"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (MINIMAL + "[ingest]\nworker = 2\n", "ingest.worker:"),
        (MINIMAL + "[detektion]\nwindow_s = 2\n", "detektion:"),
        (with_router("colour = 3"), "routers[r1].colour:"),
        (MINIMAL + '[plans.recommended]\nkind = "two_queue"\nalpha_share = 3\n', "plans.recommended.alpha_share:"),
    ],
)
def test_an_unknown_key_is_refused_by_its_name(tmp_path: Path, text: str, key: str) -> None:
    assert key in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("ingest", "workers = 0"),
        ("ingest", "workers = 65"),
        ("ingest", "max_record_delay_s = -1"),
        ("ingest", "max_record_delay_s = 86_401"),
        ("ingest", "max_clock_ahead_s = -1"),
        ("ingest", 'file_timezone = "Europe/Atlantis"'),
        ("ingest", 'file_timezone = "Europe"'),
        ("ingest", 'file_timezone = "../../etc/passwd"'),
        ("detection", "threshold_bytes = 0"),
        ("detection", "threshold_bytes = 1_125_899_906_842_625"),
        ("detection", "threshold_bytes = 1.5"),
        ("detection", "window_s = 0"),
        ("detection", "window_s = 3601"),
        ("detection", 'rule = "guess"'),
        ("detection", 'flow_key = "three_tuple"'),
        ("detection", "ipv4_prefix_length = 33"),
        ("detection", "ipv4_prefix_length = 7"),
        ("detection", "ipv6_prefix_length = 129"),
        ("ageing", "days = 0"),
        ("ageing", "min_day_coverage = 1.01"),
        ("ageing", "min_day_coverage = -0.01"),
        ("ageing", "min_day_coverage = nan"),
        ("review", "expiry_hours = 0"),
        ("ingest", "nfdump_limit_s = 0"),
        ("ingest", "nfdump_limit_s_per_mib = -1"),
        ("ingest", "nfdump_memory_mib = 255"),
        ("analytics", "query_limit_s = 9"),
        ("database", "statement_limit_s = 9"),
        ("database", 'url = "mysql://h/d"'),
    ],
)
def test_a_value_out_of_range_is_refused_by_its_key(tmp_path: Path, section: str, line: str) -> None:
    assert f"{section}.{line.split(' = ')[0]}:" in refusal(tmp_path, f"{MINIMAL}[{section}]\n{line}\n")


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


@pytest.mark.parametrize(
    "name",
    ["xe-0/0/0;", "xe 0", "xe-0\\nshutdown", "xe-0{", "xe-0}", 'xe\\"0', "xe!0", "xe#0", "0xe", "", "xe\\t0", "x" * 64],
)
def test_interface_names_that_could_end_a_line_or_a_word_are_refused(tmp_path: Path, name: str) -> None:
    assert "].name:" in refusal(tmp_path, MINIMAL.replace("xe-0/0/0", name))


@pytest.mark.parametrize("name", ["xe-0/0/0", "HundredGigE0/0/0/0", "ae0", "Bundle-Ether1.100", "et-1/0/0:3"])
def test_real_interface_names_are_taken(tmp_path: Path, name: str) -> None:
    assert load(tmp_path, MINIMAL.replace("xe-0/0/0", name)).routers[0].interfaces[0].name == name


def test_a_plan_that_is_not_defined_is_refused_with_those_that_are(tmp_path: Path) -> None:
    message = refusal(tmp_path, with_router('plan = "gold"'))
    assert "router r1" in message
    assert "'gold'" in message
    assert "recommended" in message


@pytest.mark.parametrize(
    ("plan", "total"),
    [
        ('kind = "two_queue"\nalpha_share_pct = 56', 101),
        ('kind = "single_queue"\nshared_share_pct = 96', 101),
        ('kind = "scavenger_policer"\nscavenger_share_pct = 2', 101),
        ('kind = "wred_policer"\nbeta_share_pct = 60', 120),
        ('kind = "three_color_marker"\nnetwork_control_share_pct = 7', 102),
    ],
)
def test_shares_above_the_link_are_refused_with_their_sum(tmp_path: Path, plan: str, total: int) -> None:
    message = refusal(tmp_path, f"{MINIMAL}[plans.other]\n{plan}\n")
    assert "plans.other" in message
    assert f"{total}%" in message


def test_shares_that_fill_the_link_exactly_are_taken(tmp_path: Path) -> None:
    plan = '[plans.other]\nkind = "two_queue"\nalpha_share_pct = 54\nbeta_share_pct = 41\n'
    assert sum(load(tmp_path, USES_OTHER + plan).plans["other"].shares_pct().values()) == 100


def test_a_peak_rate_below_the_committed_rate_is_refused(tmp_path: Path) -> None:
    plan = '[plans.other]\nkind = "three_color_marker"\ncommitted_rate_bps = 2_000_000_001\n'
    assert "RFC 2698" in refusal(tmp_path, USES_OTHER + plan)
    load(tmp_path, USES_OTHER + plan + 'marker = "single_rate"\n')


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


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://u:secret@h/d",
        "postgresql+psycopg://u:secret@h:5432/d",
        "postgresql+psycopg://u:sec/ret@h/d",
        "postgresql+psycopg://u:sec?ret@h/d",
        "postgresql+psycopg://u:secret@@h/d",
        "postgresql+psycopg://:secret@h/d",
        "postgresql+psycopg://u@h/d?sslmode=require&password=secret",
        "postgresql+psycopg://h/d?user=u&PASSWORD=secret",
    ],
)
def test_a_password_in_the_url_is_refused_and_not_repeated(tmp_path: Path, url: str) -> None:
    message = refusal(tmp_path, f'{MINIMAL}[database]\nurl = "{url}"\n')
    assert "database.url" in message
    assert "HNTES_DATABASE_PASSWORD" in message
    assert "secret" not in message
    assert "ret@" not in message


def test_a_password_under_a_key_of_its_own_is_refused_and_not_repeated(tmp_path: Path) -> None:
    message = refusal(tmp_path, f'{MINIMAL}[database]\npassword = "secret"\n')
    assert "database.password" in message
    assert "secret" not in message


@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://hntes@db.example.net/hntes",
        "postgresql+psycopg://hntes@db.example.net:5432/hntes?sslmode=require",
        "postgresql+psycopg://hntes@[2001:db8::1]:5432/hntes",
        "postgresql+psycopg://[2001:db8::1]/hntes",
        "postgresql+psycopg:///hntes?host=/run/postgresql",
        "sqlite:////srv/a:b@c.db",
    ],
)
def test_urls_without_a_password_are_taken(tmp_path: Path, url: str) -> None:
    assert load(tmp_path, f'{MINIMAL}[database]\nurl = "{url}"\n').database.url == url


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


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    assert "used twice" in refusal(tmp_path, MINIMAL + MINIMAL.replace("flows/r1", "flows/r2"))


def test_no_router_is_refused(tmp_path: Path) -> None:
    assert "routers" in refusal(tmp_path, "")


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, f"{MINIMAL}[ingest]\nworkers = 0\n[ageing]\ndays = 0\n")
    assert "2 settings cannot be used" in message
    assert "ingest.workers" in message
    assert "ageing.days" in message


def test_bad_toml_is_refused_with_its_line(tmp_path: Path) -> None:
    assert "line 2" in refusal(tmp_path, "[ingest]\nworkers = = 2\n")


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hntes.toml"
    path.write_bytes(b"\xff\xfe[\x00")
    with pytest.raises(SettingsError, match="not valid TOML"):
        read_settings(path)


def test_a_missing_file_is_told_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere\.toml.*hntes\.example\.toml"):
        read_settings(tmp_path / "nowhere.toml")


def test_a_folder_in_place_of_the_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_settings(tmp_path)


@pytest.mark.parametrize(
    "hop",
    [
        *("0.0.0.0", "127.0.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "169.254.1.1", "0.1.2.3"),  # noqa: S104
        *("::", "::1", "ff02::1", "fe80::1", "::ffff:192.0.2.1", "4000::1"),
    ],
)
def test_a_next_hop_that_cannot_be_meant_is_refused(tmp_path: Path, hop: str) -> None:
    key = "ipv6" if ":" in hop else "ipv4"
    told = refusal(tmp_path, with_router(f'redirect = {{ kind = "next_hop", {key} = "{hop}" }}'))
    assert "routers[r1].redirect" in told
    assert "no packet can be sent by way of it" in told


def test_a_redirect_to_the_router_itself_is_refused(tmp_path: Path) -> None:
    text = 'exporters = ["192.0.2.1"]\nredirect = { kind = "next_hop", ipv4 = "192.0.2.1" }'
    assert "the redirect to 192.0.2.1 is the router's own address" in refusal(tmp_path, with_router(text))


@pytest.mark.parametrize("name", ["a/../../etc", "xe-0/0/0/", "xe-0//0", "ge.."])
def test_an_interface_name_that_is_a_path_is_refused(tmp_path: Path, name: str) -> None:
    assert "not the name of one interface" in refusal(tmp_path, MINIMAL.replace("xe-0/0/0", name))


@pytest.mark.parametrize(("section", "line"), [("ageing", "days = true"), ("gate", "out_of_sequence_pkts = false")])
def test_a_word_is_no_number(tmp_path: Path, section: str, line: str) -> None:
    assert f"{line.split(' = ')[0]} is {line.split(' = ')[1]}; give a number" in refusal(
        tmp_path, f"{MINIMAL}[{section}]\n{line}\n"
    )


@pytest.mark.parametrize(
    ("section", "line"),
    [
        ("gate", "beta_loss_pct = 100"),
        ("gate", "throughput_pct = 0"),
        ("gate", "delay_increase_ms = 1000"),
        ("gate", "delay_sd_ms = 51"),
        ("gate", "beta_delay_increase_ms = 51"),
        ("gate", "out_of_sequence_pkts = 1_000_000"),
        ("gate", "max_policer_drops_pkts = 1_000_000"),
        ("gate", "beta_peak_pct = 0.1"),
        ("gate", "reach_pct = 100"),
        ("gate", "reach_space_pct = 100"),
        ("detection", "ipv4_prefix_length = 15"),
        ("detection", "ipv6_prefix_length = 31"),
    ],
)
def test_limits_have_floors(tmp_path: Path, section: str, line: str) -> None:
    assert f"{section}.{line.split(' = ')[0]}:" in refusal(tmp_path, f"{MINIMAL}[{section}]\n{line}\n")
