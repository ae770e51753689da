"""`python -m hntes` is the command `hntes`."""

from hntes.cli.cli import main

main(prog_name="hntes")
