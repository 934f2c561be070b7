"""Why the best answer is best: sentences made from the numbers of an advice, and from nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ginrummy.cards import RANK
from ginrummy.coach.facts import DiscardFacts, live_runs
from ginrummy.melds import best_discards, deadwood, melds_with
from ginrummy.view import Sight

if TYPE_CHECKING:
    from ginrummy.coach.advice import CoachAdvice, CoachOption

RANK_NAMES = (
    "ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king",
)  # fmt: skip
SUIT_NAMES = ("clubs", "hearts", "spades", "diamonds")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
END_NAMES = {
    "knock": "your knock wins",
    "gin": "you have gin",
    "undercut": "your knock is undercut",
    "opponent_knock": "the opponent's knock wins",
    "opponent_gin": "the opponent has gin",
    "opponent_undercut": "you undercut the opponent",
    "dead": "nobody scores",
}
"""The ends of a round (``search.advice.Ends``) in words."""

CLOSE = 0.005
"""Two answers nearer than this in winning chance are called equally good."""


def card_name(card: int) -> str:
    """A card in words: the seven of hearts."""
    return f"the {RANK_NAMES[card % 13]} of {SUIT_NAMES[card // 13]}"


def count_text(number: int, one: str, many: str | None = None) -> str:
    """A number of things in words: three live runs, one out, no outs."""
    word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{word} {one if number == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share as people say it."""
    if 0 < share < 0.005:
        return "less than 1 %"
    return f"{100 * share:.0f} %"


def reason_of(advice: CoachAdvice, seen: Sight, played: CoachOption | None = None) -> str:
    """Why the best answer of an advice is best; in a review, why it is better than the answer ``played``."""
    rival = _rival(advice) if played is None else played
    knocks = advice.best.knock or (rival is not None and rival.knock)
    if advice.question == "draw":
        sentences = _draw(advice, seen)
    elif knocks or advice.question == "knock":
        sentences = _knock(advice)
    else:
        sentences = _discard(advice, rival)
    if played is None:
        sentences += _nearest(advice)
    return " ".join(_sentence(text) for text in sentences)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _draw(advice: CoachAdvice, seen: Sight) -> list[str]:
    card = seen.top
    before, after = int(deadwood(seen.hand)), best_discards(seen.hand | 1 << card)[0]
    name = card_name(card)
    melds = melds_with(seen.hand | 1 << card, card)
    if melds and after < before:
        sentences = [f"{name} makes a meld: taking it brings your deadwood from {before} to {after}"]
    elif melds:
        sentences = [f"{name} fits a meld but does not lower your deadwood of {before}"]
    else:
        sentences = [f"{name} makes no meld with your hand; {_potential(card, seen)}"]
    outs = advice.outs
    if not advice.best.answer and outs is not None:
        unseen = seen.unseen.bit_count()
        sentences.append(
            f"of the {unseen} unseen cards {len(outs.cards)} would meld with your hand, and about "
            f"{outs.live:.1f} of them are in the stock"
        )
    elif not melds and after < before:
        sentences.append(f"it still brings your deadwood from {before} to {after}")
    elif not melds:
        sentences += _what_changes(advice.best, advice.options[1])
    return sentences


def _what_changes(best: CoachOption, other: CoachOption) -> list[str]:
    """The end of the round that the best answer changes most against another one."""
    shares = {name: (getattr(best.ends, name), getattr(other.ends, name)) for name in END_NAMES}
    name = max(shares, key=lambda one: abs(shares[one][0] - shares[one][1]))
    here, there = shares[name]
    if percent(here) == percent(there):
        return []
    return [
        f"after “{best.text}” {END_NAMES[name]} in {percent(here)}, after “{other.text}” in {percent(there)}"
    ]


def _potential(card: int, seen: Sight) -> str:
    """What a card could become: live runs through it, and cards of its rank that are gone."""
    runs = live_runs(card, seen.hand | seen.unseen)
    parts = [f"it could be in {count_text(runs, 'live run')}" if runs else "no run through it is live"]
    if gone := _gone_of_rank(card, seen):
        parts.append(f"{_of_rank(card, gone)} dead")
    return ", and ".join(parts)


