"""The coach's values as values of the API: cards as text, numbers with their errors."""

from time import perf_counter

from ginrummy.cards import CARDS, card_text
from ginrummy.coach import Coach, CoachAdvice, CoachOption, KnockOdds, Outs
from ginrummy.errors import BadInput, UnknownName
from ginrummy.estimators.registry import estimator_names
from ginrummy.position import read_sight
from ginrummy.rules import Rules, parse_rules
from ginrummy.stats import Estimate
from ginrummy.view import Sight
from ginrummy.web import models

ROLLOUTS = 20_000
"""Lines of play of one advice: half a second at most."""
_COACH = Coach()


def check_estimator(name: str) -> str:
    """Refuse what is not the bare name of an estimator: a parameter could name a file."""
    if name not in estimator_names():
        raise UnknownName(f"unknown estimator {name!r}: choose one of {', '.join(estimator_names())}")
    return name


def advise(seen: Sight, rules: Rules, estimator: str) -> models.Advice:
    """Advice about the decision that a side faces. It takes a sight: no hidden card can enter."""
    start = perf_counter()
    found = _COACH.advice(seen, rules, ROLLOUTS, check_estimator(estimator))
    return advice_of(found, perf_counter() - start)


def advise_position(asked: models.Position) -> models.Advice:
    """Advice about a line of the position format."""
    check_estimator(asked.estimator)
    line = asked.position.strip()
    if "\n" in line:
        raise BadInput("expected one line")
    return advise(read_sight(line), parse_rules(line.partition(" ")[0]), asked.estimator)


def advice_of(found: CoachAdvice, seconds: float) -> models.Advice:
    """The coach's advice as the API gives it."""
    return models.Advice(
        question=found.question,
        reason=found.reason,
        options=[_option(option) for option in found.options],
        knock=_knock(found.knock) if found.knock else None,
        outs=_outs(found.outs) if found.outs else None,
        estimator=found.belief.estimator,
        chances={card_text(card): round(found.belief.chances[card], 4) for card in range(CARDS)},
        types=found.types,
        deadwood=found.deadwood,
        opponent_deadwood=_number(found.opponent_deadwood),
        rollouts=found.rollouts,
        seconds=round(seconds, 3),
    )


def _number(value: Estimate) -> tuple[float, float]:
    return round(value.value, 5), round(value.error, 5)


def _outs(outs: Outs) -> models.OutCards:
    return models.OutCards(
        cards=[card_text(card) for card in outs.cards],
        live=round(outs.live, 2),
        gin=[card_text(card) for card in outs.gin],
        knock=[card_text(card) for card in outs.knock],
    )


def _option(option: CoachOption) -> models.AdviceOption:
    facts = option.discard
    return models.AdviceOption(
        text=option.text,
        win=_number(option.win),
        points=_number(option.points),
        behind=_number(option.behind),
        ends=models.Ends(**vars(option.ends)),
        discard=models.DiscardFacts(
            left=facts.deadwood,
            danger=round(facts.danger, 4),
            gain=round(facts.gain, 3),
            outs=[card_text(card) for card in facts.outs.cards],
            live=round(facts.outs.live, 2),
        )
        if facts
        else None,
    )


def _knock(odds: KnockOdds) -> models.KnockOdds:
    return models.KnockOdds(
        **vars(odds) | {"win": _number(odds.win), "on_win": _number(odds.on_win)},
    )
