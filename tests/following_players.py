"""A player by rule alone in three forms: a follower here, a pure player here, and ``java/Legal.java``."""

from ginrummy.cards import cards_of, mask_of
from ginrummy.melds import all_melds, deadwood, points
from ginrummy.players.base import Player, one_by_one


def best_melds(hand: int) -> list[int]:
    """The first of the least meld sets, in the order in which melds are chosen."""
    least, best = points(hand), []

    def search(rest: int, chosen: list[int], left: list[int]) -> None:
        nonlocal least, best
        if points(rest) < least:
            least, best = points(rest), chosen
        for k, meld in enumerate(left):
            if meld & rest == meld:
                search(rest & ~meld, [*chosen, meld], left[k + 1 :])

    search(hand, [], [int(meld) for meld in all_melds(hand)])
    return best


def takes(hand: int, upcard: int) -> bool:
    eleven = hand | 1 << upcard
    return min(deadwood(eleven & ~(1 << card)) for card in cards_of(eleven)) < deadwood(hand)


def discards(hand: int, allowed: int) -> int:
    return min(cards_of(allowed), key=lambda card: (deadwood(hand & ~(1 << card)), -card))


def twin(limit: int = 10) -> Player:
    """The pure player."""
    return one_by_one(
        "twin",
        lambda seen, u: takes(seen.hand, seen.top),
        lambda seen, u: discards(seen.hand, seen.allowed),
        lambda seen, u: deadwood(seen.hand) <= limit,
        lambda seen, u: best_melds(seen.hand),
    )


class Rule:
    """The follower; ``calls`` is the list of everything that it was told and asked."""

    def __init__(self, game: int) -> None:
        self.game = game
        self.calls: list[tuple[object, ...]] = []

    def deal(self, seat, starter, cards):
        self.calls.append(("deal", seat, starter, tuple(cards)))
        self.seat, self.hand, self.defends, self.upcard, self.barred = seat, mask_of(cards), False, -1, 0

    def wants(self, upcard):
        self.calls.append(("wants", upcard))
        self.upcard = upcard
        return takes(self.hand, upcard)

    def drew(self, seat, card):
        self.calls.append(("drew", seat, card))
        if seat == self.seat:
            self.hand |= 1 << card
            self.barred = 1 << card if card == self.upcard else 0

    def discard(self):
        self.calls.append(("discard",))
        return discards(self.hand, self.hand & ~self.barred)

    def discarded(self, seat, card):
        self.calls.append(("discarded", seat, card))
        if seat == self.seat:
            self.hand &= ~(1 << card)

    def melds(self):
        self.calls.append(("melds",))
        if not self.defends and deadwood(self.hand) > 10:
            return None
        return [cards_of(meld) for meld in best_melds(self.hand)]

    def melded(self, seat, melds):
        self.calls.append(("melded", seat, [list(meld) for meld in melds]))
        self.defends |= seat != self.seat

    def laid_off(self, seat, card, meld):
        self.calls.append(("laid_off", seat, card, list(meld)))

    def shown(self, seat, hand):
        self.calls.append(("shown", seat, list(hand)))

    def scored(self, scores):
        self.calls.append(("scored", *scores))

    def allow(self, seconds):
        self.calls.append(("allow", seconds))


class Sitting:
    """A player that follows games, with all its followers."""

    shard = 128

    def __init__(self, kind=Rule, name: str = "rule") -> None:
        self.name, self.kind, self.followers = name, kind, []

    def sit(self, game: int, side: int):
        self.followers.append(self.kind(game))
        return self.followers[-1]
