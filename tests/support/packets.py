"""The fate of single packets, for tests with a few."""

from hntes.addresses import Address
from hntes.platforms.effective import EffectiveModel
from hntes.platforms.lookup import FilterLookup, Outcome


def classify(model: EffectiveModel, interface: str, unit: int, source: Address, destination: Address) -> Outcome:
    """What becomes of a packet that comes in by an interface; KeyError if that is not an edge of the model."""
    for edge in model.edges:
        if (edge.interface, edge.unit, edge.ip_version) == (interface, unit, source.version):
            return FilterLookup(model, edge).outcome(int(source), int(destination))
    raise KeyError(f"{interface} unit {unit}, IPv{source.version}")
