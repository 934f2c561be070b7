"""Paper S2: a heuristic evaluation function for hand strength (Ahmed and others, 2021)."""
