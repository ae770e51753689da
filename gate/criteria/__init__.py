"""The criteria of the gate, one file each: which runs they need, and what they make of them."""
