"""Deciders: how to draw, discard, knock and lay down melds. Each is a pure function of a view.

A policy module holds kernels over one record of a view. Lockstep (``sim``) and the compiled loops
(``compiled``) call the same kernels, so both give the same answers.
"""
