"""Verification that a router behaves as its configuration text says: parsed, compared, probed."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from tempfile import TemporaryFile
from typing import IO

from hntes.platforms.compare import differences
from hntes.platforms.device_errors import DeliveryError
from hntes.platforms.dialect import Dialect
from hntes.platforms.effective import BEST_EFFORT, Action, EffectiveModel, Program
from hntes.platforms.grammar import OWN_NAME
from hntes.platforms.parse import ParseError, parse_config
from hntes.platforms.registry import platform_of
from hntes.rules.qos.model import KEPT_SCHEDULER, InterfaceBinding

_SHOWN = 5
_OUTPUT_CHARACTERS = 300
_OUTPUT_BYTES = 65_536


class EffectError(DeliveryError):
    """The router's configuration behaves differently from the text, or cannot be parsed."""


def check_part(dialect: Dialect, running: str, wanted: str | None) -> None:
    """Verifies that the part of a router's configuration owned by HNTES equals a text.

    Raises:
        DeliveryError: it differs; lists the statements.
    """
    found, expected = dialect.owned(running), dialect.part_of(wanted)
    if found != expected:
        raise DeliveryError("the router holds other statements:\n" + "\n".join(found.differences(expected)))


def check_effect(dialect: Dialect, inherited: str, wanted: str, interfaces: Sequence[InterfaceBinding]) -> None:
    """Verifies that the whole configuration behaves on the named interfaces as the text alone would.

    `check_part` is not enough: a router's own statement in the same place overrides that of a group.

    Raises:
        EffectError: it behaves differently, or cannot be parsed.
    """
    try:
        whole = dialect.ordered(dialect.effective_text(inherited))
        alone = parse_config(dialect.platform, dialect.ordered(wanted), interfaces)
        keeps_classes = _keeps_classes(dialect, alone)
        found = parse_config(
            dialect.platform, whole, interfaces, is_whole=True, is_merged=True, keeps_classes=keeps_classes
        )
    except ParseError as cause:
        raise EffectError(f"the router's configuration cannot be parsed: {cause}") from cause
    if _keeps_queues(alone):
        found, alone = _without_kept(found, alone), _without_kept(alone, alone)
    unlike = differences(_comparable(found), _comparable(alone))
    if unlike:
        shown = "\n".join(unlike[:_SHOWN])
        raise EffectError(f"the router behaves differently from the text, in {len(unlike)} places:\n{shown}")


def run_probes(router: str, probes: Sequence[Sequence[str]], limit_s: int) -> None:
    """Runs the operator's probes in order, without a shell; HNTES_ROUTER names the router.

    What a probe leaves running behind it counts for nothing; one that takes too long is ended with all that it started.

    Raises:
        DeliveryError: one cannot be run, takes longer than `limit_s`, or exits with a status other than 0.
    """
    for probe in probes:
        # not a pipe, which whatever the probe leaves behind would keep open
        with TemporaryFile() as output:
            try:
                status = _status(probe, router, output, limit_s)
            except subprocess.TimeoutExpired as cause:
                raise DeliveryError(f"probe `{probe[0]}` took longer than {limit_s} s") from cause
            except OSError as cause:
                raise DeliveryError(f"probe `{probe[0]}` cannot be run: {cause.strerror}") from cause
            if status:
                output.seek(0)
                said = " ".join(output.read(_OUTPUT_BYTES).decode(errors="replace").split())[:_OUTPUT_CHARACTERS]
                raise DeliveryError(f"probe `{probe[0]}` exited with status {status}: {said}")


def _status(probe: Sequence[str], router: str, output: IO[bytes], limit_s: int) -> int:
    running = subprocess.Popen(
        list(probe), stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=_environment(router),
        start_new_session=True,
    )  # fmt: skip
    try:
        return running.wait(limit_s)
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        raise


def _keeps_queues(wanted: EffectiveModel) -> bool:
    """Whether a text leaves core ports the operator's queues: it serves no best effort itself."""
    return all(port.queue_of(BEST_EFFORT) is None for port in wanted.ports)


def _keeps_classes(dialect: Dialect, wanted: EffectiveModel) -> bool:
    """Whether a text leaves classes of the operator, in his queues or, where the platform can, in queues of HNTES."""
    if _keeps_queues(wanted):
        return True
    labels = (queue.label for port in wanted.ports for queue in port.queues)
    can_mix = platform_of(dialect.platform).capabilities.adds_classes
    return can_mix and any(label.startswith(KEPT_SCHEDULER) for label in labels)


def _without_kept(model: EffectiveModel, wanted: EffectiveModel) -> EffectiveModel:
    """A model with the classes and queues alone that a text names."""
    numbers = {number for port in wanted.ports for queue in port.queues for number in queue.numbers}
    ports = tuple(
        replace(
            port,
            rate_bps=0,
            carrier="qos-group",
            queues=tuple(each for each in port.queues if set(each.numbers) <= numbers),
        )
        for port in model.ports
    )
    return replace(model, ports=ports, classes=tuple(each for each in model.classes if each in wanted.classes))


def _comparable(model: EffectiveModel) -> EffectiveModel:
    """A model without the fields that only a candidate (merged objects) or only a running configuration has."""
    edges = tuple(replace(each, programs=tuple(filter(_is_deciding, each.programs))) for each in model.edges)
    return replace(model, edges=edges, merged=(), unparsed=())


def _is_deciding(program: Program) -> bool:
    """Whether a program sets class, rate or path; an operator's filter that only accepts and discards does not."""
    is_own = any(OWN_NAME.fullmatch(name) for name in program.name.split())
    plain = {Action(disposition=each) for each in ("accept", "discard", "next")}
    return is_own or program.kind != "filter" or not {each.action for each in program.entries} <= plain


def _environment(router: str) -> dict[str, str]:
    """The caller's environment without passwords."""
    return {name: value for name, value in os.environ.items() if "PASSWORD" not in name} | {"HNTES_ROUTER": router}
