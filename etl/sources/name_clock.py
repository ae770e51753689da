"""The time zone of file names: by when the records of a file were received."""

from dataclasses import dataclass

_QUARTER_S = 900
# Clocks of collectors are a little off, and records are received a little before a file begins or after it ends.
_SLACK_S = 60
# Time zones are up to 14 h ahead of UTC and 12 h behind.
_MOST_AHEAD_S, _MOST_BEHIND_S = 14 * 3600, 12 * 3600


@dataclass(frozen=True)
class Received:
    """When the collector received the records of a file that starts at `start_ms` by its name; epoch ms UTC."""

    start_ms: int
    first_ms: int
    last_ms: int


def name_lead_s(received: Received, rotation_s: int) -> int | None:
    """Seconds by which a file's name is ahead of its records, in quarters of an hour as time zones are.

    0 if the name is right; None if no time zone explains the difference, or several do.
    """
    first_s, last_s = received.first_ms / 1000, received.last_ms / 1000
    start_s = received.start_ms / 1000
    if start_s - _SLACK_S <= first_s and last_s <= start_s + rotation_s + _SLACK_S:
        return 0
    # the true start is at most one rotation before the last record, and not after the first
    least = start_s - first_s - _SLACK_S
    most = start_s - last_s + rotation_s + _SLACK_S
    leads = [lead for lead in range(-_MOST_BEHIND_S, _MOST_AHEAD_S + 1, _QUARTER_S) if least <= lead <= most]
    whole_hours = [lead for lead in leads if lead % 3600 == 0]
    chosen = whole_hours or leads
    return chosen[0] if len(chosen) == 1 else None
