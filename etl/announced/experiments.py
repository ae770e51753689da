"""Experiments and activities by their numbers in the registry of SciTags.

Names that are shown come from the registry alone, never from a message.
Source: https://scitags.org/api.json, as of 2025-09-04; format: schemas/v1.0.0/registry.schema.json. A flow label has 9
bits for the experiment and 6 for the activity (SciTags technical specification).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hntes.etl.announced.document import Fields, objects_of
from hntes.etl.announced.source import UNKNOWN, AnnouncedError, MalformedError
from hntes.sanitize import text_problem

MAX_EXPERIMENT, MAX_ACTIVITY = 511, 63
_MAX_FILE_BYTES = 4 << 20
_MAX_NAME = 64
# Without a registry file these names are known, and activities by number only.
_BUILT_IN = (
    "default", "atlas", "cms", "lhcb", "alice", "belleii", "ska", "dune", "lsst", "ilc", "auger", "juno", "nova",
    "xenon",
)  # fmt: skip


@dataclass(frozen=True)
class Experiments:
    """Names of experiments by number, and of activities by both numbers."""

    names: Mapping[int, str] = field(default_factory=lambda: dict(enumerate(_BUILT_IN, start=1)))
    activities: Mapping[tuple[int, int], str] = field(default_factory=dict)

    def name(self, experiment: int) -> str:
        """The experiment's name, or its number in words."""
        unnamed = f"experiment {experiment}" if experiment else "experiment unknown"
        return self.names.get(experiment, unnamed)

    def activity_name(self, experiment: int, activity: int) -> str:
        """The activity's name, or its number in words; "" where it is unknown."""
        unnamed = f"activity {activity}" if activity else ""
        return self.activities.get((experiment, activity), unnamed)

    def number(self, name: str) -> int:
        """The experiment of that name, whatever its case; UNKNOWN without."""
        wanted = name.casefold()
        return next((number for number, each in self.names.items() if each.casefold() == wanted), UNKNOWN)

    def activity_number(self, experiment: int, name: str) -> int:
        """The experiment's activity of that name, whatever its case; UNKNOWN without."""
        wanted = name.casefold()
        found = (
            activity
            for (owner, activity), each in self.activities.items()
            if owner == experiment and each.casefold() == wanted
        )
        return next(found, UNKNOWN)


def read_experiments(path: Path | None) -> Experiments:
    """From a copy of the registry; without one, the experiments of 2025 without the names of their activities.

    Raises:
        AnnouncedError: it cannot be read, or is something else.
    """
    if path is None:
        return Experiments()
    try:
        if not path.is_file():
            raise AnnouncedError(f"{path}: no such file; correct announced.experiments")
        (registry,) = objects_of(path.read_bytes(), _MAX_FILE_BYTES)
        names: dict[int, str] = {}
        activities: dict[tuple[int, int], str] = {}
        for one in registry.objects("experiments", at_most=MAX_EXPERIMENT):
            number = one.whole(1, MAX_EXPERIMENT, "expId")
            names[number] = _name(one, "expName")
            for each in one.objects("activities", at_most=MAX_ACTIVITY):
                activities[number, each.whole(1, MAX_ACTIVITY, "activityId")] = _name(each, "activityName")
    except (OSError, ValueError, MalformedError) as cause:
        raise AnnouncedError(f"{path}: is no registry of SciTags (experiments, expId, activities): {cause}") from cause
    return Experiments(names, activities)


def _name(fields: Fields, key: str) -> str:
    name = fields.text(key)
    if not name or len(name) > _MAX_NAME or text_problem(name):
        raise MalformedError(f"{key} must be one line of 1 to {_MAX_NAME} printable characters")
    return name
