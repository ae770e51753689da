"""Numbers with a unit in the settings."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hntes.settings import read_settings
from hntes.settings.errors import SettingsError
from hntes.settings.model import Ageing, Detection, Interface, Review
from hntes.settings.units import of_key


@pytest.mark.parametrize(
    ("key", "text", "number"),
    [
        ("rate_bps", "10G", 10_000_000_000), ("rate_bps", "100 Gb/s", 100_000_000_000),
        ("rate_bps", "2.5G", 2_500_000_000),
        ("rate_bps", "400 Mbit/s", 400_000_000), ("threshold_bytes", "1 GB", 1_000_000_000),
        ("threshold_bytes", "1 GiB", 1_073_741_824), ("threshold_bytes", "500MB", 500_000_000), ("days", "30d", 30),
        ("lake_days", "365d", 365), ("expiry_hours", "3d", 72), ("window_s", "5min", 300), ("run_ms", "1.5s", 1500),
        ("days", "36h", 1.5), ("port_buffer_ms", "0.5ms", 0.5),
    ],
)  # fmt: skip
def test_a_text_with_a_unit_is_a_number_in_the_unit_of_the_key(key: str, text: str, number: float) -> None:
    assert of_key(key, text) == number


@pytest.mark.parametrize(
    ("key", "text"),
    [("rate_bps", "10X"), ("rate_bps", "G"), ("rate_bps", "-1G"), ("rate_bps", "1e9"), ("rate_bps", "10GB"),
     ("threshold_bytes", "1 Gb/s"), ("days", "30"), ("days", "1w"), ("window_s", ""), ("rate_bps", "٣G")],
)  # fmt: skip
def test_what_is_no_such_number_is_refused_with_an_example(key: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"{key}: .*write "):
        of_key(key, text)


@given(st.integers(0, 10**12), st.sampled_from(["k", "M", "G", "T", ""]))
def test_a_rate_is_exact(number: int, prefix: str) -> None:
    assert (
        of_key("rate_bps", f"{number}{prefix}")
        == number * {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}[prefix]
    )


def test_sections_take_them_and_keep_their_ranges() -> None:
    port = Interface.model_validate({"name": "xe-0/0/0", "role": "core", "rate_bps": "10G"})
    assert port.rate_bps == 10_000_000_000
    assert Detection.model_validate({"threshold_bytes": "1 GB", "window_s": "1min"}) == Detection()
    assert (
        Ageing.model_validate({"days": "30d"}).days,
        Review.model_validate({"expiry_hours": "3d"}).expiry_hours,
    ) == (30, 72)
    for section, given_keys in (
        (Interface, {"name": "a", "role": "core", "rate_bps": "9T"}),
        (Ageing, {"days": "36h"}),
    ):
        with pytest.raises(ValueError, match=r"rate_bps|days"):
            section.model_validate(given_keys)


def test_a_wrong_unit_is_told_with_its_key(tmp_path: Path) -> None:
    path = tmp_path / "hntes.toml"
    path.write_text('[detection]\nthreshold_bytes = "1 GX"\n')
    with pytest.raises(SettingsError, match=r'threshold_bytes: \'1 GX\' is no number with a unit; write "1 GB"'):
        read_settings(path)
