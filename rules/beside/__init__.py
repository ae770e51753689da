"""What a router is configured with beside HNTES, and where a candidate would collide with it."""

from rules.beside.check import check_beside
from rules.beside.collision import Collision, CollisionError
from rules.beside.merged import read_merged

__all__ = ["Collision", "CollisionError", "check_beside", "read_merged"]
