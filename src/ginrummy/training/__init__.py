"""Training: what learns from play and writes tables, networks and settings."""
