"""Champion: the player that this project trains to be the strongest, alone or with search on top."""

import inspect
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from ginrummy.cards import CARDS
from ginrummy.compiled.policy import Compiled, Policy
from ginrummy.errors import UnknownName
from ginrummy.estimators.joint import JointBelief, joint_belief
from ginrummy.networks import Floats, Network
from ginrummy.networks import network as opened
from ginrummy.players.base import Player
from ginrummy.players.hand_strength import hand_strength
from ginrummy.policies import champion as inputs
from ginrummy.policies.champion import (
    BELIEVED,
    DISCARD,
    DRAW,
    INPUTS,
    KNOCK,
    encode_rows,
    first_planes,
    open_rows,
    planes_of,
    settled,
)
from ginrummy.policies.defence import spread_with_care
from ginrummy.rules import EAAI, Rules
from ginrummy.search.arms import ARMS
from ginrummy.search.beliefs import belief_of
from ginrummy.search.searcher import PRICES, Belief, Searcher, Settings
from ginrummy.search.styles import PLAYS, REPLIES
from ginrummy.specs import named
from ginrummy.view import BoolArray, FloatArray, IntArray, View

NETWORK = "champion.onnx"
FAST = "fast"
LEVELS: dict[str, Settings | None] = {
    FAST: None,
    "default": Settings(rollouts=6000, hands=800, first=128, depth=3),
    "strong": Settings(rollouts=40_000, hands=2000, first=128, depth=5),
}
"""The network alone; with search, at most 20 ms a decision; with search, at most 100 ms."""
_PLAIN = ("level", "network")
"""Parameters that the network alone takes."""
ADVICE = Settings(rollouts=20_000, hands=1000)
"""The budget of advice, for all legal answers of a decision: less than half a second."""
TAKES, KNOCKS = CARDS, CARDS + 1
"""Places of the two choices among the outputs; the discards come before them."""


