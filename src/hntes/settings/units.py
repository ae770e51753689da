"""Numbers with a unit, written as text: `"10G"`, `"1 GB"`, `"30d"`. A key's own unit is the end of its name."""

import re
from fractions import Fraction

_NUMBER = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,12})?) ?([A-Za-z/]*)")
_PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_RATES = {f"{prefix}{end}": factor for prefix, factor in _PREFIXES.items() for end in ("", "b/s", "bit/s", "bps")}
_BYTES = {f"{prefix}{end}": factor for prefix, factor in _PREFIXES.items() for end in ("", "B")}
_BYTES |= {f"{prefix}iB": 2 ** (10 * power) for power, prefix in enumerate(("K", "M", "G", "T"), 1)}
_SECONDS = {
    "ms": Fraction(1, 1000), "s": Fraction(1), "min": Fraction(60), "h": Fraction(3600), "d": Fraction(86_400),
}  # fmt: skip
_EXAMPLES = {"bps": '"10G", "400M"', "bytes": '"1 GB", "64 MiB"', "time": '"90s", "5min", "12h", "30d"'}


def of_key(name: str, value: str) -> int | float:
    """The number that a text means for a key of this name: bit/s, bytes, or a time in the key's unit.

    A whole number where it is one.

    Raises:
        ValueError: the key has no unit in its name, or the text is no number with a unit that fits.

    Example:
        >>> of_key("rate_bps", "2.5G"), of_key("threshold_bytes", "1 GB"), of_key("expiry_hours", "3d")
        (2500000000, 1000000000, 72)
    """
    kind, units = _units(name)
    found = _NUMBER.fullmatch(value.strip())
    if found is None or found[2] not in units or (kind == "time" and not found[2]):
        raise ValueError(f"{name}: {value[:40]!r} is no number with a unit; write {_EXAMPLES[kind]} or a number")
    number = Fraction(found[1]) * Fraction(units[found[2]])
    return int(number) if number.denominator == 1 else float(number)


def has_unit(name: str) -> bool:
    """Whether the name of a key ends with a unit."""
    return name == "days" or name.endswith(("_bps", "_bytes", *_TIMES))


_TIMES = {"_ms": _SECONDS["ms"], "_s": _SECONDS["s"], "_hours": _SECONDS["h"], "_days": _SECONDS["d"]}


def _units(name: str) -> tuple[str, dict[str, int | Fraction]]:
    if name.endswith("_bps"):
        return "bps", dict(_RATES)
    if name.endswith("_bytes"):
        return "bytes", dict(_BYTES)
    own = next(seconds for end, seconds in _TIMES.items() if f"_{name}".endswith(end))
    return "time", {unit: seconds / own for unit, seconds in _SECONDS.items()}
