"""Search: what each answer to one decision is worth, by play in worlds drawn from a belief.

``arms``         the answers that are compared, and all that has been found out about them
``elimination``  which arms are out, which one is chosen, and how sure that is
``pricing``      the points of a round as a chance to win the game
``kernel``       the compiled search: worlds, lines of play, results, batch by batch
``styles``       how both sides play in rollouts
``beliefs``      the joint belief by name, and lesser ones to compare it with
``searcher``     a position in, an answer out: belief, proposals and budget come together
``advice``       every legal answer with its chances, for people
"""
