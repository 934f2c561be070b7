"""Training: what learns from play and writes tables, networks and settings.

Where things go:

- a new network: one module in ``nets`` (its layers, the rows that it learns from, its recipe) and one line in
  ``recipes``; ``nets.fit`` trains it, ``nets.export`` writes it, ``ginrummy train NAME`` rebuilds it;
- regret minimisation: ``regret``; a search over a player's parameters: ``tuning``;
- recorded play as rows, and the seeds and shares that every training uses: ``play_data``.
"""
