"""Parameter types of the reservation commands: rates, timestamps and durations."""

from __future__ import annotations

import re
from typing import Any

import click

from hntes.timestamps import TimestampError, parse_timestamp

_RATE = re.compile(r"([0-9]+)(?:\.([0-9]{1,12}))?([kMGT]?)")
_FACTORS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LENGTH = re.compile(r"([1-9][0-9]{0,7})(s|min|h|d)")
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


class Rate(click.ParamType[int]):
    """Whole bits per second: `3G`, `2.5G`, `400M`, `800000000`."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _RATE.fullmatch(value)
        if found is None or len(value) > 20:
            self.fail(f"{value!r} is not a rate; write it in bits per second, such as 3G, 2.5G or 400M", param, ctx)
        whole, fraction, unit = found[1], found[2] or "", found[3]
        divisor: int = 10 ** len(fraction)
        scaled = int(whole + fraction) * _FACTORS[unit]
        if scaled % divisor:
            self.fail(f"{value!r} is not a whole number of bits per second", param, ctx)
        return scaled // divisor


class Moment(click.ParamType[int]):
    """A timestamp with its UTC offset, in seconds since 1970."""

    name = "moment"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        try:
            return parse_timestamp(value)
        except TimestampError as problem:
            self.fail(str(problem), param, ctx)


class Length(click.ParamType[int]):
    """A duration in seconds: `90s`, `30min`, `2h`, `7d`."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _LENGTH.fullmatch(value)
        if found is None:
            self.fail(f"{value!r} is not a duration; write 90s, 30min, 2h or 7d", param, ctx)
        return int(found[1]) * _SECONDS[found[2]]


RATE, MOMENT, LENGTH = Rate(), Moment(), Length()
