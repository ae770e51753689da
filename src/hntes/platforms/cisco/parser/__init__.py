"""Reading IOS-XR and IOS-XE text."""
