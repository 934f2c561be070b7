"""Regret minimisation: ``mccfr`` (kernels for any game), ``knocking`` (when to knock), ``knock_table``."""
