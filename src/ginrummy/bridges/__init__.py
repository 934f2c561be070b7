"""Bridges to other programs and libraries; each names the optional extra that it needs."""
