"""The ranges of values in rows of JSON."""

from typing import Annotated

from msgspec import Meta

# Larger ones than 64 bits hold are cut to these: they are absurd, and set aside as that.
Counter = Annotated[int, Meta(ge=0)]
Octet = Annotated[int, Meta(ge=0, le=255)]
Port = Annotated[int, Meta(ge=0, le=65_535)]
Uint32 = Annotated[int, Meta(ge=0, le=(1 << 32) - 1)]
# Before the year 9999.
Seconds = Annotated[int, Meta(ge=0, le=253_402_300_799)]
Nanoseconds = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
