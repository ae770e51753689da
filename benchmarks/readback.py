"""Seconds to read back the text of 2,000 pairs and to check its structure."""

import time

from hntes.platforms.parse import parse_config
from hntes.platforms.render import render
from hntes.platforms.structure import check_structure
from hntes.rules.pairs import PrefixPair
from tests.support.qos_models import PLATFORMS, many_pairs, model

# Two thousand hosts inside of one wide pair: the regions fall into the most pieces.
NESTED = [PrefixPair.parse("2001:db8::/32>2001:db8::/32")] + [
    PrefixPair.parse(f"2001:db8:{index:x}::1/128>2001:db8:{7 * index:x}::9/128") for index in range(1_999)
]


def main() -> None:
    """Prints one line a platform and set of pairs."""
    for name, pairs in (("mixed", many_pairs()), ("nested", NESTED)):
        for platform in PLATFORMS:
            made = model(platform, redirect="next_hop", pairs=pairs)
            text = render(made)
            started = time.perf_counter()
            found = parse_config(made.platform, text, made.interfaces)
            read = time.perf_counter()
            assert check_structure(found, pairs, alpha_queue=4, is_redirected=True) == []
            checked = time.perf_counter()
            print(
                f"{platform:6} {name:6} {len(pairs)} pairs: read {read - started:.2f} s, check {checked - read:.2f} s"
            )


if __name__ == "__main__":
    main()
