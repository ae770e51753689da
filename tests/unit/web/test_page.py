"""Texts in templates: days stay whole, and nothing becomes markup."""

from hntes.web.page import whole_dates


def test_a_day_stays_on_one_line_and_all_else_is_escaped() -> None:
    assert whole_dates("<b> of 2026-11-29 & 2026-11-30 02:12") == (
        '&lt;b&gt; of <span class="nowrap">2026-11-29</span> &amp; <span class="nowrap">2026-11-30</span> 02:12'
    )
    assert "\u202e" not in whole_dates("\u202e2026-11-29")
    assert whole_dates("12026-11-290") == "12026-11-290"
