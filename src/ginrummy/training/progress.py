"""How long work says where it stands."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with a line about the present work, the number of steps done and the number of steps in all."""
