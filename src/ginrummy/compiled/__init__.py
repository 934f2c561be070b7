"""Compiled play: whole games, and rounds from any position, between players that are made of kernels alone.

``policy``  what such a player is: four kernels and their constants
``passes``  the loop of the game, written once: one pass over the tables that wait for one kind of answer
``games``   whole games, many tables at a time
``worlds``  *play from here*: any number of worlds from one position to the end of the round
"""
