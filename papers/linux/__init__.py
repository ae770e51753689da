"""Linux 6.1 itself, run in exact virtual time: what its TCP did where the engine has `tcp.profile = "linux-6"`."""
