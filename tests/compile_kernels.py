"""Compile what most tests need, once, before several test processes start."""

import numpy as np

from ginrummy import sim
from ginrummy.bridges.stepping import Setting, Stepper
from ginrummy.estimators.registry import estimator_names, make_estimator
from ginrummy.moments import decisions, views
from ginrummy.players.playing import play
from ginrummy.players.registry import make_player, player_names
from ginrummy.rules import EAAI, PRESETS

for name in ("simple", "random"):
    player = make_player(name)
    play(player, player, range(2), EAAI._replace(max_rounds=2), 1)
    run = sim.play(player, player, range(2), PRESETS["openspiel"], 1, record=True)
for name in player_names():
    sim.play(make_player(name), make_player("simple"), range(2), EAAI._replace(max_rounds=2), 1)
decisions(run.rounds, run.games, EAAI, 0)
seen = views(run.rounds, 0, EAAI).view
for name in estimator_names():
    make_estimator(name).masked(seen, np.arange(2))
for name in ("random", "simple", "medium-kh"):
    tables = Stepper(2, make_player(name), Setting(EAAI))
    tables.begin(1)
    tables.step(tables.sample())