def _gone_of_rank(card: int, seen: Sight) -> int:
    return (seen.pile & RANK << card % 13 & ~(1 << card)).bit_count()


def _of_rank(card: int, number: int) -> str:
    name = RANK_NAMES[card % 13]
    plural = "sixes" if name == "six" else name + "s"
    return f"{count_text(number, name, plural)} {'is' if number == 1 else 'are'}"


def _discard(advice: CoachAdvice, rival: CoachOption | None) -> list[str]:
    facts = advice.best.discard
    assert facts is not None
    sentences = [_what_goes(facts), _what_stays(facts)]
    if rival is not None and rival.discard is not None:
        compared = _compared(facts, rival.discard)
        sentences += [compared] if compared else _what_changes(advice.best, rival)
    return sentences


def _what_goes(facts: DiscardFacts) -> str:
    name = card_name(facts.card)
    if facts.danger < 0.03:
        text = f"{name} is safe: the opponent can meld it in {percent(facts.danger)} of its hands"
    else:
        text = f"the opponent can meld {name} in {percent(facts.danger)} of its hands"
    parts = []
    if facts.opponent_runs == 0:
        parts.append("no run through it is live")
    elif facts.danger >= 0.03:
        parts.append(f"it could complete {count_text(facts.opponent_runs, 'live run')}")
    if facts.dead_of_rank:
        parts.append(f"{_of_rank(facts.card, facts.dead_of_rank)} dead")
    return text + ("; " + " and ".join(parts) if parts else "")


def _what_stays(facts: DiscardFacts) -> str:
    outs = facts.outs
    text = f"it leaves {facts.deadwood} points of deadwood and {count_text(len(outs.cards), 'out')}"
    if outs.cards:
        text += f", about {outs.live:.1f} of them in the stock"
    if outs.gin:
        text += f"; {count_text(len(outs.gin), 'card')} would make gin"
    return text


def _rival(advice: CoachAdvice) -> CoachOption | None:
    """The best option that lays down another card."""
    for option in advice.options[1:]:
        if option.answer != advice.best.answer:
            return option
    return None


def _compared(best: DiscardFacts, other: DiscardFacts) -> str:
    """How the next best discard differs."""
    parts = []
    fewer = len(best.outs.cards) - len(other.outs.cards)
    if fewer > 0:
        parts.append(f"gives up {count_text(fewer, 'out')}")
    if other.danger > best.danger + 0.03:
        parts.append(f"is melded in {percent(other.danger)}")
    if other.deadwood > best.deadwood:
        more = other.deadwood - best.deadwood
        parts.append(f"leaves {count_text(more, 'point')} more")
    return f"{card_name(other.card)} instead {_listed(parts)}" if parts else ""


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _knock(advice: CoachAdvice) -> list[str]:
    odds = advice.knock
    if odds is None:
        return ["the rules ask for a knock here"]  # the wall: whoever takes the upcard must knock
    if odds.gin and advice.best.knock:
        return ["you have gin: it cannot be undercut"]
    now = f"a knock now wins in {percent(odds.wins)} and is undercut in {percent(odds.undercut)}"
    later = (
        f"playing on reaches gin in {percent(odds.gin_later)}, but the opponent knocks first in "
        f"{percent(odds.opponent_knock)} and has gin in {percent(odds.opponent_gin)}"
    )
    return [now, later]


def _nearest(advice: CoachAdvice) -> list[str]:
    """What the next answer would cost, or that it is as good."""
    if len(advice.options) < 2:
        return []
    second = advice.options[1]
    cost, error = -second.behind.value, second.behind.error
    if cost < max(CLOSE, 2 * error):
        return [f"“{second.text}” is about as good"]
    return [f"the next best, “{second.text}”, costs {100 * cost:.1f} % of winning chance"]
