"""An emulated SR OS router, written from the vendor's YANG modules and guides."""
