"""Bridges to other programs and libraries; each needs its own optional extra, see ``docs/bridges.md``."""
