"""The store: games come back to their owner, old databases are brought to today's version, newer ones refused."""

import shutil
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import text

from ginrummy.errors import BadInput
from ginrummy.store import VERSION, Store, open_database
from ginrummy.store import games as games_room


def a_store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "games.sqlite"))


def test_a_game_comes_back_to_its_owner_only(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.add("ann", "g1", "simple", "record 0", "played", False)
    assert store.advance("ann", "g1", 0, "record 1", finished=False, won=None)
    store.close()
    store = a_store(tmp_path)
    kept = store.find("ann", "g1")
    assert kept is not None and (kept.record, kept.moves, kept.finished, kept.won) == (
        "record 1",
        1,
        False,
        None,
    )
    assert store.find("bob", "g1") is None and store.games("bob") == []
    assert not store.advance("bob", "g1", 1, "stolen", finished=False, won=None)
    assert not store.remove("bob", "g1")
    assert store.review("bob", "g1") is None


def test_a_move_on_an_older_state_is_refused(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.add("ann", "g1", "simple", "record 0", "played", False)
    assert store.advance("ann", "g1", 0, "record 1", finished=False, won=None)
    assert not store.advance("ann", "g1", 0, "another", finished=True, won=True)
    kept = store.find("ann", "g1")
    assert kept is not None and kept.record == "record 1"


def test_a_review_is_kept_with_its_game_and_goes_with_it(tmp_path: Path) -> None:
    store = a_store(tmp_path)
    store.add("ann", "g1", "simple", "record", "played", True)
    store.keep_review("g1", "one")
    store.keep_review("g1", "two")
    assert store.review("ann", "g1") == "two" and store.review("bob", "g1") is None
    assert store.remove("ann", "g1") and store.review("ann", "g1") is None


def test_a_visitor_cannot_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games_room, "MOST_GAMES", 2)
    store = a_store(tmp_path)
    for name in ("g1", "g2"):
        store.add("ann", name, "simple", "record", "played", False)
    with pytest.raises(BadInput, match="at most 2 games"):
        store.add("ann", "g3", "simple", "record", "played", False)
    store.add("bob", "g3", "simple", "record", "played", False)


def test_a_database_of_version_1_becomes_one_of_today(tmp_path: Path) -> None:
    path = str(tmp_path / "old.sqlite")
    old = open_database(path, version=1)
    with old.begin() as connection:
        assert connection.execute(text("SELECT version FROM schema_version")).scalar_one() == 1
        connection.execute(
            text("INSERT INTO games VALUES ('g1', 'ann', 'simple', 7, 0, 'record 7', 1.5, 2.5)")
        )
    old.dispose()
    store = Store(path)
    kept = store.find("ann", "g1")
    assert kept is not None and (kept.record, kept.moves, kept.kind, kept.won) == (
        "record 7",
        7,
        "played",
        None,
    )
    store.keep_review("g1", "new table")
    assert store.review("ann", "g1") == "new table"
    assert store.advance("ann", "g1", 7, "record 8", finished=True, won=True)
    store.close()
    with open_database(path).begin() as connection:
        assert connection.execute(text("SELECT version FROM schema_version")).scalar_one() == VERSION == 2


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    engine = open_database(str(tmp_path / "new.sqlite"))
    with engine.begin() as connection:
        connection.execute(text("UPDATE schema_version SET version = 99"))
    engine.dispose()
    with pytest.raises(BadInput, match="schema 99"):
        a_new = Store(str(tmp_path / "new.sqlite"))
        a_new.close()


@pytest.mark.parametrize("url", ["nonsense://x", "mysql+nothing://x", "sqlite:////proc/none/x.sqlite"])
def test_a_database_that_cannot_be_opened_is_one_clear_line(url: str) -> None:
    with pytest.raises(BadInput) as caught:
        Store(url)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(
    not list(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or shutil.which("runuser") is None,
    reason="there is no PostgreSQL server here (apt install postgresql)",
)
def test_the_same_on_postgresql(tmp_path: Path) -> None:
    bins = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    place = Path("/tmp") / f"ginrummy-pg-{tmp_path.name}-{id(tmp_path)}"
    place.mkdir(mode=0o777)
    place.chmod(0o777)

    def run(*words: str) -> None:
        call = ["runuser", "-u", "postgres", "--", *words]
        subprocess.run(call, check=True, capture_output=True, cwd="/tmp", timeout=60)

    data = place / "data"
    run(str(bins / "initdb"), "-D", str(data), "-A", "trust", "-U", "postgres")
    options = f"-c listen_addresses='' -c unix_socket_directories={place} -c fsync=off"
    run(str(bins / "pg_ctl"), "-D", str(data), "-w", "-l", str(place / "log"), "-o", options, "start")
    try:
        url = f"postgresql://postgres@/postgres?host={place}"
        engine = open_database(url, version=1)
        with engine.begin() as connection:
            connection.execute(
                text("INSERT INTO games VALUES ('g0', 'ann', 'simple', 7, 0, 'old', 1.5, 2.5)")
            )
        engine.dispose()
        store = Store(url)
        store.add("ann", "g1", "simple", "record 0", "played", False)
        assert store.advance("ann", "g1", 0, "record 1", finished=True, won=True)
        assert not store.advance("ann", "g1", 0, "record x", finished=True, won=True)
        store.keep_review("g1", "body")
        assert store.review("ann", "g1") == "body" and store.find("bob", "g1") is None
        assert {game.record for game in store.games("ann")} == {"old", "record 1"}
        store.close()
    finally:
        run(str(bins / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop")
        shutil.rmtree(place, ignore_errors=True)
