"""The tools that compare settings of champion's search: recorded positions and the diary of matches."""

import json

import numpy as np
import pytest

from ginrummy.cards import DECK
from ginrummy.compiled.worlds import DISCARDING, KNOCKING
from ginrummy.experiments.champion import arms, positions
from ginrummy.players.champion import adviser
from ginrummy.players.registry import make_player
from ginrummy.rules import EAAI
from ginrummy.search.searcher import Settings
from ginrummy.tournament import Plan, match


@pytest.fixture(scope="module")
def recorded() -> dict[int, positions.Recorded]:
    return positions.record(make_player("hand-strength:profile=tuned"), 4, 3)


def test_recorded_positions_have_the_hands_that_the_opponent_held(recorded) -> None:
    for some in recorded.values():
        assert len(some.view) == len(some.truths) > 5
        assert (np.bitwise_count(some.truths) == 10).all()
        assert (some.truths & (some.view["hand"] | some.view["pile"]) == 0).all()
        assert (some.view["opponent"] & ~some.truths == 0).all()
    assert (recorded[KNOCKING].truths & ~DECK == 0).all()


def test_only_changed_answers_are_judged(recorded, monkeypatch) -> None:
    monkeypatch.setattr(positions, "JUDGED", 8)
    opponent = make_player("hand-strength:profile=tuned").compiled
    some = recorded[DISCARDING]
    for gate, cut in ((0.0, 2.5), (1000.0, 1000.0)):
        search = adviser(settings=Settings(rollouts=100, hands=40, gate=gate, cut=cut))
        judge = positions.Judge(opponent, 3)
        gain, changed = positions.gains(search, some, DISCARDING, judge)
        assert np.count_nonzero(gain) <= round(changed * len(gain))
        assert (np.abs(gain) <= 1).all()
        assert (changed > 0) == (gate == 0)
        assert (len(judge._known) > 0) == (gate == 0)


def test_the_diary_keeps_each_match_once(tmp_path) -> None:
    played = match("simple", "random", Plan(4, 1, EAAI))
    (tmp_path / "one.json").write_text(json.dumps(played))
    for _ in range(2):
        arms.main([str(tmp_path / "diary.jsonl"), str(tmp_path / "one.json"), "--note", "a trial"])
    (line,) = arms.read_arms(tmp_path / "diary.jsonl")
    assert line["note"] == "a trial" and line["games"] == 4
    assert line["win_rate_a"] == played["win_rate_a"] and line["code"] == played["provenance"]["code"]
