"""Gin Rummy: exact rules, fast simulation, and the players of the literature."""

__version__ = "0.1.0"
