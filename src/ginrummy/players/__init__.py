"""Players: short recipes that put deciders together and say where they come from."""
