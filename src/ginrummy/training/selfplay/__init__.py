"""Learning by self-play: ``arena`` plays and collects, ``nets`` decide and judge, ``learner`` improves them.

``pool`` says who the opponents are, ``state`` keeps a training on disk, ``champion`` is the recipe.
"""