class NetworkAnswers:
    """The network's answers: what it prefers, and how much it likes each discard."""

    def __init__(self, played: Network, blueprint: Compiled, rules: Rules = EAAI) -> None:
        self._network, self._blueprint = played, blueprint
        self._constants = inputs.constants(blueprint.array, rules)

    def under(self, rules: Rules) -> "NetworkAnswers":
        """The same network, told of other rules."""
        return NetworkAnswers(self._network, self._blueprint, rules)

    def _outputs(self, view: View, rows: IntArray, question: int) -> tuple[BoolArray, Floats]:
        """Which decisions are open, and what the network says about those."""
        open_, rows = np.zeros(len(rows), np.bool_), np.asarray(rows, np.int64)
        open_rows(view, rows, question, open_)
        asked = rows[open_]
        if not len(asked):
            return open_, np.zeros((0, 2 * CARDS + 2), np.float32)
        x, scratch = np.empty((len(asked), INPUTS), np.float32), np.empty(inputs.SCRATCH, np.int64)
        planes = planes_of(self._network.columns)
        if planes > BELIEVED:
            beliefs = card_belief().cards(view, asked)
        else:  # an older network, which is not told the belief
            beliefs = np.zeros((len(asked), CARDS), np.float32)
        encode_rows(view, asked, question, self._constants, beliefs, scratch, x)
        return open_, self._network(first_planes(x, planes))

    def _liked(self, view: View, rows: IntArray, question: int, place: int) -> tuple[BoolArray, FloatArray]:
        open_, outputs = self._outputs(view, rows, question)
        liked = np.full(len(rows), 1.0 if settled(question) else -1.0)
        liked[open_] = outputs[:, place]
        return open_, liked

    def takes(self, view: View, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        """[N] whether the draw is open: the upcard lowers deadwood; [N] how much the network likes it."""
        return self._liked(view, rows, DRAW, TAKES)

    def scores(self, view: View, rows: IntArray) -> npt.NDArray[np.float64]:
        """[N, 52] how much the network likes each discard."""
        _, outputs = self._outputs(view, rows, DISCARD)
        return outputs[:, :CARDS].astype(np.float64)

    def knocks(self, view: View, rows: IntArray) -> tuple[BoolArray, FloatArray]:
        """[N] whether the knock is open: not gin; [N] how much the network likes to knock."""
        return self._liked(view, rows, KNOCK, KNOCKS)

    def draw(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """Take the upcard if it lowers deadwood and the network says so."""
        yes: BoolArray = self.takes(view, rows)[1] > 0
        return yes

    def discard(self, view: View, rows: IntArray, u: FloatArray) -> IntArray:
        """The allowed card that the network prefers."""
        allowed = view["allowed"][rows][:, None] >> np.arange(CARDS) & 1 == 1
        cards: IntArray = np.where(allowed, self.scores(view, rows), -np.inf).argmax(1).astype(np.int8)
        return cards

    def knock(self, view: View, rows: IntArray, u: FloatArray) -> BoolArray:
        """Lay gin down; knock otherwise if the network says so."""
        yes: BoolArray = self.knocks(view, rows)[1] > 0
        return yes


@cache
def card_belief() -> JointBelief:
    """What the network is told of the opponent's cards."""
    return joint_belief()


@cache
def _blueprint() -> Compiled:
    """The player whose scores the network corrects; the recipe of the network names the same one."""
    compiled = hand_strength(profile="tuned").compiled
    assert compiled is not None
    return compiled


@cache
def _spreading() -> Compiled:
    """Lays melds down for the levels that search."""
    plain = _blueprint()
    policy = plain.policy
    return Compiled(Policy(policy.draw, policy.discard, policy.knock, spread_with_care), plain.constants)


def network_answers(network: str = NETWORK) -> NetworkAnswers:
    """The network of ``champion`` as a blueprint of search."""
    return NetworkAnswers(opened(network), _blueprint())


def adviser(rules: Rules = EAAI, network: str = NETWORK, settings: Settings = ADVICE) -> Searcher:
    """What ``search.advice.advise`` asks: the search of ``champion`` with a budget for advice."""
    return Searcher(network_answers(network).under(rules), belief("joint"), rules, settings)


def searching(name: str, searcher: Searcher) -> Player:
    """A player that searches, under any rules: other rules get a searcher of their own."""

    def under(rules: Rules) -> Player:
        blueprint = searcher.blueprint
        told = blueprint.under(rules) if isinstance(blueprint, NetworkAnswers) else blueprint
        return searching(name, Searcher(told, searcher.belief, rules, searcher.settings))

    asked = searcher.draw, searcher.discard, searcher.knock
    return Player(name, *asked, _spreading().spread, shard=20, under=under)


def _alone(name: str, answers: NetworkAnswers) -> Player:
    """The network without search, under any rules."""

    def under(rules: Rules) -> Player:
        return _alone(name, answers.under(rules))

    asked = answers.draw, answers.discard, answers.knock
    return Player(name, *asked, _blueprint().spread, shard=200, under=under)


def champion(
    level: str = "fast",
    network: str = NETWORK,
    rollouts: int = 0,
    ms: float = 0.0,
    hands: int = 0,
    first: int = -1,
    candidates: int = 5,
    cut: float = 2.5,
    gate: float = 0.0,
    trust: float = 0.0004,
    depth: int = -1,
    late: int = 8,
    worlds: str = "joint",
    price: str = "win",
    plays: str = "sketch",
    replies: str = "strength",
    draws: bool = True,
    discards: bool = True,
    knocks: bool = True,
) -> Player:
    """Play what a network learned from games against itself; other levels search over worlds on top of it.

    Source: ours. ``level=fast`` is the network alone. ``default`` and ``strong`` compare its favourite
    answers by play in worlds drawn from a joint belief, and its own opinion counts beside what that play
    brings; their budgets differ. ``ginrummy train champion`` trains the network: it corrects the scores of
    the tuned ``hand-strength``, treats the suits alike, and was taught by a critic that saw all cards. The
    player sees its own view alone.

    ``network`` is another network of the same kind, by a path with a slash. ``rollouts`` (0: that of the
    level) is the budget by count, with the same answers everywhere; ``ms`` a budget by the clock. ``hands``
    are drawn from the belief (0: that of the level), ``first`` for a first look (-1: as the level says;
    0: all at once), ``candidates`` discards are compared, ``cut`` and
    ``gate`` are the standard errors at which an answer is dropped and believed, ``trust`` is the chance to
    win that a unit of the network's logits counts as. Lines are cut after ``depth`` turns of both sides (-1:
    as the level says; 0: they are played to the end of the round) and estimated by a network that is told all
    cards of the line (``search.leaves``), but not from the own turn ``late`` on. ``worlds`` names the belief
    (``search.beliefs``), ``price`` what points are worth (win, points), ``plays`` how the own side plays on
    in rollouts (sketch, rule), ``replies`` how the opponent does (strength, program, rule); ``draws``,
    ``discards`` and ``knocks`` say what is searched.
    """
    if level not in LEVELS:
        raise UnknownName(f"champion has no level {level!r}: choose one of {', '.join(LEVELS)}")
    given = {
        "level": level, "network": network, "rollouts": rollouts, "ms": ms, "hands": hands, "first": first,
        "candidates": candidates, "cut": cut, "gate": gate, "trust": trust, "depth": depth, "late": late,
        "worlds": worlds, "price": price, "plays": plays, "replies": replies,
        "draws": draws, "discards": discards, "knocks": knocks,
    }  # fmt: skip
    name = named("champion", {key: value for key, value in given.items() if value != DEFAULTS[key]})
    base = LEVELS[level]
    answers = network_answers(network)
    if base is None:
        ignored = [key for key in given if key not in _PLAIN and given[key] != DEFAULTS[key]]
        if ignored:
            raise UnknownName(f"champion: level={level} does not search and takes no {', '.join(ignored)}")
        return _alone(name, answers)
    settings = replace(
        base,
        rollouts=rollouts or base.rollouts,
        hands=hands or base.hands,
        first=base.first if first < 0 else first,
        ms=ms,
        candidates=candidates,
        cut=cut,
        gate=gate,
        trust=trust,
        depth=base.depth if depth < 0 else depth,
        late=late,
        price=price,
        plays=plays,
        replies=replies,
        draws=draws,
        discards=discards,
        knocks=knocks,
    )
    _check(settings)
    return searching(name, Searcher(answers, belief(worlds), EAAI, settings))


DEFAULTS: dict[str, object] = {
    key: parameter.default for key, parameter in inspect.signature(champion).parameters.items()
}


@cache
def belief(worlds: str) -> Belief:
    """One belief for all players that use it."""
    return belief_of(worlds)


def _check(settings: Settings) -> None:
    bounds = {
        "rollouts": (2, 1_000_000),
        "ms": (0, 60_000),
        "hands": (1, 100_000),
        "first": (0, 100_000),
        "candidates": (1, ARMS // 2 - 1),
        "cut": (0, 1000),
        "gate": (0, 1000),
        "trust": (0, 1),
        "depth": (0, 1000),
        "late": (0, 1000),
    }
    for name, known in (("price", PRICES), ("plays", PLAYS), ("replies", REPLIES)):
        if getattr(settings, name) not in known:
            raise UnknownName(
                f"champion: {name} is one of {', '.join(known)}, not {getattr(settings, name)!r}"
            )
    for name, (low, high) in bounds.items():
        value = getattr(settings, name)
        if not low <= value <= high:
            raise UnknownName(f"champion: {name} is from {low} to {high}, not {value}")
