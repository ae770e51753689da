"""The seven testbed experiments that HNTES is based on."""
