"""CPU seconds of the exact window for one flow whose records all overlap, by their number."""

import random
import time

from hntes.etl.detect.window import Flow, Span

DAY_MS = 86_400_000
WINDOW_MS = 60_000


def overlapping(records: int, longest_ms: int, seed: int = 1) -> list[Span]:
    """Records of one hour with durations of their own, so that no small denominator serves them all."""
    chance = random.Random(seed)
    begins = [chance.randrange(3_600_000) for _ in range(records)]
    return [Span(at, at + chance.randint(1, longest_ms), chance.randint(1, 10**8), 1000, 100) for at in begins]


def main() -> None:
    """Peak and burst of 1,250 to 80,000 records that last up to a minute, and up to half an hour."""
    for longest_ms in (60_000, 1_800_000):
        for records in (1250, 2500, 5000, 7000, 10_000, 20_000, 40_000, 80_000):
            spans = overlapping(records, longest_ms)
            begin = time.process_time()
            flow = Flow(spans)
            peak = flow.peak_window(WINDOW_MS, 0, DAY_MS)
            assert peak is not None
            flow.burst_bytes(WINDOW_MS, int(peak.bytes) // 2, 0, DAY_MS)
            took = time.process_time() - begin
            print(f"{records:>7,} records of up to {longest_ms // 1000:>5,} s  {took:7.2f} CPU s  "
                  f"{1e6 * took / records:6.1f} us per record")  # fmt: skip


if __name__ == "__main__":
    main()
