"""What keys of the settings mean, from the models and from the example."""

from pathlib import Path

from hntes.settings.key_words import key_words
from hntes.settings.plan_table import plan_table
from hntes.settings.reference import reference
from hntes.settings.section import Section

ROOT = Path(__file__).resolve().parent.parent.parent.parent


class Above(Section):
    kept: int = 1
    """said by the base"""
    changed: int = 1
    """said by the base, too"""


class Below(Above):
    """Not the words of a key."""

    changed: int = 2
    """said by the
    section itself"""
    silent: int = 3

    _constant = "a text that explains no key"


def test_the_words_below_a_key_explain_it() -> None:
    assert key_words(Below) == {"kept": "said by the base", "changed": "said by the section itself"}


def test_a_key_without_words_in_its_model_has_those_of_the_example() -> None:
    example = "[review]\nexpiry_hours = 72 # words of the example\n[pins]\nmin_ipv4_prefix_length = 16 # of two keys\n"
    lines = {line.split(" | ")[0]: line for line in reference(example).splitlines()}
    assert lines["| `expiry_hours`"].endswith("| words of the example |")
    assert "| shortest IPv4 prefix that" in lines["| `min_ipv4_prefix_length`"]


def test_the_table_of_plans_is_that_of_the_models() -> None:
    table = plan_table()
    assert table in (ROOT / "docs" / "reference" / "plans.md").read_text(encoding="utf-8")
    rows = dict.fromkeys(line.split(" | ")[0].strip("|` ") for line in table.splitlines()[2:])
    assert {"alpha_share_pct", "shared_share_pct", "scavenger_share_pct", "policer_rate_bps", "red_action"} <= set(rows)
    shares = "`30` with two_queue; `49` with scavenger_policer; `55` with wred_policer, three_color_marker"
    assert f"| `alpha_share_pct` | all but single_queue | whole number, from 1 to 100 | {shares} |" in table
    assert not any(line.endswith("|  |") for line in table.splitlines())
