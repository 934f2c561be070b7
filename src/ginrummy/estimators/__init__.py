"""Opponent-hand estimators: view in, belief [N, 52] out."""
