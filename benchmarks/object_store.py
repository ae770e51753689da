"""CPU time of a router's day with its lake in a bucket, beside the same in a folder, stage by stage, in alternation.

AWS_ACCESS_KEY_ID=... AWS_SECRET_ACCESS_KEY=... python -m benchmarks.object_store --endpoint HOST:9000 --bucket NAME

The service runs already, at plain HTTP; its own CPU time is not counted. Everything in the bucket below `benchmark/` is
removed first.
"""

import argparse
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import median

from pyarrow import fs

from benchmarks._process import Used, hntes, used_by
from benchmarks.night import BY_RECORD, DAY, ROOT, SOURCES, make_flows, settings_text

_PREFIX = "benchmark"


def main() -> None:
    """Makes the flow files once, and runs the stages of each kind of lake in each round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endpoint", required=True, help="HOST:PORT of the S3 service")
    parser.add_argument("--bucket", required=True)
    parser.add_argument("--folder", type=Path, help="for files and lakes (default: a temporary one)")
    parser.add_argument("--records", type=int, default=1_000_000, help="of the day (default: a million)")
    parser.add_argument("--rounds", type=int, default=3, help="default: 3")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.folder or Path(scratch)).resolve()
        if not (folder / "flows").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make_flows(folder, 1, asked.records, *SOURCES["both"])
        found: dict[tuple[str, str], list[Used]] = defaultdict(list)
        for number in range(asked.rounds):
            for kind in ("folder", "bucket") if number % 2 == 0 else ("bucket", "folder"):
                for stage, used in _day(folder, kind, asked.endpoint, asked.bucket).items():
                    found[stage, kind].append(used)
                    print(f"round {number + 1}, {kind}, {stage}: {used.cpu_s:.1f} CPU s", flush=True)
        _print(found, asked.records)


def _day(folder: Path, kind: str, endpoint: str, bucket: str) -> dict[str, Used]:
    """A day's stages with an empty lake and an empty database."""
    here = folder / kind
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir()
    text = settings_text(here, folder / "flows", 1)
    if kind == "bucket":
        _empty(endpoint, bucket)
        text = text.replace(f'lake = "{here / "lake"}"', f'lake = "s3://{bucket}/{_PREFIX}"')
        text += f'[lake_store]\nendpoint = "{endpoint}"\ntls = false\n'
    (here / "hntes.toml").write_text(text, encoding="utf-8")
    commands = {stage: hntes(here / "hntes.toml", "stage", stage, "--day", str(DAY)) for stage in BY_RECORD}
    return {stage: used_by(command, ROOT, here / stage) for stage, command in commands.items()}


def _empty(endpoint: str, bucket: str) -> None:
    client = fs.S3FileSystem(endpoint_override=endpoint, scheme="http", region="us-east-1")
    client.delete_dir_contents(f"{bucket}/{_PREFIX}", missing_dir_ok=True)


def _print(found: dict[tuple[str, str], list[Used]], records: int) -> None:
    print(f"{records:,} records; CPU s, medians")
    totals = dict.fromkeys(("folder", "bucket"), 0.0)
    for stage in BY_RECORD:
        spent_s = {kind: median(used.cpu_s for used in found[stage, kind]) for kind in totals}
        totals = {kind: totals[kind] + spent_s[kind] for kind in totals}
        print(f"{stage:10} folder {spent_s['folder']:7.1f}  bucket {spent_s['bucket']:7.1f}")
    print(f"in all     folder {totals['folder']:7.1f}  bucket {totals['bucket']:7.1f}", end="")
    print(f"  {totals['bucket'] / totals['folder']:.2f} times")


if __name__ == "__main__":
    main()
