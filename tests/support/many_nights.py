"""Flow files of many nights, made from the demonstration's: the same flows on later days."""

import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from demo.redate import redate

ROOT = Path(__file__).resolve().parent.parent.parent
FLOWS = ROOT / "demo" / "flows"
FIRST = date(2026, 11, 20)
ROUTERS = ("r1", "r2", "r3")


def write_nights(folder: Path, count: int) -> list[date]:
    """Writes the last `count` nights before today for three routers below `folder`; every sixth has the pairs of the
    demonstration's first.

    One file is cut off in the middle, and one is the copy of another.
    """
    today = datetime.now(UTC).date()
    days = [today - timedelta(days=count - number) for number in range(count)]
    for router in ROUTERS:
        for number, day in enumerate(days):
            _write_night(folder / router, FLOWS / router, number, day)
    cut = _files(folder / "r2", days[count // 2])[0]
    cut.write_bytes(cut.read_bytes()[:100])
    original = _files(folder / "r3", days[count // 3])[0]
    original.with_name(f"nfcapd.{days[count // 3 + 1]:%Y%m%d}0300").write_bytes(original.read_bytes())
    return days


def _write_night(folder: Path, flows: Path, number: int, day: date) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # the demonstration's third night has a file that is cut off already; the others are whole
    source = FIRST + timedelta(days=(1, 0, 3, 1, 3, 1)[number % 6])
    for path in _files(flows, source):
        moved = folder / path.name.replace(f"{source:%Y%m%d}", f"{day:%Y%m%d}")
        moved.write_bytes(redate(_uncompressed(path, folder), (day - source).days))


def _uncompressed(path: Path, folder: Path) -> bytes:
    copy = folder / ".copy"
    subprocess.run(["nfdump", "-q", "-r", path, "-w", copy], check=True, capture_output=True)
    content = copy.read_bytes()
    copy.unlink()
    return content


def _files(folder: Path, day: date) -> list[Path]:
    found = sorted(folder.glob(f"nfcapd.{day:%Y%m%d}*"))
    assert found, f"{folder} has no flow file of {day}"
    return found
