"""Records a second from nfcapd files into the lake, beside nfdump's own scan of the same file."""

import subprocess
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from etl.ingest.decode import Claim
from etl.ingest.flow_file import probe, read_file
from etl.nfcapd.nfdump import environment

ROOT = Path(__file__).parent.parent
COPIES = 100


def main() -> None:
    """Makes one large file of the demonstration's records and reads it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        flows = folder / "flows"
        flows.mkdir()
        source = ROOT / "demo" / "flows" / "r2" / "nfcapd.202611201821"
        for number in range(COPIES):
            (flows / f"nfcapd.2026112018{number:02d}{number % 60:02d}").write_bytes(source.read_bytes())
        large = folder / "nfcapd.202611201821"
        subprocess.run(["nfdump", "-q", "-R", flows, "-z", "-w", large], check=True, env=environment(),
                       stdout=subprocess.DEVNULL)  # fmt: skip
        begin = time.perf_counter()
        subprocess.run(["nfdump", "-q", "-r", large, "bytes > 999999999999"], check=True, env=environment(),
                       stdout=subprocess.DEVNULL)  # fmt: skip
        scan_s = time.perf_counter() - begin
        nfdump = probe("nfdump")
        for native in (False, True):
            begin, cpu = time.perf_counter(), _cpu_s()
            result = read_file(large, nfdump, folder / f"lake-{native}", "large", [Claim("r")], 300_000, native=native)
            read_s, cpu_s = time.perf_counter() - begin, _cpu_s() - cpu
            records = result.read_records
            if not native:
                print(f"records {records}")
                print(f"nfdump's scan, nothing out  {scan_s:8.2f} s  {records / scan_s:12,.0f} records/s")
            way = "natively" if native else "through nfdump"
            print(f"into the lake {way:14}{read_s:8.2f} s  {records / read_s:12,.0f} records/s, {cpu_s:.2f} CPU s")


def _cpu_s() -> float:
    """Of this process and of the programs it has waited for."""
    return sum(usage.ru_utime + usage.ru_stime for usage in map(getrusage, (RUSAGE_SELF, RUSAGE_CHILDREN)))


if __name__ == "__main__":
    main()
