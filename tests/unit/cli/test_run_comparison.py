"""Two runs beside each other: each measure of both, and by how much it differs."""

from dataclasses import replace

import numpy as np

from hntes.cli.run_comparison import compared, comparison_words
from tests.support.runs import NO_DROPS, made_up_run


def test_rates_losses_and_times_stand_beside_each_other() -> None:
    first, second = made_up_run(mbps=800), made_up_run(mbps=1000)
    lossy = replace(second.flows["TCP1"], sent_pkts=200, dropped_pkts=NO_DROPS | {"full": 3})
    slower = replace(second.flows["ping"].ping, mean_ms=5.5, max_ms=9.0) if second.flows["ping"].ping else None
    flows = {"TCP1": lossy, "ping": replace(second.flows["ping"], ping=slower)}
    rows = compared(first, replace(second, flows=flows))
    by_name = {(row.of, row.measure): row for row in rows}
    assert by_name["flow TCP1", "rate"].difference == 200e6
    table = comparison_words(rows, "one", "other")
    assert table.columns == ("of", "measure", "one", "other", "difference")
    words = {row[:2]: row[2:] for row in table.rows}
    assert words["flow TCP1", "rate"] == ("800 Mb/s", "1 Gb/s", "+25%")
    assert words["flow TCP1", "carried"] == ("200 MB", "250 MB", "+25%")
    assert words["flow TCP1", "loss"] == ("0%", "1.5%", "+1.5 points")
    assert words["flow TCP1", "sent again"] == ("3", "3", "none")
    assert words["flow ping", "round trip, mean"] == ("2 ms", "5.5 ms", "+3.5 ms")


def test_what_only_one_run_has_has_no_difference() -> None:
    first = made_up_run()
    second = replace(first, flows={"ping": first.flows["ping"], "TCP2": replace(first.flows["TCP1"], name="TCP2")})
    second = replace(
        second, series={**first.series, "flow/TCP2/goodput_bytes": first.series["flow/TCP1/goodput_bytes"]}
    )
    words = {row[:2]: row[2:] for row in comparison_words(compared(first, second), "one", "other").rows}
    assert words["flow TCP1", "rate"] == ("800 Mb/s", "-", "")
    assert words["flow TCP2", "rate"] == ("-", "800 Mb/s", "")
    assert next(iter(words))[0] == "flow TCP1", "in the order of the first run"


def test_queues_are_compared_and_what_is_zero_in_both_is_left_out() -> None:
    first = made_up_run()
    full = replace(first.queues["A->B"], enqueued_pkts=990, dropped_pkts=NO_DROPS | {"full": 10})
    none = replace(full, dropped_pkts=NO_DROPS)
    series = {**first.series, "queue/A->B/peak_bytes": np.array([1500, 3000], "<u8")}
    rows = compared(replace(first, queues={"A->B": full}, series=series), replace(first, queues={"A->B": none}))
    words = {row[:2]: row[2:] for row in comparison_words(rows, "one", "other").rows}
    assert words["queue A->B", "loss"] == ("1%", "0%", "-1 points")
    assert words["queue A->B", "fullest"] == ("3 kB", "-", "")
    again = compared(replace(first, queues={"A->B": none}), replace(first, queues={"A->B": none}))
    assert ("queue A->B", "loss") not in {(row.of, row.measure) for row in again}
