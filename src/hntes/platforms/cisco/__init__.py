"""A library for IOS-XR and IOS-XE: what both platforms have in common."""
