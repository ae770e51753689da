"""The gate on ports of any buffer: the same lengths of queues in time are the same plan, and so the same verdicts."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hntes.gate import Lab, PlannedPort, Verdict, judge_plans, planned_ports
from hntes.gate.beta_peak import BetaPeak
from hntes.gate.criteria import THROUGHPUT
from hntes.gate.criteria.plan import JudgedPlan
from hntes.platforms.parse import parse_config
from hntes.settings.model import Gate
from hntes.simulator import MemoryRuns
from tests.support.examples import examples
from tests.support.gate_subjects import small_model, subject_of
from tests.support.qos_models import PUBLISHED

PLAN = PUBLISHED
RATES_BPS = st.sampled_from([10**9, 10**10, 10**11])
# in steps of 20 microseconds, so that 5% of it is a whole number of them
BUFFERS_MS = st.integers(25, 10_000).map(lambda steps: steps / 50)


def planned(text: str, model_buffer_ms: float, rate_bps: int) -> PlannedPort:
    subject = subject_of(small_model("junos", PLAN, rate_bps=rate_bps))
    model = parse_config("junos", text, subject.interfaces, is_whole=True)
    (port,) = planned_ports(model, subject.pairs, alpha_queue=4, port_buffer_ms=model_buffer_ms)
    return port


def in_per_cent(rate_bps: int) -> str:
    return subject_of(small_model("junos", PLAN, rate_bps=rate_bps)).text


def in_time(rate_bps: int, buffer_ms: float) -> str:
    """The same shares of such a buffer, as microseconds at each queue's own rate."""
    text = in_per_cent(rate_bps)
    for share_pct in (55, 40, 5):
        text = text.replace(f"buffer-size percent {share_pct};", f"buffer-size temporal {round(buffer_ms * 1000)};")
    assert "buffer-size percent" not in text
    return text


@given(buffer_ms=BUFFERS_MS, more=st.floats(1, 10), rate_bps=RATES_BPS)
@example(buffer_ms=72.9, more=1.1875, rate_bps=10**9)  # 5% of it is half a hundredth of a millisecond
def test_the_same_lengths_are_the_same_plan_whatever_the_ports_buffer(
    buffer_ms: float, more: float, rate_bps: int
) -> None:
    port = planned(in_per_cent(rate_bps), buffer_ms, rate_bps)
    elsewhere = planned(in_time(rate_bps, buffer_ms), buffer_ms * more, rate_bps)
    assert elsewhere.plan == port.plan
    assert port.length_ms("alpha") == pytest.approx(0.55 * buffer_ms, rel=0.0126)


@given(buffer_ms=st.floats(0.5, 200), more=st.floats(1.5, 4), load_pct=st.sampled_from([10.0, 30.0]))
@examples(0.1)
def test_an_alpha_flow_fares_by_the_length_of_its_queue(buffer_ms: float, more: float, load_pct: float) -> None:
    """A longer queue never serves an alpha flow plainly worse, and one below a millisecond does not pass."""
    lab = Lab(MemoryRuns(), only="fluid")
    every = Gate(beta_loads_pct=(load_pct,), tcp_profiles=("linux-2.6.33",))
    # longer round trips are left out for a plan that has failed, and only for that
    one = every.model_copy(update={"round_trips_ms": (2.0,)})
    ports = [planned(in_per_cent(10**10), each, 10**10) for each in (buffer_ms, buffer_ms * more)]
    less, most = (goodput(port, one, lab) for port in ports)
    assert less.value is not None
    assert most.value is not None
    assert most.value >= less.value - 1.5
    if ports[0].length_ms("alpha") < 0.9:
        assert goodput(ports[0], every, lab).outcome == "failed"


def goodput(port: PlannedPort, gate: Gate, lab: Lab) -> Verdict:
    return judge_plans([JudgedPlan(port, gate, BetaPeak(30.0, is_measured=True))], lab, [THROUGHPUT])[0]


def test_a_queue_that_is_longer_than_the_port_is_a_finding_and_not_a_plan() -> None:
    model = replace(small_model("iosxr", PLAN), port_buffer_ms=100)
    text = subject_of(model).text
    read = parse_config("iosxr", text, model.interfaces)
    with pytest.raises(Exception, match="its buffer is 110% of the port's 50 ms"):
        planned_ports(read, (), alpha_queue=4, port_buffer_ms=50)
