"""Verdicts as a figure: the worst measure of each criterion beside its limit, the worst criterion first."""

from hntes.gate.verdict import Verdict
from hntes.gate.verdict_figure import figure_of, worst_first

VERDICTS = [
    Verdict(
        "delay", "ping_sd", "passed", "", 1.0, 0.75, "ms", "packet", congestion="cubic", controls=("htcp", "cubic")
    ),
    Verdict(
        "throughput",
        "goodput_beside_10_pct",
        "passed",
        "",
        95.0,
        98.0,
        "%",
        "fluid",
        round_trip_ms=80.0,
        congestion="htcp",
        controls=("htcp",),
    ),
    Verdict("throughput", "cubic_goodput", "passed", "", 95.0, 99.0, "%", "packet", controls=("cubic",)),
    Verdict("throughput", "alpha_goodput_beside_30_pct", "passed", "", 95.0, 100.0, "%", "fluid"),
    Verdict("beta", "beta_loss", "failed", "", 0.0, 84.8, "%", "packet"),
    Verdict("fairness", "jain_index", "failed", "", 0.9, 0.88, "", "packet"),
    Verdict("surprise", "beta_loss", "reported", "", None, 0.2, "%", "fluid"),
    Verdict("order", "out_of_sequence", "not_judged", "", 0.0, None, "packets", "packet"),
    Verdict("structure", "findings", "passed", "", 0.0, 0.0, "findings"),
]


def test_a_line_for_each_criterion_the_worst_first() -> None:
    both = "passed (H-TCP, CUBIC)"
    assert figure_of(verdict.entry("r1", "c") for verdict in VERDICTS) == (
        "beta        beta loss                       84.8 %      limit 0 %         ##########|###  FAILED",
        "fairness    jain index                      0.88        limit 0.9         ##########|##   FAILED",
        "order       out of sequence                             limit 0 packets                   not judged",
        "delay       ping sd             with CUBIC  0.75 ms     limit 1 ms        ########..|     " + both,
        "throughput  goodput beside 10%  at 80 ms    98 %        limit 95 %        ####......|     " + both,
        "structure   findings                        0 findings  limit 0 findings  ..........|     passed",
        "surprise    beta loss                       0.2 %                                         reported",
    )  # fmt: skip


def test_of_a_criterion_the_measure_nearest_to_its_limit_counts() -> None:
    (line,) = [each for each in worst_first(v.entry("r1", "c") for v in VERDICTS) if each.criterion == "throughput"]
    assert (line.measure, line.conditions, line.value) == ("goodput beside 10%", "at 80 ms", "98 %")
    assert line.used == 0.4


def test_without_verdicts_there_is_no_line() -> None:
    assert figure_of([]) == ()
