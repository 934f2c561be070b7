"""Frequencies of the opponent's events by what it held: ``ginrummy train bayes``.

Source: Nguyen, Doan and Neller, EAAI 2021 (S0): 10,000 games of the baseline against itself. After each event
we look at the hand and count which cards it held, by rank and by suitedness with the upcard and the discard.
"""

from io import BytesIO
from typing import Any

import numpy as np

from ginrummy._jit import kernel, lowest
from ginrummy.cards import CARDS
from ginrummy.estimators.bayes import NEITHER, SHAPE, event_of, kinship
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.training.play_data import CHUNK, DATA_SEED, rows_of
from ginrummy.training.progress import Progress
from ginrummy.training.recipes import Recipe, Trained
from ginrummy.view import IntArray

Json = dict[str, Any]

PLAYER = "simple"
GAMES = {"smoke": 200, "full": 10_000}


@kernel
def _count_events(upcards, drawn, discards, hands, visits, held):
    for k in range(upcards.shape[0]):
        upcard, discard = np.int64(upcards[k]), np.int64(discards[k])
        took, up, down, suited = event_of(upcard, np.int64(drawn[k]), discard)
        visits[took, up, down, suited] += 1
        hand = hands[k]
        while hand != 0:
            card = lowest(hand)
            hand &= hand - 1
            held[took, up, down, suited, kinship(card // 13, upcard, discard), card % 13] += 1


def count(players: tuple[str, str], games: int, seed: int) -> tuple[IntArray, IntArray, int]:
    """(visits of each event, hands that held a card by event, kinship and rank, rows) of some games."""
    first, second = (make_player(spec) for spec in players)
    visits = np.zeros(SHAPE, np.int64)
    held = np.zeros((*SHAPE, NEITHER + 1, CARDS // 4), np.int64)
    total = 0
    for start in range(0, games, CHUNK):
        rows = rows_of(first, second, range(start, min(start + CHUNK, games)), EAAI, seed)
        columns = (np.ascontiguousarray(rows[key]) for key in ("upcard", "drawn", "discard", "hand_after"))
        _count_events(*columns, visits, held)
        total += len(rows)
    return visits, held, total


def run(scale: str, seed: int, on_progress: Progress | None = None) -> Trained:
    """Play and count."""
    visits, held, rows = count((PLAYER, PLAYER), GAMES[scale], DATA_SEED + seed)
    file = BytesIO()
    np.savez_compressed(file, visits=visits.astype(np.int32), held=held.astype(np.int32))
    return Trained(
        payload=file.getvalue(),
        made_from={
            "players": [PLAYER, PLAYER],
            "games": GAMES[scale],
            "seed": DATA_SEED + seed,
            "rows": rows,
        },
        training={
            "events": int((visits > 0).sum()),
            "events_seen_50_times": int((visits >= 50).sum()),
            "share_of_rows_in_them": float(visits[visits >= 50].sum() / visits.sum()),
        },
    )


def summary(result: Json) -> str:
    """What a person reads about the counts."""
    data, counted = result["made_from"], result["training"]
    return (
        f"bayes: {data['rows']:,} events of {data['games']:,} games\n"
        f"{counted['events']:,} different events, {counted['events_seen_50_times']:,} of them seen 50 times "
        f"or more: {counted['share_of_rows_in_them']:.1%} of all"
    )


BAYES = Recipe("bayes.npz", run, summary)
