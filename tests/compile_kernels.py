"""Compile what most tests need, once, before several test processes start."""

from ginrummy import sim
from ginrummy.players import fused
from ginrummy.players.baseline import random, simple
from ginrummy.rules import PRESETS

for player in (simple(), random()):
    fused.play(player, player, range(2), PRESETS["eaai"]._replace(max_rounds=2), 1)
    sim.play(player, player, range(2), PRESETS["openspiel"], 1, record=True)
