"""The commands of `hntes`, by what a person wants: run a night, look, review, override."""
