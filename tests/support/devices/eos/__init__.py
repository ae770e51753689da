"""An emulated Arista EOS router."""
