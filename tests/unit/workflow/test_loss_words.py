"""The words on lost records in a day's status."""

from dataclasses import replace
from datetime import date

import pytest

from hntes.sql.entries import DayLoss
from hntes.workflow.stages.loss_words import loss_notes

TOTAL = DayLoss("r1", date(2026, 11, 26), "", "all", 380, 760_000_000_000, 400, 760_040_000_000, 4320, True)
LOSS = replace(TOTAL, exporter="127.0.0.11", cause="no_address")


def test_exporter_cause_figures_and_what_to_do() -> None:
    (sentence,), others = loss_notes([TOTAL, LOSS])
    assert others == []
    assert sentence == (
        "exporter 127.0.0.11: 380 of 400 records (760.00 GB of 760.04 GB) set aside (no_address), 4320 s of the day "
        'remain; if nothing is missing, `accepted_losses = ["no_address"]` of the router accepts this'
    )


def test_a_large_exporters_losses_are_in_terabytes() -> None:
    large = {"bytes": 12_345_600_000_000, "whole_bytes": 12_400_000_000_000}
    (sentence,), _ = loss_notes([replace(TOTAL, **large), replace(LOSS, **large)])
    assert "(12.35 TB of 12.40 TB)" in sentence


@pytest.mark.parametrize(
    ("cause", "words", "remedy"),
    [
        ("former_factor", "counted with the exporter's former factor", "`hntes data files`"),
        ("other_domain_factor", "of another observation domain of the exporter", "`hntes data files`"),
        ("unannounced", "mostly sampled on the days before", "`hntes data files`"),
        ("unused_sampler", "a sampler which none of its records names", "`hntes data files`"),
        ("unclaimed", "which no router lists: 380 records (760.00 GB)", "list the exporter in `exporters`"),
        ("no_duration", "without a duration", 'accepted_losses = ["no_duration"]'),
        ("port_exceeded", "exceed their port together", "correct `rate_bps`"),
        ("faster_than_port", "set aside (faster_than_port)", "correct `rate_bps`"),
        ("no_time", "set aside (no_time)", '`clock = "collector"`'),
    ],
)
def test_each_kind_of_loss(cause: str, words: str, remedy: str) -> None:
    (sentence,), _ = loss_notes([TOTAL, replace(LOSS, cause=cause)])
    assert words in sentence
    assert remedy in sentence
    assert f'accepted_losses = ["{cause}"]' in sentence


def test_losses_that_do_not_count_are_named_if_somebody_should_know() -> None:
    quiet = [replace(LOSS, cause=cause, counts=False) for cause in ("no_address", "former_factor", "unclaimed")]
    gaps, others = loss_notes([replace(TOTAL, counts=False), *quiet])
    assert gaps == []
    assert [("former factor" in other, "no router lists" in other) for other in others] == [
        (True, False),
        (False, True),
    ]
    small = replace(LOSS, cause="unclaimed", counts=False, records=16)
    assert loss_notes([replace(TOTAL, counts=False), small]) == ([], [])


def test_a_flood_of_exporters_is_summed_up() -> None:
    gaps, _ = loss_notes([TOTAL, *(replace(LOSS, exporter=f"192.0.2.{n}") for n in range(20))])
    assert len(gaps) == 9
    assert gaps[-1].startswith("and 12 more losses (`hntes data days --json`); if nothing is missing")
    assert loss_notes([]) == ([], [])
