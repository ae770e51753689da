"""What the gate simulates of an EOS text: what network control leaves is divided by weight between alpha and beta."""

from hntes.gate.ports import planned_ports
from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.rules.qos.build import build_model
from hntes.settings.plans import TwoQueue
from tests.support.qos_models import PAIRS, interfaces_of, router


def test_network_control_goes_first_and_what_it_leaves_is_shared_by_weight() -> None:
    edge, core, _ = interfaces_of("eos")
    target = router("eos", interfaces=[edge, core], queues={"alpha": 1, "network_control": 6})
    made = build_model(target, TwoQueue(kind="two_queue"), PAIRS)
    found = parse_config("eos", render(made), made.interfaces)
    pairs = [each.pair for one in made.filters for each in one.all_terms]
    (planned,) = planned_ports(found, pairs, alpha_queue=1, port_buffer_ms=100)
    queues = {each.name: each for each in planned.plan.queues}
    assert (planned.plan.alpha_queue, planned.plan.beta_queue) == ("alpha", "beta")
    # A strict queue without a share has the least that there is; the weights of the others are their shares.
    assert {name: each.rate_share_pct for name, each in queues.items()} == {"alpha": 30, "beta": 65, "other1": 1}
    # Lower goes first.
    assert queues["other1"].priority < queues["alpha"].priority == queues["beta"].priority
