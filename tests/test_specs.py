"""Names with parameters: what is read, what is refused, and that names are read back exactly."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ginrummy import sim
from ginrummy.errors import BadInput, UnknownName
from ginrummy.estimators import registry as estimators
from ginrummy.moments import decisions
from ginrummy.players import registry as players
from ginrummy.players.base import Player
from ginrummy.rules import EAAI
from ginrummy.specs import Registry, named, parameters

CONSTANTS = {"alpha": 1.5, "beta": 2.0}


@parameters(CONSTANTS, unbounded=("beta",))
def thing(count: int = 1, share: float = 0.5, sure: bool = False, word: str = "x", **more: float) -> dict:
    """A thing that is its own parameters.

    Source: this test.
    """
    return {"count": count, "share": share, "sure": sure, "word": word} | more


THINGS: Registry[dict] = Registry("thing", {"thing": f"{__name__}:thing"})

VALUES = st.fixed_dictionaries(
    {},
    optional={
        "count": st.integers(),
        "share": st.floats(allow_nan=False, allow_infinity=False),
        "sure": st.booleans(),
        "word": st.text(st.characters(exclude_characters=",", exclude_categories=["Cs"])),
        "alpha": st.floats(allow_nan=False, allow_infinity=False),
        "beta": st.floats(allow_nan=False),
    },
)


@given(VALUES)
def test_a_name_is_read_back_exactly(values: dict) -> None:
    made = THINGS.make(named("thing", values))
    wanted = thing(**values)
    assert made == wanted
    assert [math.copysign(1, made[key]) for key in ("share",)] == [math.copysign(1, wanted["share"])]


def test_names_are_short_where_they_can_be() -> None:
    values = {
        "a": 20.0,
        "b": 0.1,
        "c": 1e-7,
        "d": np.float64(1 / 3),
        "e": np.float32(0.5),
        "f": math.inf,
        "g": 7,
    }
    assert named("x", values) == "x:a=20,b=0.1,c=1e-07,d=0.3333333333333333,e=0.5,f=inf,g=7"
    assert named("x", {}) == "x"
    with pytest.raises(BadInput, match="cannot contain a comma: 'a,b'"):
        named("x", {"word": "a,b"})


@pytest.mark.parametrize(
    "text", ["nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e999", "-1e999", "x", ""]
)
def test_a_number_is_finite(text: str) -> None:
    for key in ("share", "alpha"):
        with pytest.raises(UnknownName, match=f"thing thing: {key} takes a finite number, not '{text}'"):
            THINGS.make(f"thing:{key}={text}")


def test_some_numbers_may_be_infinite() -> None:
    assert THINGS.make("thing:beta=inf")["beta"] == math.inf
    assert THINGS.make("thing:beta=-inf")["beta"] == -math.inf
    with pytest.raises(UnknownName, match="thing thing: beta takes a number or inf, not 'nan'"):
        THINGS.make("thing:beta=nan")


ALL = [
    (registry, kind, name)
    for registry, kind, names in (
        (players, "player", players.player_names()),
        (estimators, "estimator", estimators.estimator_names()),
    )
    for name in names
]


@pytest.mark.parametrize(("registry", "kind", "name"), ALL, ids=[f"{kind} {name}" for _, kind, name in ALL])
def test_no_player_or_estimator_takes_nan(registry, kind: str, name: str) -> None:
    make = players.make_player if kind == "player" else estimators.make_estimator
    for parameter in registry.describe(name).parameters:
        if isinstance(parameter.default, float):
            with pytest.raises(UnknownName, match=f"{kind} {name}: {parameter.name} takes a .*, not 'nan'"):
                make(f"{name}:{parameter.name}=nan")
            if parameter.name != "threshold":
                with pytest.raises(UnknownName, match="takes a finite number, not 'inf'"):
                    make(f"{name}:{parameter.name}=inf")


def closure(player: Player) -> list[object]:
    """The constants that the deciders of a player hold."""
    deciders = (player.draw, player.discard, player.knock)
    found = [inspect.getclosurevars(decider).nonlocals for decider in deciders]
    return [
        (key, value.tolist() if isinstance(value, np.ndarray) else value)
        for held in found
        for key, value in sorted(held.items())
        if isinstance(value, (int, float, str, tuple, np.ndarray))
    ]


SHARES = st.floats(0, 1)
NUMBERS = st.floats(-1e6, 1e6)
SPECS = st.one_of(
    st.builds(lambda h, k: ("simple", {"hitting": h, "knock_at": k}), SHARES, st.integers(0, 100)),
    st.builds(lambda k: ("knocking", {"knock": k}), SHARES),
    st.builds(lambda t, r: ("hitting", {"threshold": t, "reward": r}), NUMBERS, NUMBERS),
    st.builds(lambda t: ("medium-kh", {"threshold": t, "value": "types"}), st.just(math.inf) | NUMBERS),
    st.builds(lambda a, b: ("estimating", {"estimator": "null", "desire_weight": a, "deadwood_weight": b}),
              NUMBERS, NUMBERS),
    st.builds(lambda a, b: ("hand-strength", {"alpha": a, "beta": b}), NUMBERS, NUMBERS),
    st.builds(lambda w: ("safe-discard", {"estimator": "null", "among": "weighed", "weight": w}),
              st.floats(0, 1e6)),
)  # fmt: skip


@given(SPECS)
def test_a_player_is_made_again_from_its_name(spec: tuple[str, dict[str, object]]) -> None:
    name, values = spec
    first = players.make_player(
        name
        + ":"
        + ",".join(
            f"{key}={value!r}" if isinstance(value, float) else f"{key}={value}"
            for key, value in values.items()
        )
    )
    again = players.make_player(first.name)
    assert again.name == first.name
    assert closure(again) == closure(first)
    assert again.compiled == first.compiled


@given(st.integers(1, 10**6))
def test_an_estimator_is_made_again_from_its_name(minimum: int) -> None:
    first = estimators.make_estimator(f"bayes:minimum={minimum}")
    assert estimators.make_estimator(first.name).name == first.name == f"bayes:minimum={minimum}"


def test_knock_at_means_what_it_says_where_the_limit_is_higher() -> None:
    rules = EAAI._replace(knock_limit=20)
    simple = players.make_player("simple")

    def knocks(spec: str) -> np.ndarray:
        run = sim.play(players.make_player(spec), simple, range(40), rules, 1, record=True)
        rows = decisions(run.rounds, run.games, rules)
        return rows["deadwood_after"][rows["knocked"] & (rows["side"] == 0)]

    assert knocks("simple").max() > 10
    assert knocks("simple:knock_at=10").max() == 10
    assert knocks("simple:knock_at=15").max() == 15


def test_the_baseline_knocks_at_once_under_the_usual_limit() -> None:
    one, other = (players.make_player(spec) for spec in ("simple", "simple:knock_at=10"))
    assert (
        sim.play(one, one, range(20), EAAI, 1).games == sim.play(other, one, range(20), EAAI, 1).games
    ).all()
    assert players.make_player("simple:knock_at=100").name == "simple"
