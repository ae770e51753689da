"""Fetches a router's running configuration into the file that its settings name."""

from hntes.delivery.access import opener
from hntes.files import write_text
from hntes.platforms.registry import platform_of
from hntes.settings.model import Router
from hntes.workflow.errors import CommandError

# A configuration contains password hashes: readable by the user of HNTES only, unless the file exists already.
_PRIVATE = 0o600


def read_running(router: Router, timeout_s: int) -> str:
    """The committed or running configuration of a router, as it lists it. Changes nothing there.

    Raises:
        DeliveryError: the router has no [routers.delivery], or it does not answer.
        CommandError: the configuration is empty.
    """
    device = opener(router, timeout_s)()
    try:
        text = device.running()
    finally:
        device.close()
    if not _statements(router, text):
        raise CommandError(f"router {router.name}: empty configuration; may the user read all of it?")
    return text if text.endswith("\n") else f"{text}\n"


def store_running(router: Router, timeout_s: int) -> bool:
    """Stores it in the router's `running_config` file, atomically; returns whether anything but comments changed.

    A file that differs only in comments (time of the last change) is kept: judgements are bound to its bytes.

    Raises:
        DeliveryError, CommandError: as `read_running`; or the settings name no file.
        OSError: the file cannot be written.
    """
    path = router.running_config
    if path is None:
        raise CommandError(f"router {router.name}: running_config is not set; set it to the file to store it in")
    text = read_running(router, timeout_s)
    if path.exists() and _statements(router, path.read_text(encoding="utf-8", errors="replace")) == _statements(
        router, text
    ):
        return False
    write_text(path, text, mode=path.stat().st_mode & 0o777 if path.exists() else _PRIVATE)
    return True


def _statements(router: Router, text: str) -> list[str]:
    """The lines of a configuration without comments."""
    comment = platform_of(router.platform).dialect.comment
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(comment)]
