"""Commands that meet other programs: a player served over a socket, its class in Java, records converted."""

import json
from pathlib import Path
from typing import Annotated

import typer


def serve_bot(
    player: Annotated[str, typer.Argument(help="name or name:key=value,…")],
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0: for other machines too.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")] = 7210,
    seed: Annotated[int, typer.Option(min=0, help="Determines its random choices.")] = 1,
) -> None:
    """Let other programs ask a player over a socket, as the class of `java-client` does."""
    from ginrummy.bridges.eaai.server import BotServer

    with BotServer(player, host, port, seed) as server:
        print(f"{player} listens at {server.address}; Ctrl-C ends it", flush=True)
        server.serve_forever()


def java_client(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to write the source.")],
    name: Annotated[str, typer.Option("--class", help="Name of the class.")] = "ServedPlayer",
    package: Annotated[
        str, typer.Option(help="Its package, that of the framework; '' for none.")
    ] = "ginrummy",
    host: Annotated[str, typer.Option(help="Where the player listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where the player listens.")] = 7210,
) -> None:
    """Write a Java class for the EAAI challenge that asks a player of `serve-bot`."""
    from ginrummy.bridges.eaai import client

    print(f"written to {client.write(directory, name, package, host, port)}")


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A file of games, also compressed by gzip.")],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.")],
    reads: Annotated[
        str | None, typer.Option("--from", help="Format of IN (default: recognised by its first line).")
    ] = None,
    writes: Annotated[
        str,
        typer.Option(
            "--to", help="Format of OUT: notation, challenge, jsonl, openspiel, positions or decisions."
        ),
    ] = "notation",
    rules: Annotated[str, typer.Option(help="Rules of games whose format does not name them.")] = "eaai",
    as_json: Annotated[bool, typer.Option("--json", help="Print exactly one JSON object.")] = False,
) -> None:
    """Convert records of games from one program's format to another's."""
    from ginrummy.bridges import formats
    from ginrummy.rules import parse_rules

    done = formats.convert(source, target, parse_rules(rules), reads, writes)
    if as_json:
        print(json.dumps(done._asdict(), indent=2))
        return
    said = f"{done.games:,} games, {done.rounds:,} rounds"
    print(f"{said}: read as {done.source}, written to {target} as {done.target}")
