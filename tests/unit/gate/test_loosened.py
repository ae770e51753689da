"""Limits that are looser than the defaults."""

import pytest
from pydantic import ValidationError

from hntes.gate.loosened import loosened
from hntes.settings.hosts import CongestionControl, HostProfile
from hntes.settings.model import Gate

# How runs are made, and by how many processes: no verdict compares with these. Hosts and controls may be left out.
PARAMETERS = {"engine", "run_s", "fairness_run_s", "seed", "workers", "tcp_profiles", "congestion"}


@pytest.mark.parametrize("name", sorted(Gate.model_fields.keys() - PARAMETERS))
def test_every_limit_is_marked_in_one_direction(name: str) -> None:
    default = getattr(Gate(), name)
    is_list = isinstance(default, tuple)
    around = [(0.0,), (2.0,)] if is_list else [default / 2, default * 0.9, default * 1.01, default + 1]
    marked = {value: loosened(gate) for value in around if (gate := gate_with(name, value)) is not None}
    looser = [value for value, told in marked.items() if told]
    assert looser, marked
    assert len({value > default for value in looser}) == 1, marked
    assert all(len(told) == 1 and told[0].startswith(name) for told in marked.values() if told)


def gate_with(name: str, value: object) -> Gate | None:
    try:
        return Gate.model_validate({name: value})
    except ValidationError:
        return None


@pytest.mark.parametrize(("kept", "left_out"), [("linux-2.6.33", "linux-6"), ("linux-6", "linux-2.6.33")])
def test_to_leave_hosts_out_is_looser(kept: HostProfile, left_out: HostProfile) -> None:
    assert loosened(Gate(tcp_profiles=(kept,))) == (f"hosts without {left_out} (default linux-2.6.33, linux-6)",)


@pytest.mark.parametrize(("kept", "left_out"), [(("htcp", "cubic"), "bbr"), (("htcp",), "cubic, bbr")])
def test_to_leave_congestion_controls_out_is_looser(kept: tuple[CongestionControl, ...], left_out: str) -> None:
    assert loosened(Gate(congestion=kept)) == (f"congestion without {left_out} (default htcp, cubic, bbr)",)


def test_the_defaults_are_not_loosened() -> None:
    assert loosened(Gate()) == ()
