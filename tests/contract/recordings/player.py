"""Recordings of routers: what a router says in, the lines sent and the driver's decision out.

Each file of a platform has its recordings as `[[recording]]`: `name`; `source`, the public transcript whose form and
words the router's part has; `acts`, what the driver is asked to do, in order; `exchange`, pairs of what is sent and
what the router then says, on command lines with echo and prompt, over NETCONF without `rpc-reply`; `result` of the last
act, or `error`, its type, with `told`, a part of its words.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hntes.platforms.cisco.channel import Channel
from hntes.platforms.eos.session import EosDevice
from hntes.platforms.iosxe.session import IosxeDevice
from hntes.platforms.iosxr.session import IosXrDevice
from hntes.platforms.junos.session import JunosDevice
from hntes.platforms.sros.session import SrosDevice

HERE = Path(__file__).parent
REMARK = "hntes 0123456789ab"
BASE = 'xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"'


@dataclass(frozen=True)
class Recording:
    """One recording; `result` is the text form of what the last act returns."""

    platform: str
    name: str
    source: str
    acts: tuple[str, ...]
    exchange: tuple[tuple[str, str], ...]
    prompt: str = ""
    result: str | None = None
    error: str = ""
    told: str = ""


def recordings() -> list[Recording]:
    """All recordings, by file and order."""
    found = []
    for path in sorted(HERE.glob("*.toml")):
        for each in tomllib.loads(path.read_text())["recording"]:
            pairs = tuple((sent, said) for sent, said in each.pop("exchange"))
            found.append(Recording(path.stem, acts=tuple(each.pop("acts")), exchange=pairs, **each))
    return found


class Script:
    """The router's side: says what was recorded, and notes what was sent that was not."""

    def __init__(self, recording: Recording) -> None:
        self._left = list(recording.exchange)
        self._printed = ""
        self.base_prompt = recording.prompt
        self.unexpected: list[str] = []

    @property
    def unsent(self) -> list[str]:
        return [sent for sent, _ in self._left]

    def next(self, sent: str) -> str:
        """What the router says to a line; nothing if the recording has another."""
        if not self._left or self._left[0][0] != sent:
            self.unexpected.append(sent)
            return ""
        return self._left.pop(0)[1]

    @property
    def remote_conn(self) -> SimpleNamespace:
        return SimpleNamespace(closed=False, eof_received=False)

    def write_channel(self, text: str) -> None:
        self._printed += self.next(text.removesuffix("\n"))

    def read_channel(self) -> str:
        """In pieces, as a network delivers it."""
        piece, self._printed = self._printed[:7], self._printed[7:]
        return piece

    def disconnect(self) -> None:
        self._left = []


class JunosScript(Script):
    """ncclient's manager, as far as the driver asks it: requests by their names."""

    def lock(self, _: str) -> str:
        return self._reply("lock")

    def rpc(self, request: str) -> str:
        return self._reply(request)

    def load_configuration(self, **options: str) -> str:
        return self._reply(f"load {options['action']}")

    def compare_configuration(self) -> str:
        return self._reply("compare")

    def discard_changes(self) -> str:
        return self._reply("discard")

    def commit(self, **options: Any) -> str:
        return self._reply("check" if options.get("check") else "trial" if options.get("confirmed") else "commit")

    def _reply(self, sent: str) -> str:
        said = self.next(sent)
        namespaces = (
            'xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" xmlns:junos="http://xml.juniper.net/junos/22.2R0/junos"'
        )
        return said if "<rpc-reply" in said else f"<rpc-reply {namespaces}>{said}</rpc-reply>"


class SrosScript(Script):
    """ncclient's manager, as far as the driver of SR OS asks it: requests by their names, with their datastore."""

    def lock(self, target: str) -> str:
        return self._reply(f"lock {target}")

    def get_config(self, source: str) -> str:
        return self._reply(f"get-config {source}")

    def edit_config(self, target: str, config: str) -> str:
        del config
        return self._reply(f"edit-config {target}")

    def discard_changes(self) -> str:
        return self._reply("discard-changes")

    def validate(self, source: str) -> str:
        return self._reply(f"validate {source}")

    def cancel_commit(self, persist_id: str) -> str:
        return self._reply(f"cancel-commit {persist_id}")

    def commit(self, **options: Any) -> str:
        return self._reply("commit confirmed" if options.get("confirmed") else "commit")

    def copy_config(self, source: str, target: str) -> str:
        return self._reply(f"copy-config {source} {target}")

    def _reply(self, sent: str) -> str:
        return f"<rpc-reply {BASE}>{self.next(sent)}</rpc-reply>"


SCRIPTS: dict[str, type[Script]] = {"junos": JunosScript, "sros": SrosScript}
DEVICES: dict[str, Any] = {
    "junos": JunosDevice, "sros": SrosDevice, "iosxe": IosxeDevice, "iosxr": IosXrDevice, "eos": EosDevice,
}  # fmt: skip


def played(recording: Recording, script: Script) -> str:
    """Does the acts; returns the text form of what the last one returns."""
    device = _device(recording, script)
    done = None
    for act in recording.acts:
        name, _, argument = act.partition(" ")
        done = _act(device, name, argument)
    return str(done)


def script_of(recording: Recording) -> Script:
    return SCRIPTS.get(recording.platform, Script)(recording)


def _device(recording: Recording, script: Script) -> Any:
    kind = DEVICES[recording.platform]
    return kind(script) if recording.platform in SCRIPTS else kind(Channel(script, timeout_s=0.5))


def _act(device: Any, name: str, argument: str) -> object:
    match name:
        case "enter":
            return device._channel.enter(argument)
        case "commit_trial":
            return device.commit_trial(2, REMARK)
        case "confirm":
            return device.confirm(REMARK)
        case "load":
            return device.load(argument or "hntes { }", is_removal=False)
        case "began":
            device._name, _, device._begun_with = argument.partition(" ")
            device._begun_with += "\n"
            return None
        case "typed":
            device._lines = argument.split("; ")
            return None
        case "counters":
            return device.counters((argument,))
    return getattr(device, name)()
