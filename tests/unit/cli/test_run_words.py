"""What `hntes simulate` prints of a run: rates while something was sent, loss, units that people use."""

from dataclasses import replace

import numpy as np

from hntes.cli.run_words import flow_words, queue_words
from tests.support.runs import NO_DROPS, made_up_run


def test_a_rate_is_that_of_the_time_in_which_something_arrived() -> None:
    run = made_up_run(mbps=800)
    # two seconds at 800 Mb/s, three idle ones before and after them
    idle = np.zeros(3, "<u8")
    late = {
        **run.series,
        "flow/TCP1/goodput_bytes": np.concatenate([idle, run.series["flow/TCP1/goodput_bytes"], idle]),
    }
    for shown in (run, replace(run, duration_s=8.0, series=late)):
        table = flow_words(shown)
        row = dict(zip(table.columns, table.rows[0], strict=True))
        assert (row["flow"], row["rate"], row["while"], row["carried"]) == ("TCP1", "800 Mb/s", "2 s", "200 MB")


def test_intervals_that_are_full_in_part_do_not_lower_a_rate() -> None:
    run = made_up_run()
    byte_count = np.array([0, 10, 100, 100, 30, 0], "<u8") * 125_000
    table = flow_words(replace(run, series={**run.series, "flow/TCP1/goodput_bytes": byte_count}))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["rate"], row["while"]) == ("100 Mb/s", "4 s")


def test_loss_and_round_trips_are_said_and_empty_columns_are_not() -> None:
    run = made_up_run()
    lossy = replace(run.flows["TCP1"], sent_pkts=200, dropped_pkts=NO_DROPS | {"full": 3})
    table = flow_words(replace(run, flows={**run.flows, "TCP1": lossy}))
    row, ping = (dict(zip(table.columns, each, strict=True)) for each in table.rows)
    assert (row["loss"], row["lost packets"], row["sent again"]) == ("1.5%", "3", "3")
    assert (ping["rate"], ping["round trip"]) == ("", "2 ms, at most 2")
    assert "one way" not in table.columns


def test_a_queue_says_what_it_dropped_and_why() -> None:
    run = made_up_run()
    full = replace(run.queues["A->B"], enqueued_pkts=990, backlog_bytes=0, dropped_pkts=NO_DROPS | {"full": 10})
    series = {**run.series, "queue/A->B/peak_bytes": np.array([1500, 78_589_900], "<u8")}
    table = queue_words(replace(run, queues={"A->B": full}, series=series))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["packets"], row["fullest"], row["loss"], row["dropped"]) == ("990", "78.6 MB", "1%", "10 full")
    assert "waited" not in table.columns
