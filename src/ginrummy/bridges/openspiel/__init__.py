"""OpenSpiel's ``gin_rummy``: our players as its bots, its bots as our players, its histories as records.

``codes`` and ``histories`` need no other library; ``bots`` and ``players`` need the extra ``openspiel``.
"""
