"""The header of an nfcapd file: checked to refuse files that nfdump would misread or skip silently.

nfdump 1.7 leaves exit status 0 for foreign, cut-off and empty files, so the head is looked at before it runs.
Source of the layout: nffile.h of nfdump 1.6 (layout 1) and 1.7 (layout 2), nffileV3.h of 1.8
(layout 3); read on real files of each.
"""

import struct
from pathlib import Path

from hntes.etl.errors import UnreadableFileError
from hntes.files import open_file

MAGIC = 0xA50C
KNOWN_LAYOUTS = {1: "nfdump 1.6", 2: "nfdump 1.7", 3: "nfdump 1.8"}
_HEAD = struct.Struct("<HH")


def file_layout(path: Path) -> int:
    """The layout version of an nfcapd file (1 to 3).

    Raises:
        UnreadableFileError: the file cannot be opened, is empty, is not an nfcapd file, or has a layout this program
            does not know.
    """
    try:
        with open_file(path) as stream:
            head = stream.read(_HEAD.size)
    except OSError as cause:
        raise UnreadableFileError(f"the file cannot be opened: {cause.strerror}") from cause
    if not head:
        raise UnreadableFileError("the file is empty (0 bytes)")
    if len(head) < _HEAD.size:
        raise UnreadableFileError(f"the file is cut off after {len(head)} bytes")
    magic: int
    layout: int
    magic, layout = _HEAD.unpack(head)
    if magic != MAGIC:
        raise UnreadableFileError("not an nfcapd file (it does not start with the magic number 0xA50C)")
    if layout not in KNOWN_LAYOUTS:
        known = ", ".join(f"{number} ({writer})" for number, writer in KNOWN_LAYOUTS.items())
        raise UnreadableFileError(
            f"file layout {layout} is unknown; known are {known}. "
            "The collector was probably upgraded: upgrade HNTES before it reads these files"
        )
    return layout
