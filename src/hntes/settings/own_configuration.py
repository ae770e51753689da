"""Queue numbers and class names that avoid conflicts with a router's existing configuration."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from hntes.settings.names import Name
from hntes.settings.section import Section
from hntes.settings.terms import ALPHA, BETA, NETWORK_CONTROL, PREMIUM, SCAVENGER

# Every platform puts unclassified traffic into queue 0.
BETA_QUEUE = 0
# Of any platform: a hardware queue on Junos, a QoS group on Cisco; capabilities have each platform's own limit.
HIGHEST_GROUP = 512
QueueNumber = Annotated[int, Field(ge=1, le=HIGHEST_GROUP)]


class QueueNumbers(Section):
    """The queue of each class: a hardware queue on Junos, 1..7, a QoS group on Cisco, 1..99 on IOS-XE and 1..512 on
    IOS-XR. That of beta is 0.

    On Junos queue 3 is network control by default, and queues 1 and 2 are expedited and assured forwarding: alpha must
    not share a queue with existing voice traffic, so alpha and scavenger take the first two queues without a default.
    """

    network_control: QueueNumber = 3
    """queue of routing protocols"""
    alpha: QueueNumber = 4
    """queue of alpha traffic"""
    scavenger: QueueNumber = 5
    """queue of alpha traffic above the rate of a `scavenger_policer`"""
    premium: QueueNumber = 6
    """queue of reservations, with a plan that has `premium_share_pct`"""

    @model_validator(mode="after")
    def _each_its_own(self) -> Self:
        # the default of premium may be taken: a plan without reservations does not use it
        numbers = [self.network_control, self.alpha, self.scavenger]
        numbers += [self.premium] if "premium" in self.model_fields_set else []
        if len(set(numbers)) < len(numbers):
            raise ValueError("two classes have the same queue; give each its own")
        return self

    def by_class(self) -> dict[str, int]:
        """Class, in the words of plans -> queue."""
        return {
            BETA: BETA_QUEUE,
            NETWORK_CONTROL: self.network_control,
            ALPHA: self.alpha,
            SCAVENGER: self.scavenger,
            PREMIUM: self.premium,
        }


class ClassNames(Section):
    """The names of the forwarding classes on a Junos router."""

    beta: Name = BETA
    """forwarding class of all other traffic, on queue 0"""
    network_control: Name = NETWORK_CONTROL
    """forwarding class of routing protocols"""
    alpha: Name = ALPHA
    """forwarding class of alpha traffic"""
    scavenger: Name = SCAVENGER
    """forwarding class of alpha traffic above the rate of a `scavenger_policer`"""
    premium: Name = PREMIUM
    """forwarding class of reservations"""

    @model_validator(mode="after")
    def _each_its_own(self) -> Self:
        names = [self.beta, self.network_control, self.alpha, self.scavenger]
        names += [self.premium] if "premium" in self.model_fields_set else []
        if len(set(names)) < len(names):
            raise ValueError("two classes have the same name; give each its own")
        return self

    def by_class(self) -> dict[str, str]:
        """Class, in the words of plans -> name of its forwarding class."""
        return {
            BETA: self.beta,
            NETWORK_CONTROL: self.network_control,
            ALPHA: self.alpha,
            SCAVENGER: self.scavenger,
            PREMIUM: self.premium,
        }
