"""The coach: advice about one decision, the review of a game, and what both are made of.

    from ginrummy.coach import Coach, review

    Coach().advice(sight, rules)               # CoachAdvice: every answer, its worth, danger, outs, a reason
    review(record, seat=0)                     # Review: every decision judged, luck taken out, a quiz
    branch(record, place, player)              # Session: go on from any moment of a game
    position_advice(line)                      # CoachAdvice for a position typed by hand

A decision is judged from the sight of the seat that made it. No HTTP, no drawing of screens here.
"""

from ginrummy.coach.advice import CardChances, Coach, CoachAdvice, CoachOption, KnockOdds
from ginrummy.coach.branch import branch, position_advice, read_position
from ginrummy.coach.facts import DiscardFacts, Outs
from ginrummy.coach.luck import Luck, LuckEvent
from ginrummy.coach.replay import Moment, SeatCards, moments
from ginrummy.coach.reviews import (
    BUDGETS,
    Budget,
    CurvePoint,
    Judged,
    QuizItem,
    Review,
    SideReport,
    review,
)
from ginrummy.coach.walk import Place

__all__ = [
    "BUDGETS", "Budget", "CardChances", "Coach", "CoachAdvice", "CoachOption", "CurvePoint", "DiscardFacts",
    "Judged", "KnockOdds", "Luck", "LuckEvent", "Moment", "Outs", "Place", "QuizItem", "Review", "SeatCards",
    "SideReport", "branch", "moments", "position_advice", "read_position", "review",
]  # fmt: skip
