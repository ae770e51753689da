"""How often Python looks for garbage in cycles."""

import gc

# Loading modules creates some 150,000 objects and hardly any garbage; looking for it took a tenth of the start-up time.
_OBJECTS_PER_COLLECTION = 200_000


def collect_rarely() -> None:
    """Looks for garbage once that many more objects were made than were given up, and not while modules load."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
