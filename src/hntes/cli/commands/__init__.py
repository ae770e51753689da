"""The commands. A module loads a stage only when its command runs, so that help and usage errors are immediate."""
