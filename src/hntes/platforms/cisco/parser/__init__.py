"""Parser of IOS-XR and IOS-XE configuration text."""
