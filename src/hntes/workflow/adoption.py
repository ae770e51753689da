"""Settings by which a router keeps its own class of service, found in its running configuration."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hntes.gate.criteria.structure import STRUCTURE
from hntes.platforms.adopted import expected_beside
from hntes.platforms.conflict import Collision, CollisionError
from hntes.platforms.conflicts import check_conflicts
from hntes.platforms.hardware import Hardware
from hntes.platforms.hardware_fit import Recognized, model_of, recognized
from hntes.platforms.merged import read_merged
from hntes.platforms.parse import ParseError
from hntes.platforms.proposal import Proposal
from hntes.platforms.registry import UnknownPlatformError, is_installed, platform_of
from hntes.platforms.render import render
from hntes.platforms.validate import validate
from hntes.rules.pairs import PrefixPair
from hntes.rules.qos.model import ModelError, RouterModel
from hntes.settings.model import Interface, Router
from hntes.settings.plans import TwoQueue
from hntes.settings.terms import ALPHA
from hntes.workflow.errors import CommandError
from hntes.workflow.running_configuration import configuration_text

# A pair that stands for any: documentation prefixes (RFC 5737).
_PAIRS = {4: PrefixPair.parse("198.51.100.0/24>203.0.113.0/24"), 6: PrefixPair.parse("2001:db8:1::/48>2001:db8:2::/48")}
AS_IT_IS = Proposal("none", {})


@dataclass(frozen=True)
class Fit:
    """Whether a plan fits beside a running configuration: what is in the way, with lines; nothing if it does.

    `model` is the plan beside it, None if something collides.
    """

    proposal: Proposal
    problems: tuple[Collision, ...]
    model: RouterModel | None = None


@dataclass(frozen=True)
class Adoption:
    """The first settings that fit, None if none does, and what is in the way of those that were tried before.

    `recognized` is the hardware that the listing names.
    """

    found: Proposal | None
    tried: tuple[Fit, ...]
    recognized: Recognized | None = None

    def lines(self) -> list[str]:
        """The settings as lines of TOML: keys of `[[routers]]`, and a plan of its own where one is needed."""
        if self.found is None:
            return []
        return list(_toml(self.found, self.recognized))


def adoption_of_file(path: Path, platform: str, edges: Sequence[str], cores: Sequence[str], rate_bps: int) -> Adoption:
    """As `adoption`, for a file and interfaces as the router names them: PORT or PORT.UNIT.

    Raises:
        CommandError: the file cannot be read, the platform is unknown, or a name is none of an interface.
    """
    if not is_installed(platform):
        raise CommandError(str(UnknownPlatformError(platform)))
    named = [(name, "edge") for name in edges] + [(name, "core") for name in cores]
    running = configuration_text(path)
    try:
        interfaces = [_interface(name, role, rate_bps) for name, role in named]
    except ValidationError as cause:
        first = cause.errors()[0]
        raise CommandError(f"{first['input']!r} is no interface: {first['msg']}") from cause
    return adoption(platform, running, _named_apart(platform, running, interfaces))


def _interface(name: str, role: str, rate_bps: int) -> Interface:
    port, _, unit = name.rpartition(".")
    if not (port and unit.isdigit()):
        port, unit = name, "0"
    return Interface.model_validate(
        {"name": port, "unit": int(unit), "role": role, "rate_bps": rate_bps, "ip_versions": [4]}
    )


def _named_apart(platform: str, running: str, interfaces: Sequence[Interface]) -> list[Interface]:
    """The interfaces with their logical names, on platforms that name them apart from ports."""
    router = platform_of(platform).inventory(running)
    logical = {(each.name, each.unit or 0): each.logical for each in router.ports if each.logical} if router else {}
    return [each.model_copy(update={"logical": logical.get((each.name, each.unit))}) for each in interfaces]


def adoption(platform: str, running: str, interfaces: Sequence[Interface]) -> Adoption:
    """The first of the platform's proposals that fits beside a running configuration; the plan as it is comes first.

    Only the text is judged here: the gate simulates what comes of it.
    """
    cores = sorted({each.name for each in interfaces if each.role != "edge"})
    tried: list[Fit] = []
    named = recognized(platform, running)
    for each in _proposals(platform, running, cores):
        fit = fitted(platform, running, interfaces, each, named.hardware if named is not None else None)
        if not fit.problems:
            return Adoption(each, tuple(tried), named)
        tried.append(fit)
    return Adoption(None, tuple(tried), named)


def fitted(
    platform: str,
    running: str,
    interfaces: Sequence[Interface],
    proposal: Proposal,
    hardware: Hardware | None = None,
) -> Fit:
    """What is in the way of a plan with these settings, by the checks that come before simulation."""
    keys: dict[str, Any] = {
        "name": "router", "platform": platform, "flow_folder": "flows", "running_config": "running",
        "interfaces": [each.model_dump() for each in interfaces], **proposal.router,
    }  # fmt: skip
    if hardware is not None:
        # Where no buffer is published the operator fills it in, which changes nothing here.
        keys |= {"hardware": hardware.name} | ({} if hardware.buffers_ms else {"port_buffer_ms": 100})
    try:
        plan = TwoQueue.model_validate({"kind": "two_queue", **proposal.plan})
        model = model_of(Router.model_validate(keys), plan, [_PAIRS[each] for each in _versions(interfaces)])
        found = check_conflicts(model, running)
        validate(found)
    except CollisionError as problem:
        return Fit(proposal, problem.collisions)
    except (ValidationError, ModelError) as problem:
        return Fit(proposal, (Collision(0, "settings", str(problem)),))
    return Fit(proposal, tuple(_unjudged(found, running)), found)


def _unjudged(model: RouterModel, running: str) -> Iterator[Collision]:
    try:
        merged = read_merged(
            model.platform, render(model), running, model.interfaces, keeps_classes=model.keeps_classes
        )
        expected = expected_beside(model, running)
    except ParseError as problem:
        yield Collision(problem.line, problem.text, problem.reason)
        return
    touching = [each for each in merged.unparsed if each.is_reason]
    yield from (Collision(each.line, each.text, f"can touch {each.touches}") for each in touching)
    verdict = STRUCTURE.verdict(
        merged, [pair for each in model.filters for pair in (term.pair for term in each.terms)],
        alpha_queue=model.queue_for(ALPHA) or 0, is_redirected=False, port_buffer_ms=model.port_buffer_ms,
        expected=expected, is_adopted=model.adopted is not None,
    )  # fmt: skip
    if not touching and verdict.outcome != "passed":
        yield Collision(0, "structure", verdict.sentence)


def _proposals(platform: str, running: str, cores: Sequence[str]) -> Iterator[Proposal]:
    yield AS_IT_IS
    try:
        yield from platform_of(platform).proposals(running, cores)
    except ParseError:
        return  # the plan as it is was refused with the same line


def _versions(interfaces: Sequence[Interface]) -> list[int]:
    return sorted({each for one in interfaces if one.role != "core" for each in one.ip_versions})


def _toml(proposal: Proposal, named: Recognized | None) -> Iterator[str]:
    if proposal.plan:
        yield "[plans.beside]"
        yield 'kind = "two_queue"'
        yield from (f"{key} = {_value(value)}" for key, value in proposal.plan.items())
        yield ""
    yield "# below [[routers]]"
    if named is not None:
        yield f"hardware = {_value(named.hardware.name)}  # line {named.line} names {named.words}"
        if not named.hardware.buffers_ms:
            yield "# port_buffer_ms =   FILL IN: not published for this hardware"
    if proposal.plan:
        yield 'plan = "beside"'
    yield from (f"{key} = {_value(value)}" for key, value in proposal.router.items())


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(each) for each in value) + "]"
    return json.dumps(value)
