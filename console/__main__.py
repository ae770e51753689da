"""`python -m console` is `hntes`."""

from console.cli import main

main(prog_name="hntes")
