"""Addresses of the lake's columns as texts."""

from collections.abc import Iterable

from hntes.etl.addresses import address_of


def texts_of(versions: Iterable[int], his: Iterable[int], los: Iterable[int]) -> list[str]:
    """Address texts of three columns."""
    return [str(address_of(version, hi, lo)) for version, hi, lo in zip(versions, his, los, strict=True)]
