"""A made-up platform, complete: what a package under src/hntes/platforms/ has, and its templates.

Its routers take lines that each say one thing. Lines of HNTES begin with `hntes`; a load replaces all of them at once.
"""
