"""Paper S0, the eight players from three models: tables 1 to 6. Table 7 is the players themselves.

Source: Nguyen, Doan and Neller, "A Deterministic Neural Network Approach to Playing Gin Rummy", EAAI 2021.

Differs: the numbers of tables 1 and 2 are totals (the first one's caption says "average"), and table 1 does
not say whose; we count by side. Games use seeds that no training has seen.
"""

from functools import partial
from typing import Any

from ginrummy.experiments.frame.drawings import CrossTable, Sheet
from ginrummy.experiments.frame.evidence import Subject
from ginrummy.experiments.frame.experiment import SEED_OFFSET, Counts, Experiment, Matches
from ginrummy.experiments.s0 import estimator_claims as of_estimators
from ginrummy.experiments.s0 import hand_claims as in_hands
from ginrummy.experiments.s0 import model_claims as of_models
from ginrummy.experiments.s0 import player_claims as of_players
from ginrummy.experiments.s0 import threshold_claims as of_thresholds
from ginrummy.experiments.s0.hand_counts import count_hands
from ginrummy.judging.last_moment import Watched, count_estimates, keep

TABLE_1 = Matches(
    id="S0-table1",
    paper="S0",
    title="Table 1: collecting hitting cards",
    measures="Upcards taken and melds at the end of a hand, by the baseline that takes only cards that meld, "
    "and by one that also takes hitting cards with probability 0.5. The paper does not say whether it counts "
    "one side or both. The readings vary what a hitting card is, against whom it is collected and whose "
    "cards are counted.",
    arms=in_hands.ARMS,
    sizes={"smoke": 200, "full": 50_000},
    unit="hands",
    rules="eaai:max_rounds=1",
    seed_offset=SEED_OFFSET,
    count_rounds=count_hands,
    compare_points=in_hands.table_1,
    drawing=Sheet(in_hands.table_1_cells),
)

TABLE_2 = Matches(
    id="S0-table2",
    paper="S0",
    title="Table 2: the threshold of the card value",
    measures="Upcards taken and melds at the end of hands by the hitting player, against medium-kh, for four "
    "thresholds. The readings vary what Equation 1 counts, whom the player meets, what its discards keep, "
    "whose cards are counted, and the threshold of the row called 21.",
    arms=of_thresholds.ARMS,
    sizes={"smoke": 20, "full": 1_000},
    seed_offset=SEED_OFFSET,
    count_rounds=count_hands,
    compare_points=of_thresholds.table_2,
    drawing=Sheet(of_thresholds.table_2_cells, {"win rate": 0.5}),
)

TABLE_3 = Matches(
    id="S0-table3",
    paper="S0",
    title="Table 3: the heuristic and the network of the card value",
    measures="Hands won by the hitting player against simple, hitting cards that it takes in a hand though "
    "they meld with nothing yet, and its least deadwood at the end. Hands are played one by one, as in the "
    "paper; a hand that nobody wins counts half. The readings vary what Equation 1 counts, its threshold, "
    "what the network learned from, and the hands in which deadwood is counted.",
    arms=of_models.ARMS,
    sizes={"smoke": 100, "full": 10_000},
    unit="hands",
    rules="eaai:max_rounds=1",
    seed_offset=SEED_OFFSET,
    count_rounds=count_hands,
    compare_points=of_models.table_3,
    drawing=Sheet(of_models.table_3_cells, {"win rate": 0.5}),
)

TABLE_4 = Counts(
    id="S0-table4",
    paper="S0",
    title="Table 4: estimators of the opponent's hand",
    measures="Accuracy of beliefs about the opponent's hand in games of simple against simple, at the last "
    "event of the opponent in a round, and at all of its events; raw beliefs (what the paper scores) and "
    "masked ones (known cards 0 or 1, the right sum), over all 52 cards and over unknown ones. Three bounds "
    "are included: belief in no card at all, equal chances for unseen cards, and the truth. The paper does "
    "not say over how many hands it measured, so its numbers count as exact except for rounding.",
    settings=Watched,
    subjects=tuple(Subject(name, Watched(name, ("simple", "simple"))) for name in of_estimators.ESTIMATORS),
    sizes={"smoke": 20, "full": 1000},
    seed_offset=SEED_OFFSET,
    work=count_estimates,
    keep=keep,
    compare_points=of_estimators.table_4,
    drawing=Sheet(of_estimators.table_4_cells),
)

TABLE_5 = Matches(
    id="S0-table5",
    paper="S0",
    title="Table 5: the threshold of the knock network",
    measures="Win rate of the knocking player against simple for four thresholds, with the network that "
    "learned from chances to knock, whose loss and accuracy are nearest to the published ones (see "
    "S0-networks), and with the one that learned from knocks made. The published increases contradict "
    "table 6 (12 points against 7 to 9 at 0.9); the paper does not say over how many games.",
    arms=of_players.TABLE_5_ARMS,
    sizes={"smoke": 100, "full": 10_000},
    seed_offset=SEED_OFFSET,
    compare_points=of_players.table_5,
    drawing=Sheet(of_players.table_5_cells, {"win rate against simple": 0.5, "increase over one half": 0.0}),
)

TABLE_6 = Matches(
    id="S0-table6",
    paper="S0",
    title="Table 6: every player against every other",
    measures="Win rates of all pairs of the eight players in profile=fit, whose readings were settled, on "
    "other decks, by nearness to this table (see S0-readings): where its values agree, it is in part our "
    "choice, and it is probably what the authors ran. Beside them the same in profile=text, the letter of "
    "the paper.",
    arms=of_players.table_6_arms(of_players.FIT),
    sizes={"smoke": 40, "full": 10_000},
    seed_offset=SEED_OFFSET,
    beside="S0-table6-text",
    compare_points=partial(of_players.table_6, of_players.FIT),
    drawing=CrossTable(of_players.PLAYERS, of_players.TABLE_6),
)

TABLE_6_TEXT = Matches(
    id="S0-table6-text",
    paper="S0",
    title="Table 6 by the letter of the paper",
    measures="The same pairs in profile=text. Its values stand beside those of profile=fit above.",
    arms=of_players.table_6_arms(of_players.LETTER),
    sizes={"smoke": 40, "full": 10_000},
    seed_offset=SEED_OFFSET,
    compare_points=partial(of_players.table_6, of_players.LETTER),
    drawing=CrossTable(
        tuple(of_players.spec(player, of_players.LETTER) for player in of_players.PLAYERS),
        of_players.letter_published(),
    ),
)

_TABLES: tuple[Experiment[Any], ...] = (
    TABLE_1,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    TABLE_6,
    TABLE_6_TEXT,
)
EXPERIMENTS = {experiment.id: experiment for experiment in _TABLES}
