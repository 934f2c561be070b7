"""Trained files and networks: checked, the same in any batch, and rebuilt at small scale by every recipe."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from ginrummy import _jit, artefacts, networks, sim
from ginrummy.errors import UnknownName
from ginrummy.estimators.event_networks import last_events
from ginrummy.melds import best_meld_sets, deadwoods, defend
from ginrummy.moments import in_order, views
from ginrummy.players.baseline import simple
from ginrummy.rules import EAAI
from ginrummy.runs import run_shards
from ginrummy.scoring import GIN, KNOCK, UNDERCUT
from ginrummy.training import play_data, recipes
from ginrummy.training.nets import belief, card_value, events, fit, hands, knock, loop
from ginrummy.training.nets.card_value import CardValueNet
from ginrummy.training.nets.events import EventNet, SequenceNet, Sequences
from ginrummy.training.nets.export import to_onnx
from ginrummy.training.nets.knock import KnockNet
from ginrummy.training.nets.layers import start_as_keras

RECORD = {"recipe": "by hand", "made_from": {}, "training": {}, "provenance": {}}


# Trained files.


def test_a_trained_file_is_checked_against_its_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artefacts, "DIRECTORY", tmp_path)
    artefacts.write(tmp_path, "a.bin", b"abc", RECORD)
    assert artefacts.load("a.bin") == b"abc"
    assert artefacts.record("a.bin")["recipe"] == "by hand"
    assert artefacts.names() == ["a.bin"]
    (tmp_path / "a.bin").write_bytes(b"abd")
    with pytest.raises(ValueError, match="not what its record says"):
        artefacts.load("a.bin")
    (tmp_path / "a.bin.json").unlink()
    with pytest.raises(ValueError, match="has no record"):
        artefacts.load("a.bin")
    (tmp_path / "a.bin.json").write_text("{")
    with pytest.raises(ValueError, match="damaged"):
        artefacts.load("a.bin")
    with pytest.raises(UnknownName, match="no trained file 'b'"):
        artefacts.load("b")
    with pytest.raises(UnknownName, match="no trained file"):
        artefacts.load("a.bin.json")


def test_ones_own_file_needs_no_record(tmp_path: Path) -> None:
    own = tmp_path / "mine.bin"
    own.write_bytes(b"abc")
    assert artefacts.load(str(own)) == b"abc"
    artefacts.write(tmp_path, "mine.bin", b"abc", RECORD)
    own.write_bytes(b"abd")
    with pytest.raises(ValueError, match="not what its record says"):
        artefacts.load(str(own))
    with pytest.raises(UnknownName, match="no such file"):
        artefacts.load(str(tmp_path / "nothing"))


def test_a_record_must_be_whole(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lacks training, provenance"):
        artefacts.write(tmp_path, "a", b"", {"recipe": "", "made_from": {}})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", artefacts.names())
def test_every_shipped_file_matches_its_record(name: str) -> None:
    assert artefacts.load(name)
    said = artefacts.record(name)
    assert said["recipe"].startswith("ginrummy train ")
    assert recipes.recipe(said["recipe"].split()[2])


@pytest.mark.parametrize("name", sorted(set(artefacts.names()) - {"lstm.onnx"}))
def test_every_shipped_file_but_one_comes_from_committed_code(name: str) -> None:
    """The record of the recurrent network names no commit: see the known limits in docs/status.md."""
    commit = artefacts.record(name)["provenance"]["commit"]
    assert isinstance(commit, str) and re.fullmatch("[0-9a-f]{40}", commit)


def test_shipped_files_count_as_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_jit, "PACKAGE", tmp_path)
    digest = _jit.code_digest.__wrapped__
    (tmp_path / "data").mkdir()
    before = digest()
    (tmp_path / "data" / "a.onnx").write_bytes(b"abc")
    after = digest()
    (tmp_path / "data" / "a.onnx.json").write_text("{}")
    assert before != after == digest()


# Networks.

SHAPES = {"event": (EventNet, (208,)), "sequence": (SequenceNet, (7, 208)), "knock": (KnockNet, (5,)),
          "card value": (CardValueNet, (3,))}  # fmt: skip


@pytest.fixture(scope="module", params=SHAPES)
def exported(request: pytest.FixtureRequest) -> tuple[bytes, np.ndarray, np.ndarray]:
    """A network with weights of chance, as a file; rows for it, and what torch says of them."""
    build, shape = SHAPES[request.param]
    model = build()
    start_as_keras(model, 3)
    torch.manual_seed(3)
    x = torch.rand(600, *shape) * 3
    payload = to_onnx(model, x, {0: "rows", 1: "steps"} if len(shape) > 1 else {0: "rows"})
    with torch.no_grad():
        return payload, x.numpy(), model(x).numpy()


def test_the_file_says_what_torch_says(exported) -> None:
    payload, x, expected = exported
    assert np.abs(networks.Network("n", payload)(x) - expected).max() <= 1e-5


def test_an_answer_does_not_depend_on_the_batch(exported) -> None:
    payload, x, _ = exported
    net = networks.Network("n", payload)
    whole = net(x)
    order = np.random.default_rng(1).permutation(len(x))
    assert (net(x[order]) == whole[order]).all()
    for start, stop in ((0, 1), (5, 6), (17, 100), (200, 456), (100, 400), (599, 600)):
        assert (net(x[start:stop]) == whole[start:stop]).all()
    assert net(x[:0]).shape == (0, *whole.shape[1:])


def test_steps_after_the_last_do_not_change_an_answer() -> None:
    model = SequenceNet()
    start_as_keras(model, 3)
    x = np.random.default_rng(2).random((40, 24, 208)).astype(np.float32)
    net = networks.Network("n", to_onnx(model, torch.from_numpy(x), {0: "rows", 1: "steps"}))
    whole = net(x)
    for steps in (1, 5, 8, 16):
        cut = x.copy()
        cut[:, steps:] = 0
        assert (net(x[:, :steps]) == whole[:, :steps]).all()
        assert (net(cut)[:, :steps] == whole[:, :steps]).all()


def test_wrong_inputs_and_files_are_one_line(tmp_path: Path) -> None:
    model = KnockNet()
    net = networks.Network("n", to_onnx(model, torch.rand(3, 5), {0: "rows"}))
    assert (net({"x": np.ones((2, 5))}) == net(np.ones((2, 5)))).all()
    with pytest.raises(ValueError, match="network n takes x, not z"):
        net({"z": np.ones((2, 5))})
    with pytest.raises(ValueError, match="one row or more"):
        networks.Network("n", b"", 0)
    (tmp_path / "bad.onnx").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="is not a network") as error:
        networks.network(f"{tmp_path}/bad.onnx")
    assert "\n" not in str(error.value)


def _answer(payload: list[float]) -> dict[str, list[float]]:
    return {"y": _NET(np.array([payload], np.float32))[0].tolist()}


def test_a_network_used_before_a_fork_works_after_it() -> None:
    global _NET
    torch.manual_seed(1)
    _NET = networks.Network("n", to_onnx(KnockNet(), torch.rand(3, 5), {0: "rows"}))
    rows = [[1.0, 2.0, 3.0, 4.0, float(k)] for k in range(6)]
    here = [_answer(row) for row in rows]
    assert run_shards(_answer, rows, workers=2) == here


# The training loop.


def _rows(seed: int, size: int = 3000) -> fit.Rows:
    rng = np.random.default_rng(seed)
    x = rng.random((size, 5)).astype(np.float32) * 10
    return fit.Rows(x, (x[:, :1] + x[:, 1:2] > 10).astype(np.float32))


def _trained(tmp: Path | None = None, epochs: int = 4) -> tuple[list[fit.Epoch], bytes]:
    model = KnockNet()
    start_as_keras(model, 5)
    history = fit.train(model, fit.always(_rows(1)), _rows(2), fit.Fit(epochs, 100, seed=5), checkpoint=tmp)
    return history, b"".join(p.detach().numpy().tobytes() for p in model.parameters())


def test_training_learns_and_repeats_to_the_bit() -> None:
    history, weights = _trained()
    assert history[-1].validation < history[0].validation < 0.7
    assert history[-1].validation < 0.3
    assert (history, weights) == _trained()


def test_the_best_epoch_can_be_kept(tmp_path: Path) -> None:
    model = KnockNet()
    start_as_keras(model, 5)
    data, check = _rows(1, 60), _rows(2, 400)  # so few rows are learned by heart
    how = fit.Fit(40, 20, seed=5, rate=0.03, keep_best=True)
    history = fit.train(model, fit.always(data), check, how)
    losses = [epoch.validation for epoch in history]
    assert min(losses) < losses[-1]
    assert fit.evaluate(model, check, fit.bce) == pytest.approx(min(losses))


def test_an_interrupted_training_ends_the_same(tmp_path: Path) -> None:
    def stop(line: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    file = tmp_path / "half.pt"
    model = KnockNet()
    start_as_keras(model, 5)
    with pytest.raises(KeyboardInterrupt):
        fit.train(model, fit.always(_rows(1)), _rows(2), fit.Fit(4, 100, seed=5), stop, file)
    assert len(torch.load(file)["history"]) == 2
    assert _trained(file) == _trained()
    assert _trained(file, epochs=2) == _trained(epochs=2)  # of another training: not used


def test_a_patient_training_continues_with_its_best_weights(tmp_path: Path) -> None:
    def trained(checkpoint: Path | None = None, stop_at: int = 99) -> tuple[list[fit.Epoch], bytes]:
        def stop(line: str, done: int, total: int) -> None:
            if done == stop_at:
                raise KeyboardInterrupt

        model = KnockNet()
        start_as_keras(model, 5)
        how = fit.Fit(60, 20, seed=5, rate=0.03, cosine=True, keep_best=True, patience=4)
        data = fit.always(_rows(1, 60))
        history = fit.train(model, data, _rows(2, 400), how, stop, checkpoint)
        return history, b"".join(p.detach().numpy().tobytes() for p in model.parameters())

    whole = trained()
    best, epochs = fit.best_epoch(whole[0]), len(whole[0])
    assert epochs == best + 4 < 60
    file = tmp_path / "half.pt"
    with pytest.raises(KeyboardInterrupt):
        trained(file, stop_at=best + 1)  # after the best epoch: its weights are in the file alone
    assert trained(file) == whole


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("bayes.npz", play_data.DATA_SEED),
        ("ann.onnx", play_data.DATA_SEED),
        ("belief-net.onnx", play_data.DATA_SEED),
        ("card-value.onnx", card_value.CARD_VALUE_SEED),
        ("card-value-loop-2.onnx", card_value.CARD_VALUE_SEED + 2 * loop.SEED_STEP),
        ("knock.onnx", knock.KNOCK_SEED),
        ("knock-belief.onnx", knock.KNOCK_SEED),
        ("knock-loop-2.onnx", knock.KNOCK_SEED + 2 * loop.SEED_STEP),
    ],
)
def test_a_shipped_file_can_be_rebuilt_from_the_same_decks(name: str, seed: int) -> None:
    said = artefacts.record(name)
    assert said["recipe"].endswith("--seed 1")
    assert said["made_from"]["seed"] == seed + 1


def test_the_seed_of_a_recipe_orders_the_batches_at_every_scale() -> None:
    for scale in recipes.SCALES:
        assert [hands.how_of(belief.KIND, scale, seed).seed for seed in (1, 2)] == [1, 2]


def test_packed_sequences_give_what_padded_ones_give() -> None:
    model = SequenceNet()
    start_as_keras(model, 1)
    rng = np.random.default_rng(1)
    lengths = np.array([3, 1, 4, 2])
    x = rng.integers(0, 2, (10, 208)).astype(np.uint8)
    y = rng.integers(0, 2, (10, 52)).astype(np.uint8)
    data = Sequences(x, y, lengths)
    packed, targets = data.take(torch.tensor([0, 1, 2, 3]))
    padded = np.zeros((4, 4, 208), np.float32)
    expected = np.zeros((4, 4, 52))
    for row, stop in enumerate(np.cumsum(lengths)):
        padded[row, : lengths[row]] = x[stop - lengths[row] : stop]
        expected[row, : lengths[row]] = y[stop - lengths[row] : stop]
    by_length = [2, 0, 3, 1]
    steps = [(row, step) for step in range(4) for row in by_length if step < lengths[row]]
    with torch.no_grad():
        whole = model(torch.from_numpy(padded)).numpy()
        found = model(packed).numpy()
    assert np.allclose(found, [whole[at] for at in steps], atol=1e-6)
    assert (targets.numpy() == [expected[at] for at in steps]).all()


# What the networks learn from.


def test_events_are_those_of_the_estimator() -> None:
    found = events.gather(range(6), 9)
    x, y, known = found.x, found.y, found.x[:, 156:]
    assert x.shape[1] == 208
    assert (y.sum(axis=1) == 10).all()
    assert not (known & y).any()
    assert (x[:, 104:156] & ~y == 0).all()  # what was taken just now is still held
    assert (x[:, 52:104].sum(axis=1) + x[:, 104:156].sum(axis=1) == 1).all()  # declined or taken
    assert found.lengths.sum() == len(x)
    rounds = in_order(sim.play(simple(), simple(), range(6), EAAI, 9, record=True).rounds)
    seen = [views(rounds, side, EAAI) for side in (0, 1)]
    last = np.concatenate([last_events(one.view, np.arange(len(one.view))) for one in seen])
    assert (last == x).all()
    held = found.of(found.games == 3)
    assert len(held.x) == held.lengths.sum() > 0
    assert (held.y[held.last].sum(axis=1) == 10).all()


def test_accuracy_is_that_of_the_paper() -> None:
    truth = np.zeros((2, 52), np.uint8)
    truth[:, :10] = 1
    nothing = events.accuracy(np.zeros((2, 52), np.float32), truth)
    assert nothing["categorical"] == pytest.approx(42 / 52) == nothing["binary"]
    half = events.accuracy(np.full((2, 52), 0.5, np.float32), truth)
    assert (half["categorical"], half["binary"]) == pytest.approx((0.5, 10 / 52))


def test_upcards_cost_what_they_are_at_the_end() -> None:
    rows = play_data.rows_of(simple(0.5), simple(0.5), range(20), EAAI, 1)
    found = card_value.upcard_rows(rows)
    kept = rows[~((rows["event"] == 2) & (rows["turn"] == 1))]
    assert len(kept) == len(found.x) < len(rows)
    assert (found.took == kept["took"]).all()
    for row, x, y in list(zip(kept, found.x, found.y, strict=True))[:400]:
        card = int(row["upcard"])
        assert x[0] == min(card % 13 + 1, 10)
        assert x[1] == row["turn"] - (0 if row["passed"] else 1)
        melded = (best_meld_sets(int(row["final_hand"])) or [()])[0]
        loose = int(row["final_hand"]) & ~sum(melded)
        assert y[0] == (x[0] if loose >> card & 1 else 0)
    assert found.y[~found.took].mean() < found.y[found.took].mean()
    assert found.x[found.took, 2].min() >= 1  # only what melds or hits is taken


def test_what_a_knock_would_have_given() -> None:
    rows = play_data.rows_of(simple(), simple(), range(30), EAAI, 1)
    chances = rows[rows["could_knock"]]
    worth = knock.knock_worths(EAAI, chances["hand_after"], chances["opponent_hand"])
    for row, points in zip(chances, worth, strict=True):
        own = int(row["deadwood_after"])
        melds = (best_meld_sets(int(row["hand_after"])) or [()])[0]
        theirs = (best_meld_sets(int(row["opponent_hand"])) or [()])[0]
        if own == 0:
            expected = 25 + deadwoods(np.array([row["opponent_hand"]]))[0]
        else:
            left = defend(int(row["opponent_hand"]), theirs, melds).deadwood
            expected = left - own if own < left else -(25 + own - left)
        assert points == expected
    # The baseline knocks at every chance; its melds are drawn by chance, which seldom matters.
    assert (worth == chances["points"]).mean() > 0.97
    assert np.isin(chances["outcome"], [KNOCK, GIN, UNDERCUT]).all()


def test_readings_of_the_label() -> None:
    rows = play_data.rows_of(simple(knock_at=3), simple(), range(20), EAAI, 1)
    found = knock.readings(rows)
    sizes = [len(found[name].x) for name in knock.READINGS]
    assert sizes == [rows["knocked"].sum(), rows["could_knock"].sum(), (~rows["passed"]).sum()]
    assert sizes[0] < sizes[1] < sizes[2]
    chances = rows[rows["could_knock"]]
    x = found[knock.CHANCES].x
    assert (x[:, 0] == chances["turn"]).all()
    assert (x[:, 1] == chances["deadwood_after"]).all()
    assert (x[:, 4] == chances["opponent_takes"]).all()
    assert set(np.unique(found[knock.TURNS].y)) == {0.0, 1.0}


# The recipes.

NETWORKS = ["ann", "lstm", "card-value", "knock"]


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_is_rebuilt_in_small(name: str, tmp_path: Path) -> None:
    result = recipes.rebuild(name, "smoke", 1, 1, tmp_path)
    recipe = recipes.recipe(name)
    file = tmp_path / recipe.artefact
    net = networks.network(str(file))
    shape = {"ann": (208,), "lstm": (3, 208), "card-value": (3,), "knock": (5,)}[name]
    answers = net(np.ones((2, *shape)))
    assert np.isfinite(answers).all()
    assert (answers >= 0).all()
    said = artefacts.record(str(file))
    assert said["recipe"] == f"ginrummy train {name} --scale smoke --seed 1"
    assert said["training"]["history"][-1]["validation"] > 0
    assert said["made_from"]["rows"] > 0
    assert json.dumps(result)
    assert str(file) in recipe.text(result)


def test_the_command_writes_nothing_at_smoke_scale(tmp_path: Path) -> None:
    env = os.environ | {"GINRUMMY_STATE": str(tmp_path)}
    call = [sys.executable, "-m", "ginrummy", "train", "knock"]
    before = artefacts.names()
    done = subprocess.run([*call, "--json"], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["artefact"] == "knock"
    assert artefacts.names() == before
    wrong = subprocess.run([*call, "--scale", "huge"], capture_output=True, text=True, env=env)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "unknown scale 'huge'" in wrong.stderr
    (tmp_path / "file").write_text("")
    wrong = subprocess.run([*call, "--out", f"{tmp_path}/file"], capture_output=True, text=True, env=env)
    assert wrong.returncode == 2
    assert "needs a directory" in wrong.stderr
