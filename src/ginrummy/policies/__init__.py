"""Deciders: how to draw, discard, knock and lay down melds. Each is a pure function of a view.

A policy module holds row kernels, ``(one record of a view, u, …) -> answer``, that the lockstep deciders
and the fused loop share, so that both give the same answers.
"""
