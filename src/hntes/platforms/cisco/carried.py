"""What carries classes from input to output on the router of a model, and what is lost beside it."""

from hntes.platforms.hardware_fit import hardware_of
from hntes.rules.qos.model import Carrier, RouterModel

# The three bits of a DSCP that become the EXP of an imposed label by default, without 0 (RFC 5462, RFC 2474).
PRECEDENCES = range(1, 8)


def carrier_of(model: RouterModel) -> Carrier:
    """That of the operator's class, else that of the hardware; QoS groups where it is not known."""
    if model.adopted is not None:
        return model.adopted.carrier
    hardware = hardware_of(model.platform, model.hardware)
    return "qos-group" if hardware is None else hardware.carrier


def sets_exp(model: RouterModel) -> bool:
    """Whether its input policy has to set the EXP of labels, which the access list would clear."""
    hardware = hardware_of(model.platform, model.hardware)
    return hardware is not None and hardware.clears_exp
