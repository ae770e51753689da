"""Settings that would let a router keep its own class of service, as proposed to an operator."""

from collections.abc import Mapping
from dataclasses import dataclass, field

# A table of the settings file: keys with numbers and names, and tables of these.
Keys = Mapping[str, object]


@dataclass(frozen=True)
class Proposal:
    """Keys of `[[routers]]` and of the plan, and what they keep.

    `kind`: the pairs go into a class of the operator's, into one that is added to his schedulers, or his classes get
    queues in the schedulers of HNTES; or classes that the router leaves free take those of the plan.
    """

    kind: str
    router: Keys
    plan: Keys = field(default_factory=dict)

    @property
    def words(self) -> str:
        """What is proposed, in a few words."""
        adopt = self.router.get("adopt")
        match self.kind, adopt:
            case "class", {"forwarding_class": name, "shares_with": marks}:
                return f"the pairs in class {name}, together with {', '.join(map(str, marks))}"
            case "class", {"forwarding_class": name}:
                return f"the pairs in class {name}"
            case "added", {"policy": name}:
                return f"a class of {self.plan.get('alpha_share_pct')}% added to {name}"
            case "kept", _:
                return "the router's classes in the scheduler map of HNTES"
            case "groups", _:
                return "free QoS groups"
            case "classes", _:
                return "classes of the router with bulk at most"
        return "the plan as it is"
