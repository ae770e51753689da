"""An unknown key in the settings comes with its line, and with the key that was meant."""

from pathlib import Path

import pytest

from hntes.settings.model import Settings
from hntes.settings.unknown_keys import line_of, meant
from tests.support.settings_file import INTERFACE, MINIMAL, refusal, with_router


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[ageing]\nmin_dya_coverage = 0.5\n", "line 10, ageing.min_dya_coverage: unknown key; did you"),
        ("[agieng]\ndays = 30\n", "line 9, agieng: unknown key; did you mean ageing?"),
        ("[plans.mine]\nkind = \"two_queue\"\nalpha_share_percent = 40\n", "did you mean alpha_share_pct?"),
        ("[database]\npassword = \"x7Tq\"\n", "line 10, database.password: unknown key"),
    ],
)  # fmt: skip
def test_an_unknown_key_comes_with_its_line_and_the_one_meant(tmp_path: Path, text: str, told: str) -> None:
    message = refusal(tmp_path, MINIMAL + text)
    assert told in message
    assert "x7Tq" not in message


def test_a_key_of_a_router_is_looked_for_among_those_of_routers(tmp_path: Path) -> None:
    message = refusal(tmp_path, with_router('platfrom = "junos"'))
    assert "routers[r1].platfrom: unknown key; did you mean platform?" in message


def test_what_stands_several_times_has_no_line(tmp_path: Path) -> None:
    twice = with_router("", interfaces=INTERFACE.replace("rate_bps", "rate_bsp") * 2)
    message = refusal(tmp_path, twice)
    assert "routers[r1].interfaces[xe-0/0/0].rate_bsp: unknown key; did you mean rate_bps?" in message
    assert "line" not in message
    assert "rate_bps: is missing" in message


@pytest.mark.parametrize(
    ("location", "key"),
    [
        (("ageing", "dais"), "days"),
        (("routers", 0, "interfaces", 1, "snmp_indx"), "snmp_index"),
        (("plans", "mine", "two_queue", "alpha_share_percent"), "alpha_share_pct"),
        (("ageing", "password"), None),
        (("ageing", "snmp_index"), None),  # a key, but of another section
    ],
)
def test_the_key_meant_is_of_the_same_section(location: tuple[int | str, ...], key: str | None) -> None:
    assert meant(Settings, location) == key


def test_a_line_is_told_where_a_key_or_table_stands_once() -> None:
    text = '# days = 1\n[ageing]\ndays = 30\n[[routers.sampling]]\nname = "a"\nname = "b"\n'
    assert [line_of(text, key) for key in ("days", "ageing", "sampling", "name", "none")] == [3, 2, 4, None, None]
