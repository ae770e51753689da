"""Library of code common to IOS-XR and IOS-XE."""
