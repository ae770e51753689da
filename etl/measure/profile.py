"""An interface's day as its load profile: the bytes of each five minutes by what becomes of them."""

from datetime import date

from hntes.etl.days import MINUTE_MS, day_bounds_ms
from hntes.etl.measure.minutes import InterfaceMinutes
from hntes.sql.load_profiles import BIN_MINUTES, BINS, LoadProfile


def load_profile(router: str, day: date, index: int, interface: InterfaceMinutes) -> LoadProfile:
    """The profile of an interface's minutes of that day; minutes that were left out of its load are 0."""
    first_minute = day_bounds_ms(day)[0] // MINUTE_MS
    queued, new, beta = [0] * BINS, [0] * BINS, [0] * BINS
    for minute in {*interface.beta, *interface.alpha}:
        place = (minute - first_minute) // BIN_MINUTES
        whole = sum(queue[minute].bytes for queue in (interface.beta, interface.alpha) if minute in queue)
        in_force, not_yet = interface.in_force_bytes.get(minute, 0), interface.new_bytes.get(minute, 0)
        queued[place] += in_force
        new[place] += not_yet
        beta[place] += whole - in_force - not_yet
    return LoadProfile(router, day, index, tuple(queued), tuple(new), tuple(beta))
